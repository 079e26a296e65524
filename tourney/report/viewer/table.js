// The table seen from above: seats on an ellipse, the watched one at the bottom; what a layout says lies before them.

import { EVERYONE } from "./data.js";
import { el, svg } from "./elements.js";

// A moment of a match as a layout is given it. See layouts/vole.js for how a layout is written.
export class Scene {
  constructor(match, pack, watcher, at) {
    this.match = match;
    this.pack = pack;
    this.watcher = watcher;
    this.at = at;
    this.names = match.names;
    this.over = at === match.last;
    this.views = match.views(watcher, at); // by seat; null for a seat that is not looked through
    this.bottom = watcher === EVERYONE ? match.seats[0] : watcher; // the seat at the bottom
    this.view = this.views[this.bottom]; // for what all seats see alike
    this.decision = match.decision(watcher, at); // the decision to be made: { seat, action, legal, … }; null if unseen
  }

  // The cards of a hand, sorted; the one about to be played stands out, and those that may not be are dim. as(text)
  // says which card of the hand an action needs, where that is not the one that it names.
  hand(seat, cards, { unsorted = false, as = (text) => text.slice(text.indexOf(":") + 1) } = {}) {
    const { pack, decision } = this;
    const mine = decision?.seat === seat;
    const legal = new Set(mine ? decision.legal.map(as) : []);
    const chosen = mine ? as(decision.action) : null;
    const some = cards.some((card) => legal.has(card));
    const look = (card) => (card === null ? {} : card === chosen ? { class: "chosen", title: "chosen" } : { class: some && !legal.has(card) ? "dim" : "" });
    return fan((unsorted ? cards : pack.sorted(cards)).map((card) => pack.card(card, look(card))));
  }

  // A trick that is over, for `trick`: plays are [seat, card, options of the card]; the winner's card stands out.
  finished(plays, winner) {
    return plays.map(([seat, card, options = {}]) => {
      const won = seat === winner;
      return { seat, content: this.card(card, { ...options, class: won ? "past won" : "past" }), label: won ? `${this.names[seat]} took it` : this.names[seat] };
    });
  }

  // So many cards face down.
  backs(count, title = "") {
    const known = Math.max(0, count);
    return el("div", { class: "fan backs", role: "img", "aria-label": `${known} hidden ${known === 1 ? "card" : "cards"}${title && `, ${title}`}` }, Array.from({ length: known }, () => el("span", { class: "slot", "aria-hidden": "true" }, el("span", { class: "card back" }))));
  }

  card(name, options) {
    return this.pack.card(name, options);
  }

  suit(name) {
    return this.pack.suit(name);
  }

  // A value with what it is: `tricks 3`. kind is a class: good, bad, or empty.
  chip(label, value, kind = "", title = undefined) {
    return el("span", { class: `chip ${kind}`, title }, el("span", { class: "label" }, label), " ", typeof value === "string" || typeof value === "number" ? el("b", {}, String(value)) : value);
  }

  // Something in the middle of the table, with what it is written below it.
  fact(label, ...content) {
    return el("figure", { class: "fact" }, el("div", {}, ...content), el("figcaption", {}, label));
  }

  words(text, kind = "words") {
    return el("span", { class: kind }, this.pack.text(text));
  }
}

export function fan(cards) {
  return el("div", { class: "fan" }, cards.map((card) => el("span", { class: "slot" }, card)));
}

// Where a seat lies: angles go clockwise from the bottom; values are parts of the ellipse's radii.
function direction(scene, seat) {
  const count = scene.names.length;
  const turn = (seat - scene.bottom + count) % count;
  const angle = Math.PI / 2 + (2 * Math.PI * turn) / count;
  const pushed = (value) => Math.sign(value) * Math.abs(value) ** 0.8;
  return { turn, x: pushed(Math.cos(angle)), y: pushed(Math.sin(angle)) };
}

// In a narrow window, seats stand in two columns in the same order, and the watched one stands below them.
function cell(turn, count) {
  const rows = Math.ceil((count - 1) / 2);
  if (turn === 0) return { row: rows + 2, column: "1 / -1" };
  const left = Math.floor((count - 1) / 2);
  if (turn <= left) return { row: rows + 1 - turn, column: "1" };
  if (turn === left + 1 && (count - 1) % 2) return { row: 1, column: "1 / -1" };
  return { row: turn - left, column: "2" };
}

export function drawTable(felt, scene, layout) {
  const count = scene.names.length;
  const mover = scene.decision ? scene.decision.seat : null;
  const seats = scene.names.map((name, seat) => {
    const { turn, x, y } = direction(scene, seat);
    const { row, column } = cell(turn, count);
    const out = scene.match.data.faults.some((fault) => fault.seat === seat && fault.decision < scene.at);
    const classes = ["seat", seat === mover && "moves", turn === 0 && "bottom", out && "out"].filter(Boolean).join(" ");
    return el(
      "section",
      { class: classes, "data-seat": seat, "aria-label": `seat ${seat}, ${name}`, style: { "--x": x, "--y": y, "grid-row": row, "grid-column": column } },
      el("div", { class: "plate" }, el("b", { class: "name", title: name, dir: "auto" }, name), seat === mover && el("span", { class: "chip turn" }, "to move"), out && el("span", { class: "chip bad", title: "its bot made a fault; the house moves for it" }, "out"), layout.chips(scene, seat)),
      layout.seat(scene, seat),
    );
  });
  const trick = layout.trick(scene).map(({ seat, content, label }) => {
    const { x, y } = direction(scene, seat);
    return el("figure", { class: "played", "data-from": seat, style: { "--x": x, "--y": y } }, content, el("figcaption", { dir: "auto" }, label ?? scene.names[seat]));
  });
  const rows = Math.ceil((count - 1) / 2);
  const middle = el("div", { class: "middle", style: { "grid-row": rows + 1 } }, el("div", { class: "facts" }, layout.middle(scene)), el("div", { class: "trick" }, trick));
  felt.style.setProperty("--seats", count);
  felt.className = `felt ${count > 6 ? "many" : count > 4 ? "several" : "few"}`;
  felt.replaceChildren(...seats, middle);
  drawArrows(felt, layout.arrows(scene));
}

// Arrows between seats: [{ from, to, label }].
function drawArrows(felt, arrows) {
  if (!arrows.length) return;
  const frame = felt.getBoundingClientRect();
  const centre = (seat) => {
    const box = felt.querySelector(`[data-seat="${seat}"]`).getBoundingClientRect();
    return [box.x + box.width / 2 - frame.x, box.y + box.height / 2 - frame.y];
  };
  const lines = arrows.flatMap(({ from, to, label }) => {
    const [[x1, y1], [x2, y2]] = [centre(from), centre(to)];
    const part = (a, b, share) => a + (b - a) * share;
    const line = svg("line", { x1: part(x1, x2, 0.25), y1: part(y1, y2, 0.25), x2: part(x1, x2, 0.75), y2: part(y1, y2, 0.75), "marker-end": "url(#arrowhead)" });
    const text = svg("text", { x: part(x1, x2, 0.5), y: part(y1, y2, 0.5) - 6 });
    text.textContent = label ?? "";
    return [line, text];
  });
  const head = svg("marker", { id: "arrowhead", viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0 10 5 0 10z" }));
  felt.append(svg("svg", { class: "arrows", width: frame.width, height: frame.height, "aria-hidden": "true" }, svg("defs", {}, head), ...lines));
}

// Draws anew; cards that lie elsewhere than before fly there, where motion is welcome.
export function fly(felt, draw, duration) {
  const before = new Map();
  for (const card of felt.querySelectorAll("[data-fly]")) before.set(card.dataset.fly, card.getBoundingClientRect());
  draw();
  if (!duration || !matchMedia("(prefers-reduced-motion: no-preference)").matches) return;
  for (const card of felt.querySelectorAll("[data-fly]")) {
    const from = before.get(card.dataset.fly) ?? felt.querySelector(`[data-seat="${card.closest("[data-from]")?.dataset.from}"]`)?.getBoundingClientRect();
    const to = card.getBoundingClientRect();
    if (!from || Math.hypot(from.x - to.x, from.y - to.y) < 2) continue;
    card.animate([{ transform: `translate(${from.x - to.x}px, ${from.y - to.y}px)` }, { transform: "none" }], { duration, easing: "ease-out" });
  }
}
