// The table seen from above: seats on an ellipse, the watched one at the bottom, with the layout's elements.

import { EVERYONE } from "./data.js";
import { counted, el, svg } from "./elements.js";

// A moment of a match for a layout, with helpers for drawing.
export class Scene {
  constructor(match, pack, layout, watcher, at) {
    this.match = match;
    this.pack = pack;
    this.layout = layout;
    this.watcher = watcher; // a seat, or EVERYONE
    this.at = at;
    this.names = match.names;
    this.over = at === match.last && !match.goesOn;
    const number = Math.floor(at);
    this.outcome = number < at;
    this.last = this.outcome ? match.decision(watcher, number) : null; // the decision before this outcome
    this.events = this.outcome ? match.after(watcher, number) : []; // and its effects
    // At the end of a round, the next deal follows at once, so the views are from before the last decision; `next` is
    // the following scene, which knows the round's result.
    this.next = this.outcome && match.closes(watcher, number) ? new Scene(match, pack, layout, watcher, number + 1) : null;
    this.moment = this.outcome && !this.next ? number + 1 : number; // the moment of the views
    this.views = match.views(watcher, this.moment); // by seat; null for hidden ones
    this.bottom = watcher === EVERYONE ? match.seats[0] : watcher; // the seat at the bottom
    this.view = this.views[this.bottom]; // for what all seats see alike
    this.decision = this.outcome ? null : match.decision(watcher, at); // see Match.decision; null if it is not noticed
  }

  // Its effects in words, without deals and the gains shown at the seats.
  told() {
    const left = this.events.filter(({ kind, gains }) => !["deal", "learned"].includes(kind) && !gains);
    return left.map(({ text }) => text);
  }

  // The cards of a hand, sorted; the next one played stands out, and illegal ones are dim.
  hand(seat, cards, { unsorted = false } = {}) {
    const { pack, decision, layout: { as } } = this;
    const mine = decision?.seat === seat;
    const legal = new Set(mine ? decision.legal.map(as) : []);
    const chosen = mine ? (decision.card ?? as(decision.action)) : null;
    const some = cards.some((card) => legal.has(card));
    const gone = this.next && this.last?.seat === seat ? cards.indexOf(as(this.last.action)) : -1;
    const left = cards.filter((_, i) => i !== gone);
    const look = (card) => {
      if (card !== null && card === chosen) return { class: "chosen", title: "chosen" };
      return { class: some && card !== null && !legal.has(card) ? "dim" : "" };
    };
    return fan((unsorted ? left : pack.sorted(left)).map((card) => this.card(card, look(card))));
  }

  // Cards face down.
  backs(count) {
    const label = `${count} hidden ${count === 1 ? "card" : "cards"}`;
    const back = () => el("span", { class: "slot" }, el("span", { class: "card back" }));
    return el("div", { class: "fan", role: "img", "aria-label": label }, Array.from({ length: count }, back));
  }

  // A finished trick, for `trick`: plays are [seat, card, options of the card]; the winner's card stands out.
  finished(plays, winner) {
    return plays.map(([seat, card, options = {}]) => {
      const won = seat === winner;
      const content = this.card(card, { ...options, class: won ? "past won" : "past" });
      return { seat, content, won, label: won && this.names.length < 7 ? `${this.names[seat]} took it` : undefined };
    });
  }

  // A card drawn by Pack.card; its effect is shown on hover and on focus. At the watcher's own decision, a card of a legal
  // action is a button, unless options.inert.
  card(name, options = {}) {
    const meaning = this.meaning(name);
    const title = [options.title, meaning].filter(Boolean).join("; ") || undefined;
    const needed = !options.inert && this.decision?.open?.some((each) => each.card === name);
    const card = this.pack.card(name, { ...options, title, needed });
    if (meaning) card.tabIndex = 0;
    return card;
  }

  // The game's explanation of a card or another word, if any.
  meaning(name) {
    const { glossary } = this.match.data;
    return glossary[name] ?? glossary[this.pack.cards.get(name)?.rank];
  }

  suit(name) {
    return this.pack.suit(name);
  }

  // A labelled value, such as `tricks 3`. kind: good, bad or nothing.
  chip(label, value, kind = "", title = undefined) {
    const name = label && [el("span", { class: "label" }, label), " "];
    return el("span", { class: `chip ${kind}`, title }, name, el("b", {}, value));
  }

  // Something in the middle of the table, with a label below.
  fact(label, ...content) {
    return el("figure", { class: "fact" }, el("div", {}, content), el("figcaption", {}, label));
  }
}

// Cards side by side, overlapping if there is little room.
export function fan(cards) {
  return el("div", { class: "fan" }, cards.map((card) => el("span", { class: "slot" }, card)));
}

// A seat's position: how many seats from the bottom, clockwise, and its direction from the middle.
function direction({ names, bottom }, seat) {
  const count = names.length;
  const turn = (seat - bottom + count) % count;
  const angle = Math.PI / 2 + (2 * Math.PI * turn) / count;
  return { turn, x: Math.cos(angle), y: Math.sin(angle) };
}

// The rows between the upper and the lower seats.
const sideRows = (count) => (count < 4 ? 0 : count < 9 ? 1 : Math.ceil(count / 2) - 3);

const lowest = (count) => Math.max(1, sideRows(count)) + 2;

// Seats lie around the middle, in a grid of six columns; from seven seats on, three of them in the lowest row.
function wide(turn, count) {
  const sides = sideRows(count);
  const low = count < 7 ? 0 : 1;
  const isRight = turn > count / 2;
  const near = isRight ? count - turn : turn;
  if (turn === 0) return `${lowest(count)} / ${low ? "3 / auto / 5" : "1 / auto / -1"}`;
  if (near <= low + sides) return `${lowest(count) - Math.max(0, near - low)} / ${isRight ? 5 : 1} / auto / span 2`;
  const span = 6 / (count - 1 - 2 * (low + sides));
  return `1 / ${1 + (turn - 1 - low - sides) * span} / auto / span ${span}`;
}

// In a narrow window, seats are in two columns in the same order, and the bottom one is below them and the middle.
function narrow(turn, count) {
  const rows = Math.ceil((count - 1) / 2);
  const left = Math.floor((count - 1) / 2);
  if (turn === 0) return `${rows + 2} / 1 / auto / -1`;
  if (turn <= left) return `${rows + 1 - turn} / 1`;
  return `${turn - left} / ${turn === left + 1 && count % 2 === 0 ? "1 / auto / -1" : 2}`;
}

// Draws a moment. layouts/vole.js describes layouts.
export function drawTable(felt, scene, layout) {
  const count = scene.names.length;
  felt.className = `felt ${count > 6 ? "many" : count > 4 ? "several" : count > 2 ? "few" : "few two"}`;
  felt.style.setProperty("--sides", lowest(count) - 2);
  felt.style.setProperty("--rows", Math.ceil((count + 1) / 2));
  felt.replaceChildren(...scene.names.map((_, seat) => drawSeat(scene, layout, seat)), drawMiddle(scene, layout));
  drawArrows(felt, layout.arrows(scene));
}

function drawSeat(scene, layout, seat) {
  const name = scene.names[seat];
  const count = scene.names.length;
  const { turn } = direction(scene, seat);
  const moves = scene.decision?.seat === seat;
  const out = scene.match.data.faults.some((fault) => fault.seat === seat && fault.decision < scene.at);
  const gain = scene.outcome && layout.gain(scene, seat);
  const aimed = scene.decision?.open?.some((each) => each.seat === seat);
  const called = { class: "name", title: name, dir: "auto" };
  const aim = { type: "button", "data-aim": seat, "aria-pressed": scene.decision?.aim === seat };
  const placed = wide(turn, count);
  const kinds = { moves, out, bottom: turn === 0, high: placed.startsWith("1 "), low: Number.parseInt(placed, 10) === lowest(count) };
  return el(
    "section",
    {
      class: ["seat", ...Object.keys(kinds).filter((kind) => kinds[kind])].join(" "),
      "data-seat": seat,
      "aria-label": `seat ${seat}, ${name}`,
      style: { "--wide": placed, "--narrow": narrow(turn, count) },
    },
    el(
      "div",
      { class: "plate" },
      aimed ? el("button", { ...called, ...aim }, name) : el("b", called, name),
      moves && el("span", { class: "chip turn", title: "to move" }, count > 6 ? "▸" : "to move"),
      out && el("span", { class: "chip bad", title: "its bot made a fault; random moves from here on" }, "out"),
      layout.chips(scene, seat),
    ),
    layout.seat(scene, seat),
    gain && el("p", { class: "gain" }, scene.pack.text(gain)),
  );
}

function drawMiddle(scene, layout) {
  const count = scene.names.length;
  const [rows, sides] = [Math.ceil((count - 1) / 2), sideRows(count)];
  const place = { "--wide": `2 / ${sides ? 3 : 1} / ${lowest(count)} / ${sides ? 5 : -1}`, "--narrow": `${rows + 1} / 1 / auto / -1` };
  const facts = el("div", { class: "facts" }, scene.over && standings(scene, layout), layout.middle(scene));
  return el("div", { class: "middle", style: place }, facts, !scene.over && drawTrick(scene, layout.trick(scene)));
}

// The cards of a trick in two rows, each towards its seat and where it stays while others join it.
function drawTrick(scene, plays) {
  if (!plays) return null;
  const seats = scene.names.map((_, seat) => ({ seat, ...direction(scene, seat) })).sort((one, other) => one.x - other.x);
  const isFar = ({ y }) => seats.length > 2 && y < -0.01;
  const rows = [seats.filter(isFar), seats.filter((seat) => !isFar(seat))];
  const most = Math.max(...rows.map((row) => row.length));
  const played = plays.map(({ seat, content, label, won }) => {
    const row = rows.findIndex((each) => each.some((other) => other.seat === seat));
    const column = most - rows[row].length + 2 * rows[row].findIndex((other) => other.seat === seat) + 1;
    const style = { "grid-area": `${row + 1} / ${column} / auto / span 2` };
    const attributes = { class: won ? "played winner" : "played", "data-from": seat, style };
    return el("figure", attributes, content, el("figcaption", { dir: "auto" }, label ?? scene.names[seat]));
  });
  return el("div", { class: "trick", style: { "--columns": 2 * most } }, played);
}

// The seats at the end of the match, best place first.
function standings({ names, match: { data } }, { scored }) {
  const order = names.map((_, seat) => seat).sort((a, b) => data.places[a] - data.places[b]);
  const score = (seat) => el("b", {}, counted(data.scores[seat], scored));
  const row = (seat) => el("li", {}, `${data.places[seat]}. `, score(seat), " ", names[seat]);
  return el("ol", { class: "places", dir: "auto" }, order.map(row));
}

const BENDS = [0, 0.3, -0.3, 0.6, -0.6, 1, -1]; // of an arrow, by its length

const sidesOf = ({ left, top, right, bottom }) => {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return [[x, top], [right, y], [x, bottom], [left, y]];
};

// Draws arrows between seats: [{ from, to, label }]. Each goes from side to side where it crosses least of what lies on
// the table, and has its label where there is room.
export function drawArrows(felt, arrows) {
  felt.querySelector(".arrows")?.remove();
  if (!arrows.length) return;
  const frame = felt.getBoundingClientRect();
  const boxOf = (element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return new DOMRect(x - frame.x, y - frame.y, width, height);
  };
  const lying = [...felt.querySelectorAll(".seat > *, .fact, .played, .facts > p, .places")].map(boxOf);
  const isFree = ([x, y], width = 4, height = 4) => {
    const [left, right, top, bottom] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2];
    if (left < 0 || top < 0 || right > frame.width || bottom > frame.height) return false;
    return !lying.some((box) => left < box.right && box.left < right && top < box.bottom && box.top < bottom);
  };
  const letter = Number.parseFloat(getComputedStyle(felt.firstChild).fontSize);
  const drawn = arrows.flatMap(({ from, to, label = "" }) => {
    const [starts, ends] = [from, to].map((seat) => sidesOf(boxOf(felt.querySelector(`[data-seat="${seat}"]`))));
    const ways = starts.flatMap((start) => ends.flatMap((end) => BENDS.map((bend) => {
      const [[x1, y1], [x2, y2]] = [start, end];
      const [x, y] = [(x1 + x2) / 2 + (y1 - y2) * bend, (y1 + y2) / 2 + (x2 - x1) * bend];
      const at = (t) => [x1, y1].map((_, i) => start[i] * (1 - t) ** 2 + 2 * [x, y][i] * t * (1 - t) + end[i] * t ** 2);
      const crossed = Array.from({ length: 19 }, (_, i) => at((i + 1) / 20)).filter((point) => !isFree(point)).length;
      const length = Math.hypot(x - x1, y - y1) + Math.hypot(x2 - x, y2 - y);
      return { at, cost: crossed * frame.width + length, path: `M${x1} ${y1}Q${x} ${y} ${x2} ${y2}` };
    })));
    const { at, path } = ways.reduce((best, way) => (way.cost < best.cost ? way : best));
    const place = [0.5, 0.4, 0.6, 0.3, 0.7].map(at).find((point) => isFree(point, label.length * letter * 0.65, letter * 1.3));
    const text = place && svg("text", { x: place[0], y: place[1] + letter / 3 }, label);
    return [svg("path", { class: "arrow", d: path, "marker-end": "url(#arrowhead)" }), text ?? ""];
  });
  const size = { viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto" };
  const head = svg("marker", { id: "arrowhead", ...size }, svg("path", { d: "M0 0 10 5 0 10z" }));
  felt.append(svg("svg", { class: "arrows", "aria-hidden": "true" }, svg("defs", {}, head), ...drawn));
}

// Redraws; moved cards fly to their new place, unless motion is disabled.
export function fly(felt, draw, duration) {
  const before = new Map();
  for (const card of felt.querySelectorAll("[data-fly]")) before.set(card.dataset.fly, card.getBoundingClientRect());
  draw();
  if (!duration || !matchMedia("(prefers-reduced-motion: no-preference)").matches) return;
  for (const card of felt.querySelectorAll("[data-fly]")) {
    const giver = felt.querySelector(`[data-seat="${card.closest("[data-from]")?.dataset.from}"]`);
    const from = before.get(card.dataset.fly) ?? giver?.getBoundingClientRect();
    const to = card.getBoundingClientRect();
    if (!from || Math.hypot(from.x - to.x, from.y - to.y) < 2) continue;
    const start = `translate(${from.x - to.x}px, ${from.y - to.y}px)`;
    card.animate([{ transform: start }, { transform: "none" }], { duration, easing: "ease-out" });
  }
}
