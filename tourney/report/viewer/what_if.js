// What if another action had been played: bars for every action, and one continuation as a branch to watch. The data of
// the match has the branches, or the address of a server to ask (tourney/report/what_if.py).

import { EVERYONE, Match } from "./data.js";
import { el } from "./elements.js";

// A branch: the match until the decision `first`, then a tail, for a seat in an imagined world.
class Branch extends Match {
  constructor({ data }, tail, first) {
    const seen = Object.fromEntries(tail.seats.map((seat) => [seat, data.seen[seat]]));
    const everyone = tail.data.everyone && data.everyone;
    const { result, scores, places, decisions } = tail.data;
    const faults = data.faults.filter(({ decision }) => decision < first);
    const own = { beliefs: null, twins: [], seen, everyone, what_if: null, costs: [], noted: [] };
    super({ ...data, ...own, result, scores, places, faults, decisions: first - 1 + decisions });
    Object.assign(this, { tail, before: first - 1 });
  }

  view(seat, at) {
    return at <= this.before ? super.view(seat, at) : this.tail.view(seat, at - this.before);
  }

  decision(watcher, number) {
    if (number <= this.before) return super.decision(watcher, number);
    const decision = number < this.last && this.tail.decision(watcher, number - this.before);
    return decision ? { ...decision, number } : null;
  }

  after(watcher, number) {
    return number <= this.before ? super.after(watcher, number) : this.tail.after(watcher, number - this.before);
  }
}

export class WhatIf {
  constructor(viewer) {
    // left: the moment of the match from which a branch is watched
    Object.assign(this, { viewer, left: null, choices: new WeakMap() });
  }

  // Another match is shown, or the same one again.
  begin(match) {
    this.left = null;
    this.viewer.parts.whatIf.hidden = true;
    if (!this.choices.has(match)) this.choices.set(match, new Map());
  }

  get known() {
    return this.viewer.match.data.what_if ?? {};
  }

  // What was chosen at a decision: { action, said, waiting, wrong }.
  choice(decision) {
    return this.choices.get(this.viewer.match).get(decision?.number);
  }

  // An action in words.
  called(text) {
    return this.viewer.pack.inWords(this.viewer.match.labels.get(text) ?? text);
  }

  // The label of an action, in a button if the match can continue with it.
  button(decision, text, label) {
    if (!this.known.ask && !this.known.branches?.[decision.number]?.[text]) return label;
    const said = `what if ${this.viewer.match.names[decision.seat]}: ${this.called(text)}`;
    const pressed = String(this.choice(decision)?.action === text);
    const about = { type: "button", class: "ask", "data-action": text, "aria-pressed": pressed, "aria-label": said, title: said };
    return el("button", { ...about, on: { click: () => this.choose(decision, text) } }, label);
  }

  // Asks for the bars of a decision, unless they are known.
  async choose(decision, action) {
    const { match } = this.viewer;
    const choice = { said: this.known.said, ...this.choice(decision), action, wrong: "" };
    this.choices.get(match).set(decision.number, choice);
    if (choice.said || choice.waiting) return this.redraw(choice.said);
    choice.waiting = true;
    this.redraw("computing …");
    const { wrong = "", said = "", cost } = await this.ask({ decision: decision.number });
    const now = Object.assign(this.choices.get(match).get(decision.number), { said, wrong, waiting: false });
    if (cost) match.costs.set(decision.number, { ...cost, labels: match.labels });
    if (this.viewer.match === match) this.redraw(now.wrong || now.said);
  }

  async watch(decision, action) {
    const { match, watcher, at } = this.viewer;
    const asked = { decision: decision.number, action };
    const branch = this.known.branches?.[decision.number]?.[action] ?? (await this.ask(asked));
    if (this.viewer.match !== match) return;
    if (branch.wrong) {
      this.choice(decision).wrong = branch.wrong;
      return this.redraw(branch.wrong);
    }
    const tail = new Match({ ...branch.match, beliefs: null, twins: [] });
    const shown = branch.first > 1 ? new Branch(match, tail, branch.first) : tail;
    this.viewer.show(shown, watcher, decision.number);
    this.left = { match, watcher, at };
    const { whatIf, spoken, match: title, result } = this.viewer.parts;
    const head = match.names[decision.seat] + shown.decision(this.viewer.watcher, decision.number).said;
    const back = el("button", { type: "button", on: { click: () => this.leave() } }, "back to the match (esc)");
    const said = ` at decision ${decision.number}? ${branch.said}. `;
    title.replaceChildren("what if: ", ...this.viewer.pack.text(head));
    result.textContent = `in this branch: ${shown.data.result}`;
    whatIf.replaceChildren(el("b", {}, "what if: "), ...this.viewer.pack.text(head), said, back);
    whatIf.hidden = false;
    this.viewer.parts.felt.scrollIntoView({ block: "nearest" });
    this.viewer.root.focus({ preventScroll: true }); // the button that was pressed is gone
    spoken.textContent = this.viewer.pack.inWords(`what if: ${head}${said}`);
  }

  leave() {
    const { match, watcher, at } = this.left;
    this.viewer.show(match, watcher, at);
    this.viewer.root.focus({ preventScroll: true });
  }

  async ask(query) {
    const { watcher } = this.viewer;
    const asked = new URLSearchParams(watcher === EVERYONE ? query : { ...query, seat: watcher });
    try {
      const answer = await fetch(`${this.known.ask}?${asked}`);
      return answer.ok ? await answer.json() : { wrong: await answer.text() };
    } catch {
      return { wrong: "the server does not answer; try again" };
    }
  }

  redraw(said) {
    const { parts } = this.viewer;
    const { action } = document.activeElement.dataset;
    this.viewer.draw(0);
    if (action) parts.legal.querySelector(`[data-action="${CSS.escape(action)}"]`)?.focus();
    parts.spoken.textContent = said;
  }

  // Under the bar of the chosen action.
  watchButton(decision, action) {
    const choice = this.choice(decision);
    if (!choice?.said || choice.action !== action) return null;
    const name = `watch this continuation: ${this.called(action)}`;
    const about = { type: "button", class: "watch", "aria-label": name };
    return el("button", { ...about, on: { click: () => this.watch(decision, action) } }, "watch this continuation");
  }

  // Says above the legal actions what their bars are, or why there are none, and scrolls to the chosen one.
  draw(decision) {
    const { said, waiting, wrong } = (decision && this.choice(decision)) ?? {};
    const { legal } = this.viewer.parts;
    const hint = legal.querySelector(".ask") && "Click one to see what it leads to.";
    const text = waiting ? "computing …" : wrong || said || hint;
    if (text) legal.firstChild.after(el("p", { class: wrong ? "bad" : "quiet" }, text));
    const row = legal.querySelector("li:has(.watch)") ?? legal.querySelector(".chosen");
    legal.scrollTop = row ? row.offsetTop + row.offsetHeight - legal.clientHeight : 0;
  }
}
