// The layouts of games, and the one for a game without: it draws what a view holds, going by what it looks like.

import { el } from "./elements.js";
import { fan } from "./table.js";

const isList = Array.isArray;
const isPlain = (value) => value === null || typeof value !== "object";

// Tells whether a value is a card or a list of them, some of which may be hidden (null).
function holdsCards(scene, value) {
  if (typeof value === "string") return scene.pack.has(value);
  return isList(value) && value.some((item) => scene.pack.has(item)) && value.every((item) => item === null || scene.pack.has(item));
}

// One plain value for each seat, such as scores.
const perSeat = (scene, value) => isList(value) && value.length === scene.names.length && value.every(isPlain) && !holdsCards(scene, value);

function cardsOf(scene, value) {
  return fan((isList(value) ? value : [value]).map((card) => scene.pack.card(card)));
}

export function valueText(value) {
  if (value === null) return "none";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (isList(value)) return value.length ? value.map(valueText).join(", ") : "–";
  if (typeof value === "object") return Object.entries(value).map(([key, item]) => `${key} ${valueText(item)}`).join(", ");
  return String(value);
}

const words = (key) => key.replaceAll("_", " ");

function shown(scene, key, value) {
  if (scene.match.data.seat_keys.includes(key) && Number.isInteger(value)) return scene.names[value] ?? valueText(value);
  return valueText(value);
}

const isPrivate = (scene, key) => scene.match.data.private.includes(key);
const fields = (view) => Object.entries(view).filter(([key]) => key !== "seat");

const GENERIC = {
  // What stands beside the name of a seat: chips.
  chips: (scene, seat) => fields(scene.view).filter(([key, value]) => !isPrivate(scene, key) && perSeat(scene, value) && value[seat] !== null).map(([key, value]) => scene.chip(words(key), valueText(value[seat]))),
  // What lies before a seat: the cards that only its own view shows.
  seat(scene, seat) {
    const view = scene.views[seat];
    if (!view) return [];
    const mine = fields(view).filter(([key]) => isPrivate(scene, key));
    const hands = mine.filter(([, value]) => holdsCards(scene, value) && !(isList(value) && !value.length));
    const plain = mine.filter(([, value]) => isPlain(value) && value !== null && !holdsCards(scene, value));
    return [
      ...hands.map(([key, value]) => el("figure", { class: "fact wide" }, isList(value) ? scene.hand(seat, value, { unsorted: key !== "hand" }) : cardsOf(scene, value), el("figcaption", {}, words(key)))),
      el("div", { class: "chips" }, plain.map(([key, value]) => scene.chip(words(key), shown(scene, key, value)))),
    ];
  },
  // What lies in the middle of the table: the cards that all see.
  middle: (scene) => fields(scene.view).filter(([key, value]) => !isPrivate(scene, key) && holdsCards(scene, value)).map(([key, value]) => scene.fact(words(key), cardsOf(scene, value))),
  // The cards that lie before seats in the middle: [{ seat, content, label }].
  trick: () => [],
  // What is written on cards without a suit, such as jokers, by their names.
  nicknames: {},
  // Arrows from seat to seat: [{ from, to, label }].
  arrows: () => [],
  // What is said below the table, as pairs of a name and a value.
  table: (scene) => fields(scene.view).filter(([key, value]) => !isPrivate(scene, key) && !holdsCards(scene, value) && !perSeat(scene, value) && (isPlain(value) ? value !== null : isList(value) && value.length && value.every(isPlain))).map(([key, value]) => [words(key), shown(scene, key, value)]),
  // The stretches that shift and ctrl leap over; begins(events, match, watcher, at) tells whether one begins at a
  // moment, from the events right before it.
  short: { name: "trick", begins: (events) => events.some(({ kind }) => kind !== "learned") },
  long: { name: "round", begins: (events) => events.some(({ kind }) => kind === "deal") },
};

const layouts = new Map();

// Says how the table of a game is laid out; what the layout does not say is as in the generic one.
export function register(game, layout) {
  layouts.set(game, { ...GENERIC, table: () => [], ...layout });
}

export function layoutOf(game) {
  return layouts.get(game) ?? GENERIC;
}
