"use strict";
// Shows the game whose table id is the fragment of the address, so that a game can be linked to. All text is set as text.
const archive = document.getElementById("games");
const dialog = document.getElementById("game");
let unpacked;
function unpack() {
  const bytes = Uint8Array.from(atob(archive.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}
async function show() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id === "") return void (dialog.open && dialog.close());
  const row = document.querySelector(`a[href="#${CSS.escape(id)}"]`)?.closest("tr");
  if (!row) return;
  let game;
  try {
    game = (await (unpacked ??= unpack()))[id];
  } catch {
    return alert(archive.dataset.old);
  }
  dialog.querySelector("h2").textContent = `${row.cells[0].textContent} · ${row.cells[1].textContent}`;
  const lines = game.replay.map((line) => {
    const item = document.createElement("li");
    item.textContent = line;
    return item;
  });
  dialog.querySelector("ol").replaceChildren(...lines);
  const save = document.getElementById("save");
  URL.revokeObjectURL(save.href);
  save.href = URL.createObjectURL(new Blob([game.record], { type: "text/plain" }));
  save.download = `${id}.txt`;
  if (!dialog.open) dialog.showModal();
}
document.getElementById("close").addEventListener("click", () => dialog.close());
dialog.addEventListener("close", () => history.replaceState(null, "", location.pathname + location.search));
addEventListener("hashchange", show);
show();
