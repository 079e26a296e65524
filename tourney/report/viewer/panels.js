// The panels next to the table: events, legal actions, and the timeline with its curves.

import { el, svg } from "./elements.js";
import { costsOf, GRADES, scoresOf } from "./highlights.js";

const CHUNK = 400; // rows of the list made at a time: a short match has them all at once

// The list of events, in step with the table; without the kinds of events shown on the table. Its rows are made as it
// is scrolled.
export class Story {
  constructor(list, match, pack, onTable, go) {
    Object.assign(this, { list, match, pack, onTable, go });
    list.onscroll = () => this.reach();
    list.style.setProperty("overflow-anchor", "none"); // rows made above must not move it twice
  }

  show(watcher) {
    this.items = this.match.story(watcher).filter(({ kind }) => !this.onTable.includes(kind));
    this.texts = null;
    this.at = 0;
    this.begin(0);
  }

  // Makes the rows around an item.
  begin(item) {
    this.from = this.to = Math.max(0, item - CHUNK / 2);
    this.list.replaceChildren(...this.rows(CHUNK));
  }

  // Makes and adds up to that many rows after the present ones.
  rows(count) {
    const items = this.items.slice(this.to, this.to + count);
    this.to += items.length;
    return items.map((item) => this.painted(this.row(item), item));
  }

  reach() {
    const { list, from } = this;
    const left = list.scrollHeight - list.scrollTop - list.clientHeight;
    if (left < list.clientHeight) list.append(...this.rows(CHUNK));
    if (list.scrollTop >= list.clientHeight || !from) return;
    this.from = Math.max(0, from - CHUNK);
    const bottom = list.scrollHeight - list.scrollTop;
    list.prepend(...this.items.slice(this.from, from).map((item) => this.painted(this.row(item), item)));
    list.scrollTop = list.scrollHeight - bottom;
  }

  row(item) {
    return item.kind === "decision" ? this.decision(item) : this.event(item);
  }

  painted(row, { kind, number }) {
    const isOf = this.at % 1 ? !["decision", "deal"].includes(kind) : kind === "decision";
    const current = isOf && number === Math.floor(this.at);
    row.classList.toggle("current", current);
    row.classList.toggle("later", number >= this.at && !current);
    row.toggleAttribute("aria-current", current);
    return row;
  }

  decision({ number, seat, said, note, fault, cost }) {
    const { pack, match } = this;
    const width = `${String(match.last - 1).length}ch`;
    return el(
      "li",
      { class: "act", on: { click: () => this.go(number) } },
      el("span", { class: "number", style: { "min-width": width } }, number),
      el(
        "span",
        {},
        [el("span", { class: "who", dir: "auto" }, match.names[seat]), pack.text(said), " "],
        fault && el("span", { class: "sign bad", title: "fault" }, "● "),
        cost?.mistake > 0 && graded(cost),
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

  // Marks the next decision, and scrolls to it.
  mark(at) {
    this.at = at;
    const next = this.items.findIndex(({ number }) => number >= at);
    const there = next < 0 ? this.items.length - 1 : next;
    if (there < this.from || there >= this.to) this.begin(there);
    else [...this.list.children].forEach((row, i) => this.painted(row, this.items[this.from + i]));
    const row = this.list.children[there - this.from];
    if (row) this.list.scrollTop = row.offsetTop - this.list.clientHeight / 2;
  }

  // The next (or previous) moment with an event that contains the text, wrapping around.
  find(text, at, back) {
    this.texts ??= this.items.map((item) => `${this.row(item).textContent} ${item.said ?? item.text}`.toLowerCase());
    const hits = this.items.filter((_, i) => this.texts[i].includes(text.toLowerCase()));
    const moments = hits.map(({ kind, number }) => (kind === "decision" ? number : number + 1));
    if (back) return moments.findLast((moment) => moment < at) ?? moments.at(-1);
    return moments.find((moment) => moment > at) ?? moments[0];
  }
}

function graded({ mistake }) {
  const [sign, title] = GRADES[mistake];
  return el("span", { class: "sign mistake", title }, `${sign} `);
}

// The legal actions of a decision, and the chosen one; actions of one kind together. whatIf makes a button of each action
// that it can continue from.
export function legalActions(decision, pack, names, whatIf) {
  if (!decision) return [el("p", { class: "quiet" }, "this decision is hidden")];
  const { seat, action, said, label, choices, fault, cost } = decision;
  const note = decision.note && el("span", { class: fault ? "note bad" : "note" }, " – ", pack.text(decision.note));
  const head = (said) => el("p", {}, el("b", { dir: "auto" }, names[seat]), pack.text(said), note || "");
  if (!choices.length) return [head(said), el("p", { class: "quiet" }, "its other actions are hidden")];
  const kinds = new Map();
  for (const each of choices) {
    const kind = each.rest && each.lead;
    kinds.set(kind, [...(kinds.get(kind) ?? []), each]);
  }
  const item = ({ text, lead, rest }) => {
    const shown = whatIf.button(decision, text, pack.text(rest || lead));
    if (text !== action) return el("li", { class: "action" }, shown);
    return el("li", { class: "action chosen" }, shown, el("span", { class: "visually-hidden" }, " (chosen)"));
  };
  const row = ([kind, items]) => {
    return el("div", { class: "kind" }, kind && el("span", { class: "label" }, kind), el("ul", {}, items.map(item)));
  };
  const rows = () => (cost?.values.length ? valued(decision, pack, whatIf) : [...kinds].map(row));
  const count = choices.length === 1 ? " has no choice" : ` can choose from ${choices.length}`;
  const answered = choices.every(({ text }) => text !== action) && el("p", {}, "answered ", el("b", {}, pack.text(label)));
  return [head(count), answered, cost && loss(cost, action, pack), ...rows()].filter(Boolean);
}

// The actions with their estimated points, best first, and the 95 % interval of each.
function valued(decision, pack, whatIf) {
  const { labels, values } = decision.cost;
  const share = (value) => Math.max(0, Math.min(100, value));
  const rows = [...values].sort(([, a], [, b]) => b - a).map(([text, value, error]) => {
    const mine = text === decision.action;
    const label = pack.text(labels.get(text) ?? text);
    const said = [whatIf.button(decision, text, label), mine && el("span", { class: "visually-hidden" }, " (chosen)")];
    const known = typeof error === "number";
    const ends = known ? [share(value - 1.96 * error), share(value + 1.96 * error)] : [value, value];
    const [low, high] = ends.map((end) => `${end}%`);
    const bar = el("i", { class: "bar", style: { "--value": `${share(value)}%`, "--low": low, "--high": high } });
    const range = known && [" ", el("small", {}, ends.map((end) => end.toFixed(0)).join(" to "))];
    return el("li", { class: mine ? "chosen" : "" }, el("span", {}, said), bar, el("span", {}, value.toFixed(0), range), whatIf.watchButton(decision, text));
  });
  const unit = values.some(([, , error]) => typeof error === "number") ? "points %, 95 % interval" : "points %";
  return [el("p", { class: "quiet unit", title: "estimated over imagined worlds" }, unit), el("ol", { class: "values" }, rows)];
}

function loss(cost, action, pack) {
  const best = cost.best !== action && [", best ", el("b", {}, pack.text(cost.labels.get(cost.best) ?? cost.best))];
  const estimate = `loss ${cost.loss.toFixed(1)} ±${cost.error.toFixed(1)} points %`;
  const verdict = cost.mistake > 0 && el("b", {}, `${GRADES[cost.mistake].join(" ")}: `);
  const title = "best action minus chosen one, over imagined worlds, ± standard error";
  return el("p", { class: cost.mistake ? "cost mistake" : "cost", title }, verdict, estimate, best);
}

// The match from left to right: rounds, curves, faults, mistakes, and the current moment. The curves are each seat's
// expected points, if analysed or noted by its bot, otherwise the scores.
export function timeline(match, watcher, layout, rounds, word, go) {
  const { data, names, last } = match;
  const share = (at) => (last === 1 ? 0 : (at - 1) / (last - 1));
  const place = (at) => `${share(at) * 100}%`;
  const named = rounds.length < 8; // otherwise only numbers fit
  let labelled = -Infinity;
  const bands = rounds.slice(0, -1).map((start, i) => {
    const hasRoom = start - labelled >= (named ? 0.13 : 0.05) * (last - 1);
    if (hasRoom) labelled = start;
    const label = hasRoom && rounds.length > 2 ? `${named ? `${word} ` : ""}${i + 1}` : "";
    const style = { left: place(start), width: `calc(${place(rounds[i + 1])} - ${place(start)})` };
    return el("span", { class: "band", title: `${word} ${i + 1}`, style }, label);
  });
  const costs = costsOf(match, watcher);
  const mark = (at, kind, sign, title) => {
    const attributes = { type: "button", class: `sign ${kind}`, tabindex: "-1", title, "aria-label": title };
    return el("button", { ...attributes, style: { "--at": place(at) }, on: { click: () => go(at) } }, sign);
  };
  const at = (decision) => Math.max(1, Math.min(decision, last));
  const faults = data.faults.map(({ seat, kind, decision, what }) => {
    return mark(at(decision), "bad", "●", `${names[seat]}: ${kind}, ${data.texts[what]}`);
  });
  const mistakes = costs.filter(({ mistake }) => mistake).map(({ seat, decision, loss, mistake }) => {
    const [sign, grade] = GRADES[mistake];
    return mark(decision, "mistake", sign, `${names[seat]}: ${grade} at decision ${decision}, ${loss.toFixed(1)} points %`);
  });
  const now = el("span", { class: "now" });
  const noted = match.expected(watcher);
  const chart = costs.length || noted.length ? expectations(match, costs, noted) : scoreChart(match, scoresOf(match, watcher, layout), layout.scored);
  const strip = el("div", { class: "strip" }, bands, chart && curves(chart, share), now, faults, mistakes);
  const values = chart ? chart.lines.map(() => el("b", { class: "value" })) : [];
  const show = (moment) => values.forEach((value, i) => value.replaceChildren(chart.text(chart.lines[i], moment)));
  let current = 1;
  const under = ({ clientX }) => {
    const { x, width } = strip.getBoundingClientRect();
    return Math.max(1, Math.min(last, 1 + Math.round(((clientX - x) / width) * (last - 1))));
  };
  const move = (event) => {
    show(under(event));
    strip.style.setProperty("--hover", place(under(event)));
    if (event.buttons && !event.target.closest("button")) go(under(event));
  };
  for (const kind of ["pointerdown", "pointermove"]) strip.addEventListener(kind, move);
  strip.addEventListener("pointerleave", () => show(current));
  const line = ({ seat, noted }, i) => {
    const own = noted ? [] : costs.filter((cost) => cost.seat === seat);
    const name = el("bdi", { title: names[seat] }, names[seat]);
    return el("span", { class: "series" }, swatch(seat, noted), name, noted ? " noted " : " ", values[i], own.length > 0 && summary(own));
  };
  const signs = GRADES.filter(Boolean).map(([sign, grade]) => `${sign} ${grade}`).join("  ");
  return {
    element: el(
      "div",
      { class: chart ? "chart" : "" },
      chart && el("div", { class: "legend" }, el("b", { title: chart.title }, chart.name), chart.lines.map(line)),
      chart && axis(chart),
      strip,
      mistakes.length > 0 && el("div", { class: "legend signs" }, signs),
    ),
    mark(moment) {
      current = Math.min(moment, last);
      now.style.setProperty("left", place(current));
      show(current);
    },
    // The current values as text.
    read: () => (chart ? chart.lines.map((each) => `${names[each.seat]} ${chart.text(each, current)}`).join(", ") : ""),
  };
}

// The numbers beside a chart.
export function axis({ ticks, height, tick }) {
  const numbers = ticks.map((value) => el("span", { style: { bottom: `${height(value)}%` } }, tick(value)));
  return el("div", { class: "axis", "aria-hidden": "true" }, numbers);
}

// A piece of a seat's line, for a legend.
export function swatch(seat, noted) {
  const attributes = { class: `swatch series-${seat % 10} ${noted ? "noted" : ""}`, "aria-hidden": "true" };
  return svg("svg", attributes, svg("line", { x1: 0, x2: 26, y1: 4, y2: 4 }));
}

// The cost of a seat's decisions in short.
function summary(costs) {
  const counts = GRADES.map((_, grade) => costs.filter(({ mistake }) => mistake === grade).length);
  const all = counts.slice(1).reduce((sum, count) => sum + count, 0);
  const graded = GRADES.flatMap((grade, i) => (grade && counts[i] ? [`${grade[0]} ${counts[i]}`] : [])).join(" ");
  const mean = costs.reduce((sum, { loss }) => sum + loss, 0) / costs.length;
  const title = "mean loss per decision with a choice, in points %";
  const mistakes = `${all} mistake${all === 1 ? "" : "s"}${all ? ` (${graded})` : ""}`;
  return el("span", { class: "quiet", title }, ` – ${mistakes}, mean loss ${mean.toFixed(1)}`);
}

// A chart has lines [{ seat, points: [[moment, value]] }], a text for the last value before a moment, and an axis.
function expectations({ names }, costs, noted) {
  const seats = [...new Set(costs.map(({ seat }) => seat))].sort((a, b) => a - b);
  const own = (seat) => costs.filter((cost) => cost.seat === seat);
  return {
    name: names.length === 2 ? "chance to win" : "expected points %",
    title: "from the seat's view; 100 is a sole first place; noted: from the bot's notes",
    lines: [...seats.map((seat) => ({ seat, points: own(seat).map(({ decision, expected }) => [decision, expected]) })), ...noted],
    ticks: [0, 50, 100],
    tick: (value) => `${value} %`,
    height: (value) => value,
    text: ({ points }, moment) => {
      const [, value] = points.findLast(([at]) => at <= moment) ?? points[0];
      return `${Math.round(value)} %`;
    },
  };
}

function scoreChart({ names, last }, scores, name) {
  if (!scores.length) return null;
  const all = scores.slice(1);
  const low = Math.min(0, ...all.map((each) => Math.min(...each)));
  const high = Math.max(low + 1, ...all.map((each) => Math.max(...each)));
  const changed = (seat) => all.flatMap((each, i) => {
    const at = i + 1;
    if (i && all[i - 1][seat] === each[seat]) return at === last ? [[at, each[seat]]] : [];
    return i ? [[at, all[i - 1][seat]], [at, each[seat]]] : [[at, each[seat]]];
  });
  return {
    name,
    title: "before each decision, and at the end",
    lines: names.map((_, seat) => ({ seat, points: changed(seat) })),
    ticks: low < 0 && high > 0 ? [low, 0, high] : [low, high],
    tick: String,
    height: (value) => ((value - low) / (high - low)) * 100,
    text: ({ seat }, moment) => String(scores[Math.ceil(moment)][seat]),
  };
}

// A chart's lines over a strip; share(moment) is where a moment lies, from 0 to 1.
export function curves({ lines, ticks, height }, share) {
  const across = ticks.map((tick) => {
    return svg("line", { class: "tick", x1: 0, x2: 100, y1: 100 - height(tick), y2: 100 - height(tick) });
  });
  const drawn = lines.map(({ seat, points, noted }) => {
    const at = points.map(([moment, value]) => `${share(moment) * 100},${100 - height(value)}`);
    return svg("polyline", { class: `curve series-${seat % 10} ${noted ? "noted" : ""}`, points: at.join(" ") });
  });
  return svg("svg", { viewBox: "0 -3 100 106", preserveAspectRatio: "none", "aria-hidden": "true" }, ...across, ...drawn);
}
