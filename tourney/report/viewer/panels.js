// What stands beside the table: the events, the legal actions, and the timeline with the curve of expected points.

import { EVERYONE } from "./data.js";
import { el, svg, words } from "./elements.js";

// The list of events, which goes in step with the table; without the kinds of events that the table shows itself.
export class Story {
  constructor(list, match, pack, onTable, go) {
    Object.assign(this, { list, match, pack, onTable, go });
  }

  show(watcher) {
    const told = this.match.story(watcher).filter(({ kind }) => !this.onTable.includes(kind));
    this.rows = told.map((item) => {
      const row = item.kind === "decision" ? this.decision(item) : this.event(item);
      return { item, row, text: `${row.textContent} ${item.action ?? item.text}`.toLowerCase() };
    });
    this.list.replaceChildren(...this.rows.map(({ row }) => row));
  }

  decision({ number, seat, action, note, fault, cost }) {
    const { pack, match } = this;
    const width = `${String(match.last - 1).length}ch`;
    return el(
      "li",
      { class: "act", on: { click: () => this.go(number) } },
      el("span", { class: "number", style: { "min-width": width } }, number),
      el(
        "span",
        {},
        [el("span", { class: "who", dir: "auto" }, match.names[seat]), " ", pack.text(words(action)), " "],
        fault && el("span", { class: "sign bad", title: "fault" }, "● "),
        cost?.mistake && el("span", { class: "sign mistake", title: "mistake" }, "▲ "),
        note && el("span", { class: fault ? "note bad" : "note" }, pack.text(note)),
      ),
    );
  }

  event({ kind, number, text }) {
    const isDeal = kind === "deal";
    const click = () => this.go(isDeal ? number + 1 : number + 0.5);
    const attributes = { class: isDeal ? "heading" : "event", on: { click } };
    return el("li", attributes, el("span", {}, this.pack.text(text)));
  }

  // Marks the decision that is about to be made, and scrolls to it.
  mark(at) {
    let there = this.list.lastElementChild;
    for (const { item, row } of [...this.rows].reverse()) {
      const isOf = at % 1 ? !["decision", "deal"].includes(item.kind) : item.kind === "decision";
      const current = isOf && item.number === Math.floor(at);
      row.classList.toggle("current", current);
      row.classList.toggle("later", item.number >= at && !current);
      row.toggleAttribute("aria-current", current);
      if (item.number >= at) there = row;
    }
    if (there) this.list.scrollTop = there.offsetTop - this.list.clientHeight / 2;
  }

  // Returns the next moment after one (or before it) whose event holds the text, from the other end on if need be.
  find(text, at, back) {
    const hits = this.rows.filter((row) => row.text.includes(text.toLowerCase()));
    const moments = hits.map(({ item }) => (item.kind === "decision" ? item.number : item.number + 1));
    if (back) return moments.findLast((moment) => moment < at) ?? moments.at(-1);
    return moments.find((moment) => moment > at) ?? moments[0];
  }
}

// What could be done at a decision, with what was: actions of one kind together.
export function legalActions(decision, pack, names) {
  if (!decision) return [el("p", { class: "quiet" }, "nothing is seen of this decision")];
  const { seat, action, legal, fault, cost } = decision;
  const note = decision.note && el("span", { class: fault ? "note bad" : "note" }, " – ", pack.text(decision.note));
  const head = (...said) => el("p", {}, el("b", { dir: "auto" }, names[seat]), " ", ...said, note || "");
  if (!legal.length) {
    return [head(...pack.text(words(action))), el("p", { class: "quiet" }, "what else it could do is not seen")];
  }
  const kinds = new Map();
  for (const text of legal) {
    const kind = text.includes(":") ? text.slice(0, text.indexOf(":")) : "";
    kinds.set(kind, [...(kinds.get(kind) ?? []), text]);
  }
  const item = (text) => {
    const said = pack.text(text.slice(text.indexOf(":") + 1));
    if (text !== action) return el("li", { class: "action" }, said);
    return el("li", { class: "action chosen" }, said, el("span", { class: "visually-hidden" }, " (chosen)"));
  };
  const row = ([kind, texts]) => {
    return el("div", { class: "kind" }, kind && el("span", { class: "label" }, kind), el("ul", {}, texts.map(item)));
  };
  const count = legal.length === 1 ? "has no choice" : `can choose from ${legal.length}`;
  const answered = !legal.includes(action) && el("p", {}, "answered ", el("b", {}, pack.text(words(action))));
  return [head(count), ...[...kinds].map(row), answered, cost && loss(cost, action, pack)].filter(Boolean);
}

function loss(cost, action, pack) {
  const best = cost.best !== action && [", best ", el("b", {}, pack.text(words(cost.best)))];
  const estimate = `loss ${cost.loss.toFixed(1)} ±${cost.error.toFixed(1)} points %`;
  const verdict = cost.mistake && el("b", {}, "▲ mistake: ");
  const title = "the best action less the chosen one, over imagined worlds, ± the standard error";
  return el("p", { class: cost.mistake ? "cost mistake" : "cost", title }, verdict, estimate, best);
}

// The match from left to right: rounds, the curve of expected points, faults and mistakes, and where we are.
export function timeline(match, watcher, rounds, word, go) {
  const { data, names, last } = match;
  const place = (at) => `${last === 1 ? 0 : ((at - 1) / (last - 1)) * 100}%`;
  const named = rounds.length < 8; // else there is room for numbers only
  let labelled = -Infinity;
  const bands = rounds.slice(0, -1).map((start, i) => {
    const hasRoom = start - labelled >= (named ? 0.13 : 0.05) * (last - 1);
    if (hasRoom) labelled = start;
    const label = hasRoom && rounds.length > 2 ? `${named ? `${word} ` : ""}${i + 1}` : "";
    const style = { left: place(start), width: `calc(${place(rounds[i + 1])} - ${place(start)})` };
    return el("span", { class: "band", title: `${word} ${i + 1}`, style }, label);
  });
  const seats = watcher === EVERYONE ? match.seats : [watcher];
  const costs = data.costs.filter(({ seat }) => seats.includes(seat));
  const mark = (at, kind, sign, title) => {
    const attributes = { type: "button", class: `sign ${kind}`, tabindex: "-1", title, "aria-label": title };
    return el("button", { ...attributes, style: { left: place(at) }, on: { click: () => go(at) } }, sign);
  };
  const at = (decision) => Math.max(1, Math.min(decision, last));
  const faults = data.faults.map(({ seat, kind, decision, what }) => {
    return mark(at(decision), "bad", "●", `${names[seat]}: ${kind}, ${data.texts[what]}`);
  });
  const mistakes = costs.filter(({ mistake }) => mistake).map(({ seat, decision, loss }) => {
    const what = `${names[seat]}: mistake at decision ${decision}, ${loss.toFixed(1)} points %`;
    return mark(decision, "mistake", "▲", what);
  });
  const now = el("span", { class: "now" });
  const chart = costs.length > 0 && curves(seats, costs, last);
  const strip = el("div", { class: chart ? "strip tall" : "strip" }, bands, chart, now, faults, mistakes);
  const move = ({ clientX, buttons, target }) => {
    const { x, width } = strip.getBoundingClientRect();
    if (buttons && !target.closest("button")) go(1 + Math.round(((clientX - x) / width) * (last - 1)));
  };
  for (const kind of ["pointerdown", "pointermove"]) strip.addEventListener(kind, move);
  const series = (seat) => el("span", { class: `series-${seat % 8}`, dir: "auto" }, el("i", {}), names[seat]);
  const legend = chart && el("div", { class: "legend" }, "expected points", seats.map(series));
  return { element: el("div", {}, strip, legend), mark: (moment) => now.style.setProperty("left", place(moment)) };
}

function curves(seats, costs, last) {
  const lines = seats.map((seat) => {
    const own = costs.filter((cost) => cost.seat === seat);
    const points = own.map(({ decision, expected }) => `${((decision - 1) / (last - 1)) * 100},${100 - expected}`);
    return svg("polyline", { class: `curve series-${seat % 8}`, points: points.join(" ") });
  });
  const half = svg("line", { class: "half", x1: 0, x2: 100, y1: 50, y2: 50 });
  return svg("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" }, half, ...lines);
}
