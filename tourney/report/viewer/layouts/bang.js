// Bang: stocks as heights with what all remember of their tops, the pile, the debt, and who is quicker than whom.

import { register } from "../layouts.js";
import { EVERYONE } from "../data.js";
import { counted, el } from "../elements.js";
import { fan } from "../table.js";

const RANKS = "23456789TJQKA";
const LAST = 6; // turned cards of the pile that are shown: a reason to bang is among the last three

// A settled card, from a line such as "0:Qs anticipate:0,2 bang:1 penalty:0=1,1=1 pile:1".
function settled(line) {
  const [[seat, card], ...parts] = line.split(" ").map((part) => part.split(":"));
  const said = Object.fromEntries(parts);
  const seats = (text) => (text ? text.split(",").map(Number) : []);
  const penalties = said.penalty ? said.penalty.split(",").map((each) => each.split("=").map(Number)) : [];
  const [anticipated, banged] = [seats(said.anticipate), seats(said.bang)];
  const won = said.pile === undefined ? null : Number(said.pile);
  const bang = !penalties.length && [...anticipated, ...banged].includes(won);
  return { seat: Number(seat), card, anticipated, banged, penalties, won, bang };
}

const lastOf = (view) => (view.turns.length ? settled(view.turns.at(-1)) : null);

// In an outcome: the card that is settled, and what was before that; where all anticipate, that is before it is turned.
const settledNow = (scene) => lastOf((scene.next ?? scene).view);

function before(scene) {
  const view = scene.match.view(scene.bottom, Math.floor(scene.at));
  return view.question === "bang" ? view : { ...view, pile: [...view.pile, settledNow(scene).card] };
}

// docs/rules/bang, "Reasons to bang"
const REASONS = {
  pair: ([top, second]) => top === second,
  sandwich: ([top, , third]) => top === third,
  marriage: (ranks) => ["KQ", "QK"].includes(ranks.slice(0, 2).join("")),
  ten: ([top, second]) => ["A9", "28", "37", "46", "55", "64", "73", "82", "9A"].includes(top + second),
  run([top, second, third]) {
    const [high, middle, low] = [top, second, third].map((rank) => RANKS.indexOf(rank));
    return Math.min(high, middle, low) >= 0 && high - middle === middle - low && Math.abs(high - middle) === 1;
  },
};

function reasons(scene, pile) {
  const ranks = pile.map((card) => card[0]).reverse();
  return scene.match.data.options.bang_on.filter((name) => REASONS[name](ranks));
}

// The seats from the quickest to the slowest at this card; nobody at the table knows, so only everyone is shown it.
function reflexes(scene) {
  for (let number = Math.floor(scene.at) - 1; scene.watcher === EVERYONE && number >= 0; number--) {
    const drawn = scene.match.after(scene.watcher, number).findLast(({ kind }) => kind === "reflex");
    if (drawn) return drawn.facts.order;
  }
  return null;
}

// What all seats are being asked, and whether they should say yes.
function asked(scene) {
  const { view, names } = scene;
  if (view.question === "anticipate") return `Before ${names[view.mover]} turns: who bangs unseen?`;
  const why = reasons(scene, view.pile);
  return ["Who bangs? ", why.length ? el("b", {}, `There is a reason: ${why.join(" and ")}.`) : "There is no reason."];
}

const ANSWERS = { anticipate: "anticipates", wait: "waits", bang: "bangs", hold: "holds" };

// What a seat has answered, as far as the watcher knows.
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

register("bang", {
  chips(scene, seat) {
    const { view } = scene;
    const order = scene.over ? null : reflexes(scene);
    return [
      order && scene.chip("reflex", order.indexOf(seat) + 1, "", "1 is the quickest at this card"),
      seat === view.mover && !scene.over ? scene.chip("", view.question === "bang" ? "turned" : "turns next") : null,
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
      !scene.outcome && owes ? scene.fact(owes, el("b", { class: "counter" }, view.debt)) : null,
      scene.over || scene.outcome ? null : el("p", { class: "asked" }, asked(scene)),
    ];
  },
  arrows({ outcome, view: { debt, creditor, mover } }) {
    return !outcome && debt && creditor !== null && creditor !== mover ? [{ from: mover, to: creditor }] : [];
  },
  table(scene) {
    const { view, names } = scene.next ?? scene;
    const last = lastOf(view);
    const listed = (seats) => seats.map((seat) => names[seat]).join(", ");
    const paid = ([seat, count]) => `${names[seat]} paid ${count}`;
    const said = last && [
      `${names[last.seat]} turned ${last.card}`,
      last.anticipated.length && `${listed(last.anticipated)} anticipated`,
      last.banged.length && `${listed(last.banged)} banged`,
      last.penalties.length && `wrongly: ${last.penalties.map(paid).join(", ")}`,
      last.won !== null && `${names[last.won]} ${last.bang ? "was the quickest and took" : "took"} the pile`,
    ];
    return [
      ["cards turned", String(view.turned)],
      ["last settled card", said ? said.filter(Boolean).join("; ") : "none yet"],
    ];
  },
  outcome(scene) {
    const { names } = scene;
    const { won, bang, penalties } = settledNow(scene);
    const { pile, debt } = before(scene);
    const paid = penalties.map(([seat]) => names[seat]).join(", ");
    const who = names[won];
    const why = reasons(scene, pile).map((name) => `a ${name} (${scene.meaning(name)})`);
    if (bang && why.length) return [`${who} is the quickest to bang on ${why.join(" and ")}, and takes the pile`];
    const paidUp = debt === 1 ? "the debt is paid" : "nobody has a card left";
    return [paid && `no reason to bang, so a penalty for ${paid}`, won !== null && `${paidUp}: ${who} takes the pile`];
  },
  gain(scene, seat) {
    const gained = (scene.next ?? scene).view.sizes[seat] - before(scene).sizes[seat];
    return gained === 0 ? "" : counted(gained > 0 ? `+${gained}` : gained, "cards");
  },
  ends(events, match, watcher, number) {
    const seat = watcher === EVERYONE ? match.seats[0] : watcher;
    const [earlier, later] = [match.view(seat, number), match.view(seat, number + 1)];
    if (later.turns.length === earlier.turns.length) return false;
    const { won, penalties } = lastOf(later);
    return won !== null || penalties.length > 0;
  },
  onTable: ["reflex"],
  scores: ({ sizes }) => sizes,
  scored: "cards",
  highlights(events, match, watcher, at) {
    const seat = watcher === EVERYONE ? match.seats[0] : watcher;
    const [before, now] = [match.view(seat, at - 1), match.view(seat, at)];
    if (before.sizes === now.sizes) return [];
    const { won, bang } = events.some(({ kind }) => kind === "pile") ? lastOf(now) : {};
    const ranOut = match.names.filter((_, each) => before.sizes[each] && !now.sizes[each]);
    const gained = now.sizes[won] - before.sizes[won];
    return [
      ...(bang ? [`${match.names[won]} bangs and takes ${gained} cards`] : []),
      ...ranOut.map((name) => `${name} has no card left`),
    ];
  },
  short: { name: "card", begins: (events) => events.some(({ kind }) => kind === "turned") },
  long: {
    name: "bang",
    begins(events, match, watcher, at) {
      const seat = watcher === EVERYONE ? match.seats[0] : watcher;
      return events.some(({ kind }) => kind === "pile") && lastOf(match.view(seat, at)).bang;
    },
  },
});
