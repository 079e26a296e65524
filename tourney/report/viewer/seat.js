// A seat at a table: shows the server's match, and sends the player's answers. Each message is the seat's whole state
// (tourney/web/seats.py), so a lost connection loses nothing.

import { Match } from "./data.js";
import { counted, el } from "./elements.js";
import { costsOf } from "./highlights.js";
import { viewer } from "./viewer.js";

const WALK_MS = 700; // time per stop on the way to the pending decision
const LONGEST_WALK_MS = 6000;
const ASK_MS = 200; // between two questions for news
const UNSEEN_MS = 2000; // the same in a hidden page, whose title says whose turn it is
const HINTS = "123456789abcdefgijklopqstvwxyz"; // keys for actions; the other letters have other uses
const MOST_TOLD = 12; // events announced at once
const KEYS = [["1 to 9, a to z", "an action of the list"], ["u", "undo"], ["n", "now"], ["r", "all rules"]];

// The kind of an action: `trade` of `trade:1`.
const kind = (text) => text.slice(0, text.lastIndexOf(":"));

// The actions, each with its card and seat. Numbers of one kind are seats if all are other seats.
function targeted(actions, { as, aims }, own, count) {
  const found = actions.map((action) => ({ ...action, card: as(action.text), seat: aims(action.text) }));
  const others = ({ seat }) => seat !== null && seat !== own && seat < count;
  const areSeats = (each) => found.filter(({ text }) => kind(text) === kind(each.text)).every(others);
  return found.map((each) => ({ ...each, seat: areSeats(each) ? each.seat : null }));
}

class Seat {
  constructor() {
    this.lost = false;
    this.picked = {}; // filters the list of actions: { card, seat }
    const { root, parts } = viewer;
    const button = (text, click, more) => el("button", { type: "button", ...more, on: { click } }, text);
    this.parts = {
      turn: el("b", { class: "status" }, "Looking for the table …"),
      clock: el("span", { class: "chip", role: "timer", hidden: "" }),
      undo: button("undo", () => this.send("undo", { decision: this.state.held.decision }), { hidden: "" }),
      now: button("now (n)", () => viewer.go(Infinity), { hidden: "" }),
      wrong: el("p", { class: "bad", role: "alert" }),
      after: el("p"),
      asks: el("p"),
      all: button("all actions (esc)", () => this.pick({}), { hidden: "" }),
      list: el("ol", { class: "choices", "aria-label": "your actions" }),
      said: el("ul", { class: "quiet" }),
      people: el("p", { class: "quiet" }),
    };
    const { turn, clock, undo, now, ...others } = this.parts;
    const panel = [el("p", { class: "group" }, turn, clock, undo, now), ...Object.values(others)];
    this.panel = el("section", { class: "decision", "aria-label": "your seat" }, panel);
    parts.legal.before(this.panel);
    const close = button("close (esc)", () => this.rules.close());
    this.rules = el("dialog", { class: "match-viewer", "aria-label": "the rules" }, close);
    root.append(this.rules);
    parts.result.before(button("all rules (r)", () => this.showRules()));
    const keys = KEYS.map(([key, does]) => [el("dt", {}, key), el("dd", {}, does)]);
    root.querySelector("details > .pairs").prepend(...keys.flat());
    root.classList.add("playing");
    root.hidden = false;
    root.addEventListener("moment", () => this.arrive());
    parts.felt.addEventListener("click", ({ target }) => this.point(target));
    for (const kind of ["keydown", "click"]) document.addEventListener(kind, (event) => this.skip(event), true);
    document.addEventListener("keydown", (event) => this.key(event), true);
    setInterval(() => this.drawTimes(), 250);
    const pauses = { pauseMs: ASK_MS, unseenMs: UNSEEN_MS };
    listen("events", (state) => this.receive(state), { ...pauses, lose: (isLost) => this.lose(isLost) });
  }

  lose(isLost) {
    if (isLost === this.lost) return;
    this.lost = isLost;
    this.draw();
  }

  get walking() {
    return viewer.timer !== null && viewer.timer === this.walk;
  }

  get isNow() {
    return viewer.at === viewer.match.last;
  }

  receive(state) {
    const { match: old, at } = viewer.whatIf.left ?? viewer; // not the branch of a what if
    const match = new Match(state.match);
    if (state.asked?.decision !== this.state?.asked?.decision) this.picked = {};
    Object.assign(this, { state, lost: false, sent: false, received: performance.now() });
    this.parts.wrong.textContent = "";
    if (old && JSON.stringify(old.data) === JSON.stringify(match.data)) return this.draw();
    const follows = !old || this.walking || this.isNow; // otherwise the player is looking back
    const jumps = !old || (follows && matchMedia("(prefers-reduced-motion: reduce)").matches);
    this.told = old ? [...(this.heard ? [] : this.told), ...this.since(match, old.last)].slice(-MOST_TOLD) : [];
    this.heard = false;
    viewer.show(match, state.seat, jumps ? Infinity : at);
    viewer.parts.match.textContent = viewer.parts.about.textContent;
    viewer.root.classList.toggle("going-on", match.goesOn);
    this.draw();
    if (follows && !this.isNow) this.walkOn();
  }

  // The seat's news from a decision on, in words.
  since(match, from) {
    const found = match.story(this.state.seat).filter(({ number }) => number >= from);
    return found.map(({ seat, said, text }) => text ?? match.names[seat] + said);
  }

  walkOn() {
    viewer.setPace("decision");
    viewer.play(Math.min(WALK_MS, LONGEST_WALK_MS / viewer.stops.filter((stop) => stop > viewer.at).length));
    this.walk = viewer.timer;
  }

  // Finishes a walk at once, on any key or click.
  skip(event) {
    const { key, altKey, ctrlKey, metaKey } = event;
    if (!this.walking || altKey || ctrlKey || metaKey || ["Tab", "Shift"].includes(key)) return;
    viewer.go(Infinity);
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  key(event) {
    const { key, target, altKey, ctrlKey, metaKey } = event;
    if (altKey || ctrlKey || metaKey || target === viewer.parts.search) return;
    if (this.rules.contains(target) && !["Escape", "r"].includes(key)) return event.stopImmediatePropagation();
    const { undo, now, all, list } = this.parts;
    const mine = { u: undo, Backspace: undo, n: now, Escape: this.rules.open ? this.rules.firstChild : all };
    const button = mine[key] ?? [...list.querySelectorAll("button")].find(({ dataset }) => dataset.key === key);
    if (key === "r") this.showRules();
    else if (button?.checkVisibility() && !button.disabled) button.click();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  async showRules() {
    if (this.rules.open) return this.rules.close();
    this.rules.show();
    this.rules.firstChild.focus();
    const text = await fetch("rules").then((answer) => answer.text(), () => "The rules are not available now.");
    const page = new DOMParser().parseFromString(text, "text/html");
    this.rules.replaceChildren(this.rules.firstChild, el("article", {}, ...page.body.childNodes));
  }

  // The actions matching the picks.
  left({ card, seat }) {
    const fits = (each) => (card === undefined || each.card === card) && (seat === undefined || each.seat === seat);
    return viewer.match.asked?.open?.filter(fits) ?? [];
  }

  point(target) {
    const { card } = target.closest("[data-card]")?.dataset ?? {};
    const { seat } = target.closest(".seat:has([data-aim])")?.dataset ?? {};
    if (card !== undefined) this.pick({ ...this.picked, card }, { card });
    else if (seat !== undefined) this.pick({ ...this.picked, seat: Number(seat) }, { seat: Number(seat) });
  }

  // Answers if a single action matches, otherwise lists the matches; picks `instead` if there are none.
  pick(picked, instead = {}) {
    this.picked = this.left(picked).length ? picked : instead;
    const [only, ...others] = this.left(this.picked);
    if (only && !others.length) return this.answer(only.text);
    this.draw();
  }

  answer(action) {
    this.send("answer", { decision: this.state.asked.decision, action });
  }

  async send(what, body) {
    this.sent = true; // until the next message
    this.draw();
    try {
      const headers = { "Content-Type": "application/json" };
      const { ok, status } = await fetch(what, { method: "POST", headers, body: JSON.stringify(body) });
      if (ok) return;
      const why = status === 409 ? "too late" : `refused, ${status}`;
      this.parts.wrong.textContent = `Answer rejected: ${why}.`;
    } catch {
      this.parts.wrong.textContent = "Answer not sent; try again.";
    }
    this.sent = false;
    this.draw();
  }

  // Draws the seat's own parts, and the table at the pending decision.
  draw() {
    const { parts, state } = this;
    parts.turn.replaceChildren(...this.turn());
    if (!state) return;
    document.title = `${parts.turn.textContent} · ${state.match.title}`;
    const { seat, asked, held, over, said, people } = state;
    const { match, layout, pack } = viewer;
    const actions = targeted(asked?.actions ?? [], layout, seat, match.names.length);
    const open = held || this.sent || this.lost ? null : actions;
    const legal = actions.map(({ text }) => text);
    const decision = { number: match.last, seat, action: held?.action ?? "", note: "", choices: [], legal };
    match.asked = asked || held ? { ...decision, open, card: this.picked.card, aim: this.picked.seat } : null;
    const [asks = "", ...rest] = over ? [] : said;
    parts.asks.replaceChildren(...pack.text(asks));
    parts.said.replaceChildren(...rest.map((line) => el("li", {}, pack.text(line))));
    const narrowed = this.picked.card !== undefined || this.picked.seat !== undefined;
    const shown = narrowed ? this.left(this.picked) : actions;
    const choice = ({ text, words }, i) => {
      const shortcut = { "data-key": HINTS[i], "aria-keyshortcuts": HINTS[i] };
      const about = { type: "button", disabled: open ? null : "", ...shortcut };
      const hint = HINTS[i] && el("kbd", { "aria-hidden": "true" }, HINTS[i]);
      return el("li", {}, el("button", { ...about, on: { click: () => this.answer(text) } }, hint, pack.text(words)));
    };
    parts.list.replaceChildren(...(held ? [] : shown.map(choice)));
    parts.all.hidden = !narrowed;
    parts.list.classList.toggle("narrowed", narrowed);
    parts.undo.disabled = this.sent || this.lost;
    const others = people.filter((each) => each.seat !== seat);
    const there = (each) => `${match.names[each.seat]} is ${each.here ? "here" : "away"}`;
    parts.people.textContent = others.map(there).join(" · ");
    parts.after.replaceChildren(...(over ? this.after(over) : []));
    if (this.isNow) viewer.draw(0);
    this.drawTimes();
  }

  // Whose turn it is.
  turn() {
    const { state, lost } = this;
    if (state?.over) return ["The match is over"];
    if (lost) return ["Connection lost; trying again …"];
    if (!state) return ["Looking for the table …"];
    if (state.held) return ["You: ", ...viewer.pack.text(state.held.words)];
    return [state.asked ? "Your turn" : state.waits];
  }

  // The message after the match.
  after({ run, analysed }) {
    if (!analysed) return [`The match is in ${run}. seer is analysing your decisions …`];
    const costs = costsOf(viewer.match, this.state.seat);
    const mistakes = costs.filter(({ mistake }) => mistake).length;
    const look = mistakes > 0 && el("button", { type: "button", "data-do": "mark" }, "next mistake (m)");
    const found = `seer finds ${counted(mistakes, "mistakes")} in your ${counted(costs.length, "decisions")}`;
    return [`The match is in ${run}. ${costs.length ? found : "seer has no estimates of your decisions"}. `, look || ""];
  }

  drawTimes() {
    const { held, clock } = this.state ?? {};
    const left = (about) => Math.max(0, Math.ceil(about.left_s - (performance.now() - this.received) / 1000));
    this.parts.undo.hidden = !held;
    this.parts.clock.hidden = !clock;
    if (held) this.parts.undo.textContent = `undo (${left(held)} s)`;
    if (clock) this.parts.clock.textContent = `${left(clock)} s`;
  }

  // At another moment: only the pending decision shows the actions and the news.
  arrive() {
    const { parts, isNow, walking } = this;
    const { spoken } = viewer.parts;
    for (const part of [parts.asks, parts.all, parts.list, parts.said]) part.classList.toggle("away", !isNow);
    parts.now.hidden = isNow;
    if (walking) spoken.textContent = "";
    if (!isNow || !this.state) return;
    spoken.textContent = viewer.pack.inWords([...this.told, parts.turn.textContent].join("; "));
    this.heard = true;
    const { decision } = this.state.asked ?? {};
    const isNew = decision !== undefined && decision !== this.shown;
    if (isNew) requestAnimationFrame(() => this.panel.scrollIntoView({ block: "nearest" }));
    this.shown = decision;
  }
}

new Seat();
