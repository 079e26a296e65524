// The games' layouts, and the generic one, which draws a view's values by their shape. layouts/vole.js describes how to
// write a layout.

import { el, words } from "./elements.js";
import { fan } from "./table.js";

const isList = Array.isArray;
const isPlain = (value) => value === null || typeof value !== "object";

// Whether a value is a card, or a list of cards of which some may be unknown (null).
function holdsCards({ pack }, value) {
  if (!isList(value)) return pack.has(value);
  return value.some((item) => pack.has(item)) && value.every((item) => item === null || pack.has(item));
}

// Whether a value is a list with a plain value for each seat, such as scores.
function perSeat(scene, value) {
  return isList(value) && value.length === scene.names.length && value.every(isPlain) && !holdsCards(scene, value);
}

// Whether a value fits a line: a number, a word, or a list of them.
function saysSomething(value) {
  return isList(value) ? value.length > 0 && value.every(isPlain) : isPlain(value) && value !== null;
}

// The object of an action such as `play:9t`.
const afterColon = (text) => text.slice(text.lastIndexOf(":") + 1);

const LINE = 40;

// Whether a value is longer than a mark at a seat, such as OpenSpiel's information states.
const isLong = (value) => valueText(value).length > LINE;

export function valueText(value) {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (isList(value)) return value.length ? value.map(valueText).join(", ") : "–";
  if (typeof value !== "object") return String(value);
  return Object.entries(value).map(([key, item]) => `${key} ${valueText(item)}`).join(", ");
}

// A value with bot names for seats.
function named({ match }, key, value) {
  const isSeat = match.data.seat_keys.includes(key) && Number.isInteger(value);
  return isSeat ? (match.names[value] ?? String(value)) : valueText(value);
}

const cards = (scene, value) => fan((isList(value) ? value : [value]).map((card) => scene.card(card)));

// The fields of a view equal for all seats, or private to its seat.
function fields(scene, view, isPrivate) {
  const { data } = scene.match;
  return Object.entries(view).filter(([key]) => key !== "seat" && data.private.includes(key) === isPrivate);
}

const GENERIC = {
  chips(scene, seat) {
    const found = fields(scene, scene.view, false).filter(([, value]) => perSeat(scene, value) && value[seat] !== null);
    return found.map(([key, value]) => scene.chip(words(key), valueText(value[seat])));
  },
  seat(scene, seat) {
    if (!scene.views[seat]) return [];
    const own = fields(scene, scene.views[seat], true);
    const hand = ([key, value]) => {
      const drawn = isList(value) ? scene.hand(seat, value, { unsorted: key !== "hand" }) : cards(scene, value);
      return el("figure", { class: "fact" }, drawn, el("figcaption", {}, words(key)));
    };
    const plain = own.filter(([, value]) => saysSomething(value) && !holdsCards(scene, value) && !isLong(value));
    const chips = plain.map(([key, value]) => scene.chip(words(key), named(scene, key, value)));
    return [own.filter(([, value]) => holdsCards(scene, value)).map(hand), el("div", { class: "chips" }, chips)];
  },
  middle(scene) {
    const open = fields(scene, scene.view, false).filter(([, value]) => holdsCards(scene, value));
    return open.map(([key, value]) => scene.fact(words(key), cards(scene, value)));
  },
  trick(scene) {
    const { pack, last } = scene;
    const card = last && scene.layout.as(last.action);
    return pack.has(card) ? [{ seat: last.seat, content: scene.card(card) }] : null;
  },
  arrows: () => [],
  as: afterColon,
  aims(text) {
    const [, seat] = /:(\d+)$/.exec(text) ?? [];
    return seat === undefined ? null : Number(seat);
  },
  table(scene) {
    const left = fields(scene, scene.view, false).filter(([, value]) => saysSomething(value));
    const rows = left.filter(([, value]) => !holdsCards(scene, value) && !perSeat(scene, value));
    const shown = scene.views[scene.decision?.seat] ? scene.decision.seat : scene.bottom;
    const own = fields(scene, scene.views[shown], true).filter(([, value]) => !holdsCards(scene, value));
    const long = own.filter(([, value]) => saysSomething(value) && isLong(value));
    const lines = (value) => (isList(value) ? value.map(valueText).join("\n") : valueText(value)).trim();
    return [
      ...rows.map(([key, value]) => [words(key), named(scene, key, value)]),
      ...long.map(([key, value]) => [`${scene.names[shown]}: ${words(key)}`, lines(value)]),
    ];
  },
  outcome: (scene) => scene.told(),
  gain: (scene, seat) => scene.events.find(({ gains }) => gains)?.gains[seat],
  ends: (events) => events.some(({ kind }) => ["trick", "score", "effect"].includes(kind)),
  nicknames: {},
  onTable: [],
  short: { name: "event", begins: (events) => events.some(({ kind }) => kind !== "learned") },
  long: { begins: (events) => events.some(({ kind }) => kind === "deal") },
  scores: (view) => view.scores,
  scored: "points",
  highlights: () => [],
};

const layouts = new Map();

// Registers a game's layout; missing parts come from the generic one.
export function register(game, layout) {
  layouts.set(game, { ...GENERIC, table: () => [], ...layout });
}

export function layoutOf(game) {
  return layouts.get(game) ?? GENERIC;
}
