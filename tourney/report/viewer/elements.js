// The viewer's building blocks: elements, cards, and text with cards. Data becomes text, never markup.

// Creates an element. Attributes and children that are null, undefined or false are left out.
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "style") for (const [key, item] of Object.entries(value)) element.style.setProperty(key, item);
    else element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => ![null, undefined, false, ""].includes(child)));
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// A name or an action such as `play:9t` as words.
export const words = (text) => text.replace(/:(?=\S)/g, " ").replaceAll("_", " ");

// A number of things, such as "1 point" or "+3 cards".
export const counted = (number, things) => `${number} ${Math.abs(number) === 1 ? things.replace(/s$/, "") : things}`;

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const COURT = { T: "10", J: "jack", Q: "queen", K: "king", A: "ace" };

// The cards of a game: knows their names, and draws them. Nicknames are the labels of cards without a suit.
export class Pack {
  constructor(deck, nicknames = {}) {
    this.deck = deck ?? { ranks: [], suits: [], jokers: [], signs: [], colours: [], words: [] };
    this.nicknames = nicknames;
    const { ranks, suits, jokers } = this.deck;
    this.cards = new Map(suits.flatMap((suit, i) => ranks.map((rank) => [rank + suit, { rank, suit: i }])));
    for (const joker of jokers) this.cards.set(joker, {});
    this.order = [...this.cards.keys()];
    const longest = [...ranks].sort((a, b) => b.length - a.length).map(escaped);
    this.pattern = new RegExp(`(?<!\\w)(${longest.join("|")})([${suits.map(escaped).join("")}])(?!\\w)`, "g");
  }

  has(name) {
    return this.cards.has(name);
  }

  // Names in the order of the cards; unknown cards come first.
  sorted(names) {
    return [...names].sort((a, b) => this.order.indexOf(a) - this.order.indexOf(b));
  }

  // A rank in its usual form.
  rank(name) {
    return name === "T" ? "10" : name;
  }

  // A suit as its sign, in its colour.
  suit(name) {
    const i = this.deck.suits.indexOf(name);
    return el("span", { class: `ink ${this.deck.colours[i] ?? ""}` }, this.deck.signs[i] ?? name);
  }

  // Text as a list of parts, with suit signs in card names.
  text(line) {
    if (!this.deck.signs.length) return [line];
    const parts = [];
    let from = 0;
    for (const found of line.matchAll(this.pattern)) {
      const [name, rank, suit] = found;
      const written = { class: "written", role: "img", "aria-label": this.inWords(name) };
      parts.push(line.slice(from, found.index), el("span", written, this.rank(rank), this.suit(suit)));
      from = found.index + name.length;
    }
    return [...parts, line.slice(from)];
  }

  // The same for screen readers, which would read signs differently: `9 of towers`.
  inWords(line) {
    const { suits, words: named } = this.deck;
    const put = (name, rank, suit) => `${COURT[rank] ?? rank} of ${named[suits.indexOf(suit)]}`;
    return named.length ? line.replace(this.pattern, put) : line;
  }

  // The same without colours, for titles.
  plain(line) {
    return this.text(line).map((part) => part.textContent ?? part).join("");
  }

  // A card; null is face down. options: class; mark, a word on its edge; title; still, to keep it from flying; needed, for
  // a button.
  card(name, { class: kind = "", mark, title, still, needed } = {}) {
    const hidden = name === null || name === undefined;
    const own = hidden ? "hidden card" : (this.nicknames[name] ?? name);
    const label = this.inWords([own, mark, title].filter(Boolean).join(", "));
    const shown = title === undefined ? hidden && "hidden card" : this.plain(title);
    const attributes = { role: "img", "aria-label": label, title: shown };
    if (hidden) return el("span", { ...attributes, class: `card back ${kind}` });
    const { rank, suit } = this.cards.get(name) ?? {};
    const { suits, signs, colours } = this.deck;
    const colour = suit === undefined ? "word" : `ink ${colours[suit] ?? ""}`;
    const button = needed && { role: null, type: "button", "data-card": name };
    return el(
      needed ? "button" : "span",
      { ...attributes, class: `card ${colour} ${kind}`, "data-fly": still ? undefined : name, ...button },
      el("b", {}, suit === undefined ? (this.nicknames[name] ?? name) : this.rank(rank)),
      suit !== undefined && el("i", {}, signs[suit] ?? suits[suit]),
      mark && el("span", { class: "mark" }, mark),
    );
  }
}
