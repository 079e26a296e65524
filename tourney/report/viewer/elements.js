// What the viewer draws with: elements, cards, and lines of text with cards in them. Data becomes text, never markup.

export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "style") for (const [key, item] of Object.entries(value)) element.style.setProperty(key, item);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// The cards of a game: knows their names, and draws them.
export class Pack {
  constructor(deck, nicknames = {}) {
    this.nicknames = nicknames; // what is written on cards without a suit
    this.deck = deck ?? { ranks: [], suits: [], jokers: [], signs: [], colours: [] };
    const longest = [...this.deck.ranks].sort((a, b) => b.length - a.length).map(escaped);
    this.pattern = deck ? new RegExp(`(?<!\\w)(${longest.join("|")})([${this.deck.suits.map(escaped).join("")}])(?!\\w)`, "g") : null;
    this.order = new Map();
    for (const suit of this.deck.suits) for (const rank of this.deck.ranks) this.order.set(rank + suit, this.order.size);
    for (const joker of this.deck.jokers) this.order.set(joker, this.order.size);
  }

  has(name) {
    return this.order.has(name);
  }

  sorted(names) {
    return [...names].sort((a, b) => (this.order.get(a) ?? -1) - (this.order.get(b) ?? -1));
  }

  // A suit as its sign, in its colour.
  suit(name) {
    const at = this.deck.suits.indexOf(name);
    return el("span", { class: `ink ${this.deck.colours[at] ?? ""}` }, this.deck.signs[at] ?? name);
  }

  // Text in which the names of cards are written with the signs of their suits.
  text(line) {
    if (!this.pattern || !this.deck.signs.length) return [line];
    const parts = [];
    let from = 0;
    for (const found of line.matchAll(this.pattern)) {
      parts.push(line.slice(from, found.index), el("span", { class: "written" }, found[1], this.suit(found[2])));
      from = found.index + found[0].length;
    }
    return [...parts, line.slice(from)];
  }

  // The same without colours, for titles and for screen readers.
  plain(line) {
    return this.text(line).map((part) => part.textContent ?? part).join("");
  }

  // A card face up; null for one face down. options: class, mark (a word in the corner), title, still (does not fly).
  card(name, options = {}) {
    const classes = `card ${options.class ?? ""}`;
    if (name === null || name === undefined) {
      return el("span", { class: `${classes} back`, role: "img", "aria-label": options.title ?? "hidden card", title: options.title });
    }
    const mark = options.mark ? el("span", { class: "mark" }, options.mark) : null;
    const label = [this.plain(name), options.mark, options.title].filter(Boolean).join(", ");
    const suit = this.has(name) ? this.deck.suits.findIndex((each) => name.endsWith(each) && this.deck.ranks.includes(name.slice(0, -each.length))) : -1;
    const fly = options.still ? undefined : name;
    if (suit < 0) return el("span", { class: `${classes} word`, role: "img", "aria-label": label, title: options.title, "data-fly": fly }, el("b", {}, this.nicknames[name] ?? name), mark);
    const sign = this.deck.signs[suit] ?? this.deck.suits[suit];
    const rank = name.slice(0, -this.deck.suits[suit].length);
    const ink = `${classes} ink ${this.deck.colours[suit] ?? ""}`;
    return el("span", { class: ink, role: "img", "aria-label": label, title: options.title, "data-fly": fly }, el("b", {}, rank === "T" ? "10" : rank), el("i", {}, sign), mark);
  }
}
