// Voleur: played cards stay before their seats, discards lie face down, combinations are named when they count, and an
// arrow shows who takes what from whom. layouts/vole.js says how a layout is written.

import { register } from "../layouts.js";
import { el } from "../elements.js";
import { fan } from "../table.js";

const HAND = 6;
const KEPT = 4;

// Tells whether the seat has made the secret decision that is being asked for, from seat 0 on.
const hasDecided = (view, seat) => view.turn === null || seat < view.turn;

// The cards that the seat has played, the one on the table included.
function played(scene, seat) {
  const own = (scene.views[seat] ?? scene.view).table.filter((each) => each.seat === seat).map(({ card }) => card);
  return [...scene.view.tricks.map(({ cards }) => cards[seat]), ...own];
}

// Tells whether the seat has picked a card for the simultaneous trick that is not shown yet.
const hasPicked = (view, seat) => view.phase === "play" && view.leader === null && hasDecided(view, seat);

function held(scene, seat) {
  const { view } = scene;
  if (view.phase === "discard") return hasDecided(view, seat) ? KEPT : HAND;
  if (view.phase !== "play") return 0;
  return KEPT - played(scene, seat).length - (scene.views[seat] === null && hasPicked(view, seat) ? 1 : 0);
}

// The seat that a card to be taken lies before; null for the pile.
const ownerOf = (scene, card) => scene.names.findIndex((_, seat) => played(scene, seat).includes(card));

const points = (combination) => `${combination.name} ${combination.points}`;

register("voleur", {
  chips(scene, seat) {
    const combination = scene.view.combinations[seat];
    const winner = scene.view.phase === "privilege" && scene.view.turn === seat;
    return [scene.chip("points", scene.view.scores[seat]), combination && scene.chip("scores", points(combination), "good"), winner && scene.chip("", "privilege", "good", "won the last trick: it may keep, steal points, or take a card")];
  },
  seat(scene, seat) {
    const { view } = scene;
    const own = scene.views[seat];
    const count = held(scene, seat);
    const before = played(scene, seat);
    const away = own ? own.discards.map((card) => scene.card(card, { class: "small", title: "discarded", still: true })) : view.phase !== "discard" || hasDecided(view, seat) ? [0, 1].map(() => scene.card(null, { class: "small", title: "discarded, unseen" })) : [];
    return [
      before.length ? el("div", { class: "aside" }, "played ", before.map((card) => scene.card(card, { class: scene.decision?.action === `take:${card}` ? "small chosen" : "small", still: true }))) : null,
      own ? (own.hand.length ? scene.hand(seat, own.hand) : null) : count ? scene.backs(count) : null,
      away.length ? el("div", { class: "aside" }, "discarded ", away) : null,
    ];
  },
  middle: (scene) => [
    scene.view.up && scene.fact("trump", scene.card(scene.view.up)),
    scene.view.phase === "discard" && scene.fact("trump is turned when all have discarded", scene.card(null, { title: "the trump card, not turned yet" })),
    ...scene.views.filter((view) => view?.pile.length).map((view) => scene.fact("the pile, which the winner looks through", fan(view.pile.map((card) => scene.card(card, { class: scene.decision?.action === `take:${card}` ? "small chosen" : "small", still: true }))))),
  ],
  trick(scene) {
    const { view } = scene;
    const laid = scene.names.flatMap((_, seat) => {
      const known = (scene.views[seat] ?? view).table.find((each) => each.seat === seat);
      if (known) return [{ seat, content: scene.card(known.card, view.leader === null ? { mark: "secret" } : {}) }];
      return hasPicked(view, seat) ? [{ seat, content: scene.card(null, { title: "picked in secret" }) }] : [];
    });
    const last = view.tricks.at(-1);
    if (laid.length || view.phase === "privilege" || !last) return laid;
    return scene.finished(last.cards.map((card, seat) => [seat, card]), last.winner);
  },
  arrows(scene) {
    const { decision } = scene;
    const [kind, object] = decision?.action.split(":") ?? [];
    if (kind === "steal") return [{ from: Number(object), to: decision.seat, label: "points" }];
    const owner = kind === "take" ? ownerOf(scene, object) : -1;
    return owner < 0 || owner === decision.seat ? [] : [{ from: owner, to: decision.seat, label: object }];
  },
  // what the last round came to
  table(scene) {
    const last = scene.view.rounds.at(-1);
    if (!last) return [];
    const each = scene.names.map((name, seat) => `${name}: ${last.combinations[seat] ? last.combinations[seat].name : "nothing"}, ${last.points[seat] < 0 ? "" : "+"}${last.points[seat]}`);
    return [[`round ${scene.view.rounds.length}`, each.join(" · ")], ["privilege", last.privilege ?? "nobody won the fourth trick"]];
  },
  short: { name: "trick", begins: (events) => events.some(({ kind }) => kind === "trick") },
});
