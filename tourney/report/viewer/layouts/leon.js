// Le Léon: bids beside the tricks that were won, the joker under its borrowed name, sanctions in red.
// layouts/vole.js says how a layout is written.

import { register } from "../layouts.js";
import { el } from "../elements.js";

const JOKER = "X";
const NICKNAME = "Léon";

// The bid of a seat, from whoever may know it: null if it is secret, undefined if it is not made yet.
function bidOf(scene, seat) {
  const { view } = scene;
  const known = (scene.views[seat] ?? view).bids[seat];
  if (known !== null) return known;
  const made = !["trump", "bid"].includes(view.phase) || (view.phase === "bid" && seat < view.turn);
  return made && scene.match.data.options.mode === "attack" ? null : undefined; // where bids are spoken, null is none
}

// A play such as `leon:Ad` as a card.
function cardOf(scene, play, options = {}) {
  const [kind, card] = play.split(":");
  if (kind === "play") return [card, options];
  return card ? [card, { ...options, mark: NICKNAME, title: "the Léon, as this card" }] : [JOKER, { ...options, title: "the Léon without a name, which wins nothing" }];
}

register("leon", {
  nicknames: { [JOKER]: NICKNAME },
  chips(scene, seat) {
    const { view } = scene;
    const bid = bidOf(scene, seat);
    const won = view.won[seat];
    const trick = bid === undefined ? null : scene.chip("tricks", `${won} of ${bid ?? "?"}`, bid === won ? "good" : bid !== null && won > bid ? "bad" : "", bid === null ? "won so far, of the secret bid" : "won so far, of the bid");
    return [
      scene.chip("points", view.scores[seat]),
      trick,
      view.dealer === seat && scene.chip("", "dealer"),
      ...view.sanctions.filter((sanction) => sanction.seat === seat).map(({ name, points }) => scene.chip(name, points, "bad", "sanction")),
    ];
  },
  seat(scene, seat) {
    const { view } = scene;
    const own = scene.views[seat];
    if (own) {
      const as = (text) => (text.startsWith("leon") ? JOKER : text.slice(text.indexOf(":") + 1));
      const hidden = own.revokes.map(({ suit }) => el("span", {}, "did not follow ", scene.suit(suit), ", unnoticed"));
      return [own.hand.length ? scene.hand(seat, own.hand, { as }) : null, hidden.length ? el("div", { class: "aside" }, hidden) : null];
    }
    const turn = (seat - view.leader + scene.names.length) % scene.names.length;
    const left = view.over ? 0 : view.cards - view.tricks.length - (turn < view.plays.length ? 1 : 0);
    return [left ? scene.backs(left) : null];
  },
  middle(scene) {
    const { view } = scene;
    if (scene.over) return [];
    const named = view.trump && view.up === JOKER;
    return [
      scene.fact(view.trump && !named ? "trump" : "turned up", scene.card(view.up)),
      named && scene.fact("trump, named", el("span", { class: "big" }, scene.suit(view.trump))),
      scene.fact("cards each", el("b", { class: "big" }, String(view.cards))),
    ];
  },
  trick(scene) {
    const { view } = scene;
    const count = scene.names.length;
    if (view.plays.length) {
      return view.plays.map((play, i) => ({ seat: (view.leader + i) % count, content: scene.card(...cardOf(scene, play)) }));
    }
    const last = view.tricks.at(-1) ?? (view.phase === "bid" || view.phase === "trump" || scene.over ? view.rounds.at(-1)?.tricks.at(-1) : null);
    if (!last) return [];
    return scene.finished(last.plays.map((play, i) => [(last.leader + i) % count, ...cardOf(scene, play)]), last.winner);
  },
  // what the last round came to
  table(scene) {
    const last = scene.view.rounds.at(-1);
    if (!last) return [];
    const each = scene.names.map((name, seat) => `${name}: bid ${last.bids[seat]}, won ${last.won[seat]}, ${last.points[seat] < 0 ? "" : "+"}${last.points[seat]}`);
    return [[`round ${scene.view.rounds.length}`, each.join(" · ")]];
  },
  short: { name: "trick", begins: (events) => events.some(({ kind }) => kind === "trick") },
});
