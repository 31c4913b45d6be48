"use strict";
(() => {
  const { rows, left_out: leftOut } = JSON.parse(document.getElementById("data").textContent);
  const box = document.getElementById("rows");
  const detail = document.getElementById("detail");
  const filter = document.getElementById("filter");
  const end = Math.max(1, ...rows.map((row) => row.end));
  const kinds = [...new Set(rows.map((row) => row.kind))].sort();
  const hidden = new Set();
  const byId = new Map(rows.map((row) => [row.id, row]));

  const time = (ms) => (ms >= 60000 ? (ms / 60000).toFixed(1) + " min" : ms >= 1000 ? (ms / 1000).toFixed(2) + " s" : ms.toFixed(ms < 10 ? 1 : 0) + " ms");
  const make = (tag, name, text) => {
    const node = document.createElement(tag);
    if (name) node.className = name;
    if (text !== undefined) node.textContent = text;
    return node;
  };

  const draw = (row) => {
    const line = make("a", "row " + row.kind + (row.ok ? "" : " failed"));
    line.href = "#" + row.id;
    line.dataset.id = row.id;
    const name = make("span", "name");
    name.append(make("small", "", row.kind), row.title);
    const lane = make("span", "lane");
    const bar = make("span", "bar");
    bar.style.left = (100 * row.start) / end + "%";
    bar.style.width = (100 * (row.end - row.start)) / end + "%";
    lane.append(bar);
    line.append(name, lane, make("span", "time", row.end > row.start ? time(row.end - row.start) : "at " + time(row.start)));
    return line;
  };

  const lines = rows.map(draw);
  box.append(...lines);
  const texts = rows.map((row) => JSON.stringify(row).toLowerCase());

  const refresh = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach((row, index) => {
      lines[index].hidden = hidden.has(row.kind) || !words.every((word) => texts[index].includes(word));
      lines[index].style.display = lines[index].hidden ? "none" : "";
    });
  };
  filter.addEventListener("input", refresh);

  for (const kind of kinds) {
    const button = make("button", "", kind);
    button.setAttribute("aria-pressed", "true");
    button.addEventListener("click", () => {
      hidden.has(kind) ? hidden.delete(kind) : hidden.add(kind);
      button.setAttribute("aria-pressed", String(!hidden.has(kind)));
      refresh();
    });
    document.getElementById("kinds").append(button);
  }

  const choose = () => {
    const row = byId.get(location.hash.slice(1));
    for (const line of lines) line.classList.toggle("chosen", row !== undefined && line.dataset.id === row.id);
    detail.hidden = row === undefined;
    if (row === undefined) return;
    detail.replaceChildren(
      make("h2", "", row.title),
      make("p", "", row.kind + ", from " + time(row.start) + " to " + time(row.end) + (row.ok ? "" : ", failed")),
      make("pre", "", JSON.stringify(row.detail, null, 2)),
    );
    lines.find((line) => line.dataset.id === row.id).scrollIntoView({ block: "nearest" });
  };
  addEventListener("hashchange", choose);

  const calls = rows.filter((row) => row.kind === "call");
  const sum = (name) => calls.reduce((total, row) => total + (row.detail[name] || 0), 0);
  const parts = [
    time(end), calls.length + " model calls", calls.filter((row) => !row.ok).length + " failed",
    sum("input_tokens") + " tokens in", sum("output_tokens") + " tokens out", sum("known_cost_usd").toFixed(6) + " USD",
  ];
  if (leftOut) parts.push(leftOut + " rows left out");
  document.getElementById("summary").textContent = rows.length ? parts.join(" \u00b7 ") : "Nothing happened that a trace shows.";
  refresh();
  choose();
})();
