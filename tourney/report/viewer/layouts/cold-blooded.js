// Cold Blooded: the ring of the living and the dead, roles, cards, bombs, talk in bubbles, and who aims at whom.

import { register } from "../layouts.js";
import { EVERYONE } from "../data.js";
import { el } from "../elements.js";

const VERBS = { trade: "trades", sniper: "shoots", knife: "stabs" };
const DUKE = "duke"; // the place of the Duke at a table of four, where nobody plays him

// The steps of this turn, and whether it has begun; before its first step, those of the turn before.
function lastTurn(scene) {
  const { match, bottom, view } = scene;
  const first = (turn, at) => {
    while (at > 1 && match.view(bottom, at - 1).turn === turn.turn && match.view(bottom, at - 1).game === turn.game) at -= 1;
    return at;
  };
  const begun = first(view, scene.at);
  const now = view.history.slice(match.view(bottom, begun).history.length);
  if (now.length || begun === 1) return now;
  const before = match.view(bottom, begun - 1);
  if (before.game !== view.game) return [];
  return view.history.slice(match.view(bottom, first(before, begun - 1)).history.length);
}

function spoken(scene, action) {
  const [, what, seat] = action.split(":");
  if (what === "nothing") return "…";
  if (what === "guard") return "I am a guard.";
  if (what === "accuse") return `${scene.names[seat]} is an assassin!`;
  if (what === "trust") return `I trust ${scene.names[seat]}.`;
  return `I have ${/^[aeiou]/.test(what) ? "an" : "a"} ${what}.`;
}

function bubble(scene, seat) {
  const said = scene.view.history.findLast((step) => step.seat === seat && step.action?.startsWith("say:"));
  return said && el("q", { class: lastTurn(scene).includes(said) ? "bubble" : "bubble old" }, spoken(scene, said.action));
}

// A role as a tile: a word, or a back where the watcher does not know it.
function tile(role, secret) {
  if (!role) return el("span", { class: "role unknown", title: "nobody has shown this role to the one who watches" }, "role ?");
  return el("span", { class: `role ${role}${secret ? " secret" : ""}`, title: secret ? "the others at the table do not see this role" : "all see this role" }, role === "duke" ? "Duke" : role);
}

// What a place holds: the card face up where the watcher knows it.
function held(scene, place, card, own) {
  if (scene.view.bombs.includes(place)) return scene.card("bomb", { class: "bad", title: "lies open: its side wins when this seat's next turn comes" });
  if (!scene.view.alive.includes(place) || scene.view.without_card.includes(place)) return null;
  return scene.card(card, { mark: card && !own ? "known" : undefined, title: card ? undefined : "one hidden card" });
}

// How the last game ended, while nothing has happened yet in the one that follows it.
function ended(scene) {
  const { view } = scene;
  const game = view.games.at(-1);
  if (!game || (!scene.over && view.history.length)) return null;
  const won = game.winner ? `the ${game.winner === "guards" ? "guards and the Duke" : "assassins"} won` : "was drawn";
  return el("p", { class: "asked" }, el("b", {}, `game ${game.game}: ${won}`));
}

register("cold-blooded", {
  chips(scene, seat) {
    const { view } = scene;
    const aimed = view.aim === seat && view.alive.includes(seat);
    return [
      scene.chip(`seat ${seat}:`, view.scores[seat] === 1 ? "1 point" : `${view.scores[seat]} points`, "", "actions such as trade 4 name seats; points are games won"),
      !scene.over && seat === view.mover && (view.second || scene.decision?.seat !== seat) ? scene.chip("", view.second ? "second action" : "its turn") : null,
      aimed && ["shell", "sacrifice", "wait"].includes(view.phase) ? scene.chip("", "aimed at", "bad") : null,
    ];
  },
  seat(scene, seat) {
    const { view } = scene;
    const own = scene.views[seat];
    const role = own?.role ?? view.roles[seat];
    const alive = view.alive.includes(seat);
    return [
      el("div", { class: alive ? "person" : "person dead" }, tile(role, alive && role !== "duke"), alive ? held(scene, seat, own ? own.card : view.cards[seat], Boolean(own)) : el("span", { class: "chip bad" }, "eliminated")),
      bubble(scene, seat),
    ];
  },
  middle(scene) {
    const { view } = scene;
    const known = view.deck.filter(Boolean).length;
    const absent = view.duke === null && el("figure", { class: "fact", "data-seat": DUKE }, el("div", { class: view.alive.includes(DUKE) ? "person" : "person dead" }, tile(DUKE), held(scene, DUKE, view.dummy, false)), el("figcaption", {}, "the Duke, whom nobody plays"));
    return [
      absent,
      scene.over ? null : scene.fact(`deck: ${view.deck.length}`, scene.card(view.deck[0] ?? null, { title: `${view.deck.length} cards, ${known} of them known to the one who watches`, still: true })),
      view.uprising_gone ? scene.chip("", "the uprising has been played") : null,
      ended(scene),
    ];
  },
  arrows(scene) {
    const arrows = new Map(); // a knife looks like a trade first: what is known last counts
    for (const { seat, action = "" } of lastTurn(scene)) {
      const [verb, to] = action.split(":");
      if (verb in VERBS) arrows.set(`${seat} ${to}`, { from: seat, to, label: VERBS[verb] });
    }
    return [...arrows.values()];
  },
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
  long: { name: "game", begins: (events) => events.some(({ kind }) => kind === "deal") },
});
