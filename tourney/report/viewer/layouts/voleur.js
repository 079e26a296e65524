// Voleur: played cards stay before their seats, discards are face down, scored combinations are named, and arrows show
// thefts. vole.js describes layouts.

import { register } from "../layouts.js";
import { el } from "../elements.js";

const HAND = 6;
const KEPT = 4;

// Whether the seat has made the pending secret decision; seats decide from 0 on.
const hasDecided = (view, seat) => view.turn === null || seat < view.turn;

// Whether the seat has picked a card for the simultaneous trick, still hidden.
const hasPicked = (view, seat) => view.phase === "play" && view.leader === null && hasDecided(view, seat);

// The seat's card in the current trick, if known to the watcher.
function laid(scene, seat) {
  return (scene.views[seat] ?? scene.view).table.find((each) => each.seat === seat)?.card;
}

// The round just finished, or the current one.
const round = ({ view, next }) => (next ? next.view.rounds.at(-1) : view);

// The seat's cards from finished tricks.
const played = (scene, seat) => round(scene).tricks.map(({ cards }) => cards[seat]);

// The seat that played the card in this round; -1 if it was discarded.
const ownerOf = (scene, card) => scene.names.findIndex((_, seat) => played(scene, seat).includes(card));

const endsTrick = ({ events }) => events.some(({ kind }) => kind === "trick");

// A small card, standing out if it is taken next.
function small(scene, card) {
  return scene.card(card, { class: scene.decision?.action === `take:${card}` ? "small chosen" : "small", still: true });
}

function hiddenHand(scene, seat) {
  const { view } = scene;
  if (view.phase === "discard") return scene.backs(hasDecided(view, seat) ? KEPT : HAND);
  const left = KEPT - view.tricks.length - (hasPicked(view, seat) || laid(scene, seat) ? 1 : 0);
  return view.phase === "play" && left > 0 && scene.backs(left);
}

function discards(scene, seat) {
  const own = scene.views[seat];
  if (own) return own.discards.map((card) => scene.card(card, { class: "small", title: "discarded", still: true }));
  if (scene.view.phase === "discard" && !hasDecided(scene.view, seat)) return [];
  return [1, 2].map(() => scene.card(null, { class: "small", title: "discarded, unseen" }));
}

register("voleur", {
  chips(scene, seat) {
    const { phase, turn } = scene.view;
    const { scores } = (scene.next ?? scene).view;
    const { combinations } = round(scene);
    const what = scene.meaning("privilege");
    const best = combinations[seat];
    return [
      scene.chip("points", scores[seat]),
      best && !scene.next && scene.chip(best.name, best.points, best.points ? "good" : "", scene.meaning(best.name)),
      phase === "privilege" && !scene.next && turn === seat && scene.chip("", "privilege", "good", what),
    ];
  },
  seat(scene, seat) {
    const own = scene.views[seat];
    const before = played(scene, seat).map((card) => small(scene, card));
    const away = discards(scene, seat);
    const aside = (label, cards) => cards.length > 0 && el("div", { class: "aside" }, label, cards);
    return [
      !scene.next && (own ? own.hand.length > 0 && scene.hand(seat, own.hand) : hiddenHand(scene, seat)),
      el("div", { class: "asides" }, aside("played ", before), aside("discarded ", away)),
    ];
  },
  middle(scene) {
    const { up, phase } = scene.view;
    const pile = !scene.outcome && scene.views.find((view) => view?.pile.length)?.pile;
    return [
      up && !scene.next && scene.fact("trump", scene.card(up)),
      phase === "discard" && scene.fact("trump, turned when all have discarded", scene.card(null)),
      pile && scene.fact("the pile: the winner may take from it", pile.map((card) => small(scene, card))),
    ];
  },
  trick(scene) {
    const { view } = scene;
    const last = round(scene).tricks.at(-1);
    if (endsTrick(scene)) return scene.finished(last.cards.map((card, seat) => [seat, card]), last.winner);
    const secret = view.leader === null ? { mark: "secret" } : {};
    return scene.names.flatMap((_, seat) => {
      const card = laid(scene, seat);
      if (card) return [{ seat, content: scene.card(card, secret) }];
      return hasPicked(view, seat) ? [{ seat, content: scene.card(null, { title: "picked in secret" }) }] : [];
    });
  },
  arrows(scene) {
    const { action = "", seat: to } = scene.decision ?? scene.last ?? {};
    const [kind, object] = action.split(":");
    if (kind === "steal") return [{ from: Number(object), to, label: "points" }];
    const from = kind === "take" ? ownerOf(scene, object) : -1;
    return from < 0 || from === to ? [] : [{ from, to, label: scene.pack.plain(object) }];
  },
  highlights(events, match, watcher, at) {
    const { seat, action = "", said } = match.decision(watcher, at - 1) ?? {};
    return action.startsWith("steal:") ? [match.names[seat] + said] : [];
  },
  short: { name: "trick", begins: (events) => events.some(({ kind }) => kind === "trick") },
});
