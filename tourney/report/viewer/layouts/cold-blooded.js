// Cold Blooded: the ring of the living and the dead, roles, cards, bombs, talk in bubbles, and who aims at whom.

import { register } from "../layouts.js";
import { EVERYONE } from "../data.js";
import { el } from "../elements.js";

const VERBS = { trade: "trades", sniper: "shoots", knife: "stabs" };
const DUKE = "duke"; // the place of the Duke at a table of four, where no seat plays him

// The steps of this turn, and whether it has started; before its first step, the previous turn's.
function lastTurn(scene) {
  const { match, bottom, view } = scene;
  const isIn = (turn, { turn: number, game }) => number === turn.turn && game === turn.game;
  const first = (turn, at) => {
    while (at > 1 && isIn(turn, match.view(bottom, at - 1))) at -= 1;
    return at;
  };
  const begun = first(view, scene.moment);
  const now = view.history.slice(match.view(bottom, begun).history.length);
  if (now.length || begun === 1) return now;
  const before = match.view(bottom, begun - 1);
  if (before.game !== view.game) return [];
  return view.history.slice(match.view(bottom, first(before, begun - 1)).history.length);
}

function bubble(scene, seat) {
  const said = scene.view.history.findLast((step) => step.seat === seat && step.action?.startsWith("say:"));
  const kind = lastTurn(scene).includes(said) ? "bubble" : "bubble old";
  const words = said && scene.match.acts.find(({ text }) => text === said.action).said;
  return said && !scene.next && el("span", { class: kind }, words);
}

// A role as a tile: a word, or a back if unknown to the watcher.
function tile(scene, role, secret) {
  const unknown = "nobody has shown this role to the one who watches";
  if (!role) return el("span", { class: "role unknown", title: unknown }, "role ?");
  const title = `${scene.meaning(role)}; ${secret ? "the others at the table do not see" : "all see"} this role`;
  return el("span", { class: `role ${role}${secret ? " secret" : ""}`, title }, role === "duke" ? "Duke" : role);
}

// The card at a place, face up if known to the watcher.
function held(scene, place, card, own) {
  const open = "lies open: its side wins when this seat's next turn comes";
  if (scene.view.bombs.includes(place)) return scene.card("bomb", { class: "bad", title: open, inert: true });
  if (!isAlive(scene, place) || scene.view.without_card.includes(place)) return null;
  const title = card ? undefined : "one hidden card";
  return scene.card(card, { mark: card && !own ? "known" : undefined, title, inert: !own });
}

// The game that has just ended; points tell who was on which side.
const closed = ({ next }) => next?.view.games.at(-1);

// A seat's role, if known to the watcher.
function roleOf(scene, seat) {
  const { roles, winner, points } = closed(scene) ?? scene.view;
  const known = roles[seat] ?? scene.views[seat]?.role;
  return known ?? (winner ? ((winner === "assassins") === (points[seat] > 0) ? "assassin" : "guard") : null);
}

function isAlive(scene, place) {
  const step = closed(scene)?.history.findLast(({ seat, is }) => seat === place && ["out", "back"].includes(is));
  return step ? step.is === "back" : scene.view.alive.includes(place);
}

register("cold-blooded", {
  chips(scene, seat) {
    const { view } = scene;
    const aimed = view.aim === seat && view.alive.includes(seat);
    const moves = !scene.over && !scene.next && seat === view.mover && (view.second || scene.decision?.seat !== seat);
    return [
      scene.chip("points", (scene.next ?? scene).view.scores[seat], "", "games won"),
      moves ? scene.chip("", view.second ? "second action" : "its turn") : null,
      aimed && ["shell", "sacrifice", "wait"].includes(view.phase) ? scene.chip("", "aimed at", "bad") : null,
    ];
  },
  seat(scene, seat) {
    const { view } = scene;
    const own = scene.views[seat];
    const role = roleOf(scene, seat);
    if (!isAlive(scene, seat)) {
      const out = el("span", { class: "chip bad" }, "eliminated");
      return [el("div", { class: "person dead" }, tile(scene, role, false), out), bubble(scene, seat)];
    }
    const card = held(scene, seat, own ? own.card : view.cards[seat], Boolean(own));
    return [el("div", { class: "person" }, tile(scene, role, role !== "duke"), card), bubble(scene, seat)];
  },
  middle(scene) {
    const { view } = scene;
    const known = view.deck.filter(Boolean).length;
    const absent = () => {
      const place = { class: isAlive(scene, DUKE) ? "person" : "person dead" };
      const duke = el("div", place, tile(scene, DUKE), held(scene, DUKE, view.dummy, false));
      const caption = el("figcaption", {}, "the Duke, whom nobody plays");
      return el("figure", { class: "fact", "data-seat": DUKE }, duke, caption);
    };
    const title = `${view.deck.length} cards, ${known} of them known to the one who watches`;
    const top = () => scene.card(view.deck[0] ?? null, { title, still: true });
    return [
      view.duke === null && absent(),
      scene.over ? null : scene.fact(`deck: ${view.deck.length}`, top()),
      view.uprising_gone ? scene.chip("", "the uprising has been played") : null,
    ];
  },
  arrows(scene) {
    const arrows = new Map(); // a knife looks like a trade first: what is known last counts
    const steps = [...lastTurn(scene), scene.last].filter((step) => step?.action);
    for (const { seat, action } of steps) {
      const [verb, to] = action.split(":");
      if (verb in VERBS) arrows.set(`${seat} ${to}`, { from: seat, to, label: VERBS[verb] });
    }
    return [...arrows.values()];
  },
  as: (text) => (text.startsWith("say:") ? "" : text.split(":")[0]), // sniper:1 needs the sniper
  table: (scene) => [
    ["game", `${scene.view.game}, to ${scene.match.data.options.target} points`],
    ["turn", String(scene.view.turn)],
    ["games won", scene.view.games.map(({ winner }) => winner ?? "drawn").join(", ") || "none yet"],
  ],
  short: {
    name: "turn",
    begins(events, match, watcher, at) {
      const seat = watcher === EVERYONE ? match.seats[0] : watcher;
      const [before, now] = [match.view(seat, at - 1), match.view(seat, at)];
      return before.turn !== now.turn || before.game !== now.game;
    },
  },
  believed: ["role", "assassin"],
  highlights: (events) => events.filter(({ kind }) => kind === "effect").map(({ text }) => text),
  long: { name: "game", begins: (events) => events.some(({ kind }) => kind === "deal") },
});
