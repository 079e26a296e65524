// Asks a server for news while the page is seen, by short requests: a browser opens few connections to one server. The
// page says when the server is away, and goes on when it is back.
function listen(address, hear, { pauseMs = 1000, unseenMs = 0, lose = showAway } = {}) {
  let [seen, timer, isAsking] = ["", 0, false];
  const ask = async () => {
    if (isAsking || (document.hidden && !unseenMs)) return;
    clearTimeout(timer);
    isAsking = true;
    const answer = await fetch(`${address}?seen=${seen}`, { signal: AbortSignal.timeout(15000) }).catch(() => null);
    const news = answer?.status === 200 ? await answer.json().catch(() => null) : null;
    isAsking = false;
    lose(!answer?.ok);
    if (news) {
      seen = answer.headers.get("X-Seen");
      hear(news);
    }
    timer = setTimeout(ask, document.hidden ? unseenMs : pauseMs);
  };
  document.addEventListener("visibilitychange", ask);
  addEventListener("online", ask);
  addEventListener("offline", () => lose(true));
  ask();
}

function showAway(isAway) {
  const shown = document.getElementById("away");
  if (!isAway) return shown?.remove();
  if (shown) return;
  const said = Object.assign(document.createElement("p"), { id: "away", role: "status" });
  said.textContent = "The server is away; this page goes on when it is back.";
  document.body.prepend(said);
}
