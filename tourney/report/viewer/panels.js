// What stands beside the table: the events, the legal actions, and the timeline with the curve of expected points.

import { EVERYONE } from "./data.js";
import { el, svg } from "./elements.js";

// The list of events, which goes in step with the table.
export class Story {
  constructor(match, pack, go) {
    this.match = match;
    this.pack = pack;
    this.go = go;
    this.list = el("ol", { class: "story", tabindex: "0", "aria-label": "events" });
  }

  show(watcher) {
    this.rows = [];
    const width = String(this.match.last - 1).length;
    const rows = this.match.story(watcher).map((item) => {
      const row = item.kind === "decision" ? this.decision(item, width) : this.event(item);
      this.rows.push({ item, row, text: row.textContent.toLowerCase() });
      return row;
    });
    this.list.replaceChildren(...rows);
  }

  decision(item, width) {
    const marks = [item.fault && el("span", { class: "sign bad", title: "fault" }, "●"), item.cost?.mistake && el("span", { class: "sign mistake", title: "mistake" }, "▲")];
    const note = item.note && el("span", { class: item.fault ? "note bad" : "note" }, this.pack.text(item.note));
    const name = el("span", { class: "who", dir: "auto" }, this.match.names[item.seat]);
    return el("li", { class: "act", on: { click: () => this.go(item.number) } }, el("span", { class: "number", style: { "min-width": `${width}ch` } }, item.number), el("span", {}, name, " ", this.pack.text(item.action.replace(":", " ")), " ", marks, note));
  }

  event(item) {
    const text = el("span", {}, this.pack.text(item.text));
    return el("li", { class: item.kind === "deal" ? "heading" : "event", on: { click: () => this.go(item.number + 1) } }, text);
  }

  // Marks the decision that is about to be made, and scrolls to it.
  mark(at) {
    let current = null;
    for (const { item, row } of this.rows) {
      const here = item.kind === "decision" && item.number === at;
      row.classList.toggle("current", here);
      row.classList.toggle("later", item.number >= at && !here);
      row.toggleAttribute("aria-current", here);
      if (here || (!current && item.number >= at)) current = row;
    }
    const row = current ?? this.list.lastElementChild;
    if (row) this.list.scrollTop = row.offsetTop - this.list.clientHeight / 2;
  }

  // Returns the moment of the next event after (or before) a moment that holds the words, or null.
  find(words, at, back) {
    const hits = this.rows.filter(({ text }) => text.includes(words.toLowerCase())).map(({ item }) => (item.kind === "decision" ? item.number : item.number + 1));
    return (back ? hits.filter((number) => number < at).at(-1) ?? hits.at(-1) : hits.find((number) => number > at) ?? hits[0]) ?? null;
  }
}

// What could be done at a decision, with what was: actions of one kind together.
export function legalActions(decision, pack, names) {
  if (!decision) return [el("p", { class: "quiet" }, "nothing is seen of this decision")];
  const who = el("span", { dir: "auto" }, names[decision.seat]);
  if (!decision.legal.length) return [el("p", {}, el("b", {}, who), " ", pack.text(decision.action.replace(":", " ")), decision.note && el("span", { class: "note" }, decision.note)), el("p", { class: "quiet" }, "what else it could do is not seen")];
  const kinds = Map.groupBy ? Map.groupBy(decision.legal, (text) => text.split(":")[0]) : new Map([["", decision.legal]]);
  const part = (text) => pack.text(text.slice(text.indexOf(":") + 1));
  const chosen = (text) => text === decision.action;
  const item = (text, content) => el("li", { class: chosen(text) ? "action chosen" : "action", "aria-current": chosen(text) ? "true" : null }, content, chosen(text) && el("span", { class: "visually-hidden" }, " (chosen)"));
  const rows = [...kinds].map(([kind, texts]) => el("div", { class: "kind" }, el("span", { class: "label" }, kind), el("ul", {}, texts.map((text) => item(text, text.includes(":") ? part(text) : text)))));
  const played = decision.legal.includes(decision.action) ? null : el("p", {}, "answered ", el("b", {}, pack.text(decision.action)), ", ", decision.note);
  const { cost } = decision;
  const loss = cost && el("p", { class: cost.mistake ? "cost mistake" : "cost" }, cost.mistake ? el("b", {}, "▲ mistake: ") : null, `loss ${cost.loss.toFixed(1)} ±${(1.96 * cost.error).toFixed(1)} points %`, cost.best !== decision.action && [", best ", el("b", {}, pack.text(cost.best.replace(":", " ")))]);
  const count = decision.legal.length === 1 ? "has no choice" : `can choose from ${decision.legal.length}`;
  return [el("p", {}, el("b", {}, who), ` ${count}`, decision.note && el("span", { class: decision.fault ? "note bad" : "note" }, ` – ${decision.note}`)), ...rows, played, loss];
}

// The match from left to right: rounds, the curve of expected points, faults and mistakes, and where we are.
export function timeline(match, watcher, rounds, word, go) {
  const place = (at) => (match.last === 1 ? 0 : ((at - 1) / (match.last - 1)) * 100);
  const bands = rounds.slice(0, -1).map((start, i) => el("span", { class: "band", title: `${word} ${i + 1}`, style: { left: `${place(start)}%`, width: `${place(rounds[i + 1]) - place(start)}%` } }, rounds.length < 26 ? String(i + 1) : ""));
  const seats = watcher === EVERYONE ? match.seats : [watcher];
  const costs = match.data.costs.filter(({ seat }) => seats.includes(seat));
  const curves = seats.map((seat) => {
    const points = costs.filter((cost) => cost.seat === seat).map(({ decision, expected }) => `${place(decision)},${100 - expected}`);
    return points.length ? svg("polyline", { class: `curve series-${seat % 8}`, points: points.join(" ") }) : null;
  });
  const mark = (at, kind, sign, title) => el("button", { type: "button", class: `sign ${kind}`, tabindex: "-1", title, "aria-label": title, style: { left: `${place(at)}%` }, on: { click: () => go(at) } }, sign);
  const faults = match.data.faults.map(({ seat, kind, decision }) => mark(Math.max(1, Math.min(decision, match.last)), "bad", "●", `${kind} of ${match.names[seat]} at decision ${decision}`));
  const mistakes = costs.filter(({ mistake }) => mistake).map(({ decision, loss, seat }) => mark(decision, "mistake", "▲", `mistake of ${match.names[seat]} at decision ${decision}: ${loss.toFixed(1)} points %`));
  const now = el("span", { class: "now" });
  const drawn = curves.filter(Boolean);
  const chart = drawn.length ? svg("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" }, svg("line", { class: "half", x1: 0, x2: 100, y1: 50, y2: 50 }), ...drawn) : null;
  const legend = drawn.length ? el("div", { class: "legend" }, "expected points: ", seats.map((seat) => el("span", { class: `series-${seat % 8}` }, el("i", {}), match.names[seat]))) : null;
  const strip = el("div", { class: drawn.length ? "strip tall" : "strip" }, bands, chart, now, faults, mistakes);
  const move = (event) => go(1 + Math.round(((event.clientX - strip.getBoundingClientRect().x) / strip.clientWidth) * (match.last - 1)));
  strip.addEventListener("pointerdown", (event) => event.target.closest("button") || move(event));
  strip.addEventListener("pointermove", (event) => event.buttons && !event.target.closest("button") && move(event));
  return { element: el("div", { class: "timeline" }, strip, legend), mark: (at) => now.style.setProperty("left", `${place(at)}%`) };
}
