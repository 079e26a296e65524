// Bang: stocks as heights with the remembered tops, the pile, the debt, and the order of reflexes.

import { register } from "../layouts.js";
import { EVERYONE } from "../data.js";
import { counted, el } from "../elements.js";
import { fan } from "../table.js";

const LAST = 6; // shown cards of the pile: a reason to bang is among the last three

// The last settled card and the reactions to it, from a line such as "0:Qs anticipate:0,2 bang:1 pile:1".
function lastOf(view) {
  const [[, card], ...parts] = view.turns.at(-1).split(" ").map((part) => part.split(":"));
  const { anticipate = "", bang = "", pile, penalty } = Object.fromEntries(parts);
  const [anticipated, banged] = [anticipate, bang].map((text) => (text ? text.split(",").map(Number) : []));
  return { card, anticipated, banged, isBang: !penalty && [...anticipated, ...banged].includes(Number(pile)) };
}

// Whether the decision before a moment was a bang that won the pile.
function isWon(events, match, watcher, at) {
  const seat = watcher === EVERYONE ? match.seats[0] : watcher;
  return events.some(({ kind }) => kind === "pile") && lastOf(match.view(seat, at)).isBang;
}

// In an outcome: the settled card, and the state before; if all anticipate, that is before it is turned.
const settledNow = (scene) => lastOf((scene.next ?? scene).view);

function before(scene) {
  const view = scene.match.view(scene.bottom, Math.floor(scene.at));
  return view.question === "bang" ? view : { ...view, pile: [...view.pile, settledNow(scene).card] };
}

// The last event of a kind known to the watcher.
function lastEvent({ at, match, watcher }, kind) {
  for (let number = Math.floor(at) - 1; number >= 0; number--) {
    const found = match.after(watcher, number).findLast((event) => event.kind === kind);
    if (found) return found;
  }
}

// The open question to all seats, and whether yes is right.
function asked(scene) {
  const { view, names } = scene;
  if (view.question === "anticipate") return `Before ${names[view.mover]} turns: who bangs unseen?`;
  return ["Who bangs? ", scene.pack.text(lastEvent(scene, "turned").text)];
}

const ANSWERS = { anticipate: "anticipates", wait: "waits", bang: "bangs", hold: "holds" };

// A seat's answer, if known to the watcher.
function answered(scene, seat) {
  if (scene.outcome) {
    const { anticipated, banged } = settledNow(scene);
    if (anticipated.includes(seat)) return scene.chip("", "anticipated", "good");
    return banged.includes(seat) && scene.chip("", "banged", "good");
  }
  if (scene.view.anticipated.includes(seat)) return scene.chip("", "anticipated", "good");
  const answer = scene.views[seat]?.answer;
  return answer ? scene.chip("", ANSWERS[answer], ["anticipate", "bang"].includes(answer) ? "good" : "") : null;
}

// Who owes cards, and to whom.
function owing({ outcome, view: { debt, creditor, mover }, chip }, seat) {
  if (outcome || !debt || creditor === null || creditor === mover) return null;
  return seat === mover ? chip("owes", debt, "bad") : seat === creditor && chip("gets", debt, "good");
}

register("bang", {
  chips(scene, seat) {
    const { view } = scene;
    const order = scene.over ? null : lastEvent(scene, "reflex")?.facts.order; // only shown to everyone
    return [
      order && scene.chip("reflex", order.indexOf(seat) + 1, "", "1 is the quickest at this card"),
      seat === view.mover && !scene.over ? scene.chip("", view.question === "bang" ? "turned" : "turns next") : null,
      owing(scene, seat),
      answered(scene, seat),
    ];
  },
  seat(scene, seat) {
    const { view } = scene.next ?? scene;
    const size = view.sizes[seat];
    const [top] = view.known[seat];
    const known = view.known[seat].filter((card) => card !== null).length;
    const remembered = `${size} cards, of which ${known} have been seen before`;
    const title = top === null ? "never turned so far" : "remembered";
    const topmost = () => [scene.card(top, { class: "small", still: true, title }), el("figcaption", {}, "top")];
    return el(
      "div",
      { class: "stock", title: remembered },
      size > 0 && el("span", { class: "height", role: "img", "aria-label": remembered, style: { "--cards": size } }),
      el("span", { class: "count" }, el("b", {}, size), el("span", { class: "label" }, size === 1 ? "card" : "cards")),
      size ? el("figure", { class: "fact" }, topmost()) : null,
    );
  },
  middle(scene) {
    const { names } = scene;
    const view = scene.outcome ? before(scene) : scene.view;
    const top = view.pile.at(-1);
    const joker = (card) => (card[0] === "X" ? "joker" : undefined);
    const shown = (card) => scene.card(card, { class: card === top ? "" : "past", title: joker(card) });
    const count = view.pile.length + view.under.length;
    const penalties = view.under.length ? `, ${view.under.length} of them penalties` : "";
    const owes = view.creditor === null ? "" : `${names[view.mover]} owes to ${names[view.creditor]}`;
    return [
      count ? scene.fact(`pile: ${count}${penalties}`, fan(view.pile.slice(-LAST).map(shown))) : null,
      !scene.outcome && !scene.over && owes ? scene.fact(owes, el("b", { class: "counter" }, view.debt)) : null,
      scene.over || scene.outcome ? null : el("p", { class: "asked" }, asked(scene)),
    ];
  },
  table: (scene) => [["cards turned", String((scene.next ?? scene).view.turned)]],
  outcome: ({ events }) => events.filter(({ kind }) => ["effect", "pile"].includes(kind)).map(({ text }) => text),
  gain(scene, seat) {
    const gained = (scene.next ?? scene).view.sizes[seat] - before(scene).sizes[seat];
    return gained && counted(gained > 0 ? `+${gained}` : gained, "cards");
  },
  onTable: ["reflex"],
  scores: ({ sizes }) => sizes,
  scored: "cards",
  highlights: (events, ...moment) => {
    return isWon(events, ...moment) ? events.filter(({ kind }) => kind === "effect").map(({ text }) => text) : [];
  },
  short: { name: "card", begins: (events) => events.some(({ kind }) => kind === "turned") },
  long: { name: "bang", begins: isWon },
});
