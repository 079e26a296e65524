// Le Léon: bids next to the tricks won, the joker under its borrowed name, sanctions in red. vole.js describes layouts.

import { register } from "../layouts.js";
import { el } from "../elements.js";

const JOKER = "X";

// A seat's bid as known to the watcher: null if secret, undefined if there is none yet.
function bidOf(scene, seat) {
  const { view } = scene;
  const known = (scene.views[seat] ?? view).bids[seat];
  if (known !== null) return known;
  const made = !["trump", "bid"].includes(view.phase) || (view.phase === "bid" && seat < view.turn);
  return made && scene.match.data.options.mode === "attack" ? null : undefined; // spoken bids are known once made
}

// A play such as `leon:Ad` as arguments of scene.card.
function cardOf(play) {
  const [kind, card] = play.split(":");
  if (kind === "play") return [card];
  if (card) return [card, { mark: "Léon", title: "the Léon, as this card" }];
  return [JOKER, { title: "the Léon without a name, which wins nothing" }];
}

// The round that has just ended.
const closed = ({ next }) => next.view.rounds.at(-1);

const lastTrick = (scene) => (scene.next ? closed(scene) : scene.view).tricks.at(-1);

function tricksChip(scene, seat) {
  const bid = scene.next ? closed(scene).bids[seat] : bidOf(scene, seat);
  const won = (scene.next ? closed(scene) : scene.view).won[seat];
  if (bid === undefined) return null;
  const kind = bid === won ? "good" : bid !== null && won > bid ? "bad" : "";
  return scene.chip("tricks", `${won} of ${bid ?? "?"}`, kind, bid === null ? "of a secret bid" : "of its bid");
}

register("leon", {
  nicknames: { [JOKER]: "Léon" },
  chips(scene, seat) {
    const { dealer } = scene.view;
    const { scores } = (scene.next ?? scene).view;
    const { sanctions } = scene.next ? closed(scene) : scene.view;
    const mine = sanctions.filter((sanction) => sanction.seat === seat);
    return [
      dealer === seat && scene.chip("", "dealer"),
      scene.chip("points", scores[seat]),
      !scene.over && tricksChip(scene, seat),
      mine.map(({ name, points }) => scene.chip(name, points, "bad", "a sanction")),
    ];
  },
  seat(scene, seat) {
    const { view } = scene;
    const own = scene.views[seat];
    if (own) {
      const refused = own.revokes.map(({ suit }) => [scene.suit(suit), " "]);
      const unnoticed = refused.length > 0 && el("div", { class: "aside" }, "refused, unnoticed: ", refused);
      return [own.hand.length > 0 && !scene.next && scene.hand(seat, own.hand), unnoticed];
    }
    const count = scene.names.length;
    const hasPlayed = (seat - view.leader + count) % count < view.plays.length;
    const left = view.over || scene.next ? 0 : view.cards - view.tricks.length - (hasPlayed ? 1 : 0);
    return [left > 0 && scene.backs(left)];
  },
  middle(scene) {
    const { up, trump, cards } = scene.view;
    if (scene.over) return [];
    return [
      scene.fact(up === JOKER ? "turned up" : "trump", scene.card(up)),
      up === JOKER && trump && scene.fact("trump, as named", el("span", { class: "big" }, scene.suit(trump))),
      scene.fact(cards === 1 ? "card each" : "cards each", el("b", { class: "big" }, cards)),
    ];
  },
  as: (text) => (text.startsWith("leon") ? JOKER : text.replace("play:", "")),
  aims: () => null, // a bid is also a number
  trick(scene) {
    const { plays, leader } = scene.view;
    const count = scene.names.length;
    const laid = plays.map((play, i) => ({ seat: (leader + i) % count, content: scene.card(...cardOf(play)) }));
    if (!scene.outcome) return laid;
    const last = lastTrick(scene);
    return scene.finished(last.plays.map((play, i) => [(last.leader + i) % count, ...cardOf(play)]), last.winner);
  },
  highlights(events, match, watcher, at) {
    const { seat, action = "", said } = match.decision(watcher, at) ?? {};
    const joker = action.startsWith("leon") && match.names[seat] + said;
    return [...events.filter((event) => event.kind === "sanction").map(({ text }) => text), joker].filter(Boolean);
  },
  short: { name: "trick", begins: (events) => events.some(({ kind }) => kind === "trick") },
});
