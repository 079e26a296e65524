// The Vole in the Valley. This layout is also the example for others.
//
// A layout is one file per game. It imports nothing but `register`, `el` and `fan`, and calls `register(game, layout)`
// with any of the functions below; what it leaves out is as in the generic layout (../layouts.js). Each gets the Scene
// of a moment (../table.js) and returns elements; it keeps nothing between calls.
//
//   chips(scene, seat)  chips beside the name of a seat, made by scene.chip(label, value, kind)
//   seat(scene, seat)   what lies before a seat: scene.hand(seat, cards), scene.backs(count), or elements of el(…)
//   middle(scene)       what lies in the middle: scene.fact(label, …)
//   trick(scene)        cards on the table towards their seats: [{ seat, content, label }]
//   nicknames           what is written on cards without a suit, by name
//   arrows(scene)       [{ from, to, label }] between seats
//   table(scene)        [[name, value]] written below the table
//   short, long         { name, begins(events, match, watcher, at) }: what shift and ctrl leap over
//
// scene.views[seat] is the seat's own view as plain data (the `as_dict` of the game's view), or null where the watcher
// does not look through that seat; scene.view is one that is always there, for what all see alike. So a layout cannot
// show what a watcher may not know: it does not get it.

import { register } from "../layouts.js";
import { el } from "../elements.js";

// The round whose last trick is still to be seen: this one, or at its very beginning the one before.
function lastRound(view) {
  return view.now && (view.now.steps.length || !view.rounds.length) ? view.now : view.rounds.at(-1);
}

register("vole", {
  chips: (scene, seat) => [
    scene.chip("points", scene.view.scores[seat]),
    scene.chip("tricks", scene.view.won[seat]),
    scene.view.extra[seat] ? scene.chip("for 7s", `+${scene.view.extra[seat]}`) : null,
  ],
  seat(scene, seat) {
    const view = scene.views[seat];
    const hand = view ? scene.hand(seat, view.hand) : scene.backs(scene.view.other_hand);
    const buried = view?.now?.buried ?? [];
    const theirs = (scene.view.now?.steps ?? []).filter((step) => step.seat === seat && step.action === "bury").length;
    const away = view ? buried.map((each) => scene.card(each.buried, { class: "small", title: `drew ${each.drew}, buried ${each.buried}`, still: true })) : Array.from({ length: theirs }, () => scene.card(null, { class: "small", title: "buried, unseen" }));
    return [hand, away.length ? el("div", { class: "aside" }, "buried ", away) : null];
  },
  middle: (scene) => [
    scene.over ? null : scene.fact("trump", scene.card(scene.view.up)),
    scene.over ? null : scene.fact(`deck: ${scene.view.deck}`, scene.card(null, { title: `${scene.view.deck} cards face down` })),
  ],
  trick(scene) {
    const { view } = scene;
    if (view.led) return [{ seat: view.leader, content: scene.card(view.led) }];
    const tricks = lastRound(view)?.tricks ?? [];
    if (!tricks.length) return [];
    const { leader, cards, winner } = tricks.at(-1);
    return scene.finished(cards.map((card, i) => [(leader + i) % 2, card]), winner);
  },
  short: { name: "trick", begins: (events) => events.some(({ kind }) => kind === "trick") },
});
