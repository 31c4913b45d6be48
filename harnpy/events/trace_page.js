"use strict";
(() => {
  const { about, rows, left_out: leftOut, totals } = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const end = rows.reduce((most, row) => Math.max(most, row.end), Math.max(1, about.end));
  const kinds = [...new Set(rows.map((row) => row.kind))].sort();
  const places = new Map(rows.map((row, index) => [row.id, index]));
  // What the address keeps: the chosen row, the filter, and the part of the run that is shown.
  const state = { chosen: null, words: "", hidden: new Set(), failed: false, order: "time", from: 0, to: end };
  let order = []; // places of the rows that are shown, as they stand

  // --- texts ----------------------------------------------------------------------------------

  const number = (value, digits = 0) => value.toLocaleString("en", { maximumFractionDigits: digits });
  const time = (ms) => {
    if (ms >= 3600000) return number(ms / 3600000, 2) + " h";
    if (ms >= 60000) return number(ms / 60000, 2) + " min";
    if (ms >= 1000) return number(ms / 1000, 2) + " s";
    return number(ms, ms < 10 ? 2 : 0) + " ms";
  };
  const money = (usd) => (usd === 0 ? "0" : usd >= 1 ? usd.toFixed(2) : usd.toPrecision(3).replace(/e.*/, (power) => power)) + " USD";
  const price = (usd, unpriced, calls) => (calls > 0 && unpriced === calls ? "unknown" : money(usd));
  const length = (row) => row.end - row.start;
  const share = (part) => (100 * part / end).toFixed(part / end < 0.1 ? 1 : 0) + " %";
  const date = (ms) => new Date(ms).toISOString().replace("T", " ").replace("Z", " UTC");
  const moment = (ms) => "at " + time(ms) + (about.virtual || about.began_ms === null ? "" : ", " + date(about.began_ms + ms));
  const isSpan = (row) => row.kind === "call" || row.kind === "wait" || row.kind === "tool";

  const fault = (row) => {
    const error = row.detail.error;
    if (error === undefined || error === null) return "";
    const category = row.detail.error_category === "generic" ? "" : row.detail.error_category;
    if (typeof error === "string") return [category ?? "", error].filter(String).join(" ");
    const name = category ?? error.category ?? error.kind ?? "";
    return [name, error.status ?? "", error.message ?? ""].filter(String).join(" ") || JSON.stringify(error);
  };
  const brief = (row) => {
    const { detail } = row;
    if (row.state === "open") return "not finished when the run ended";
    const attempt = detail.attempt ? `attempt ${detail.attempt}: ` : "";
    if (isSpan(row) && row.state !== "ok") return attempt + (row.state === "cancelled" ? "cancelled" : fault(row) || row.state);
    if (row.kind === "call") {
      const parts = [`${attempt}${number(detail.input_tokens ?? 0)} in, ${number(detail.output_tokens ?? 0)} out`];
      if (detail.known_cost_usd) parts.push(money(detail.known_cost_usd));
      return parts.join(", ");
    }
    if (row.kind === "tool") return detail.raw_input === undefined ? "" : JSON.stringify(detail.raw_input);
    if (row.kind === "wait") return detail.server_asked_for_ms === undefined ? "" : "the server asked for " + time(detail.server_asked_for_ms);
    const told = ["status", "phase", "provider", "model", "link_label", "tool_name", "pattern", "kind", "reason", "error_category", "last_error_category", "category", "message", "content", "text"];
    const said = detail.warning ?? detail;
    if (row.title.startsWith("iteration_")) told.unshift("iteration");
    return told.map((key) => said[key]).filter((value) => typeof value === "string" || typeof value === "number").filter(String).join(" ");
  };

  // --- elements -------------------------------------------------------------------------------

  const make = (tag, name, ...content) => {
    const node = document.createElement(tag);
    if (name) node.className = name;
    node.append(...content);
    return node;
  };
  // Names and texts of any script stand beside ours without turning the line round.
  const text = (name, content) => {
    const node = make("bdi", name, content);
    node.dir = "auto";
    return node;
  };
  const link = (row, content) => {
    const node = make("a", "", content);
    node.href = "#" + row.id;
    return node;
  };

  const draw = (row) => {
    const line = make("a", `row ${row.kind} ${row.state}`);
    line.href = "#" + row.id;
    line.id = "row-" + row.id; // not the fragment itself: the browser would scroll it below the bar
    line.dataset.id = row.id;
    line.tabIndex = -1;
    line.setAttribute("role", "option");
    const name = make("span", "name", make("small", "", row.kind), text("", row.title), text("brief", brief(row)));
    if (row.task > 0) name.firstChild.append(" #" + row.task);
    const lane = make("span", "lane", make("span", "bar"));
    const point = !isSpan(row);
    line.append(name, lane, make("span", "time", point ? "at " + time(row.start) : time(length(row))));
    line.setAttribute("aria-label", `${row.kind} ${row.title}, ${row.state}, ${brief(row)}, ${time(length(row))} ${moment(row.start)}`);
    return line;
  };
  const place = (row, line) => {
    const whole = state.to - state.from;
    const from = Math.max(row.start, state.from), to = Math.min(row.end, state.to);
    const bar = line.childNodes[1].firstChild;
    bar.style.left = Math.min(99.7, (100 * (from - state.from)) / whole) + "%";
    bar.style.width = Math.max(0, (100 * (to - from)) / whole) + "%";
  };

  // Only the rows in sight are elements: a run may have thousands. A print has them all.
  const rowHeight = () => (innerWidth <= 600 ? 44 : 24);
  const paint = (everything = false) => {
    const box = $("rows"), high = rowHeight();
    box.style.height = order.length * high + "px";
    const most = everything ? order.length : Math.ceil(innerHeight / high) + 40;
    const first = Math.max(0, Math.min(order.length - most, Math.floor(-box.getBoundingClientRect().top / high) - 20));
    const seen = order.slice(first, first + most);
    box.replaceChildren(...seen.map((index, offset) => {
      const row = rows[index], line = draw(row);
      line.style.top = (first + offset) * high + "px";
      line.setAttribute("aria-setsize", order.length);
      line.setAttribute("aria-posinset", first + offset + 1);
      if (row.id === state.chosen) {
        line.classList.add("chosen");
        line.setAttribute("aria-selected", "true");
      }
      place(row, line);
      return line;
    }));
    if (!order.length) box.append(make("p", "empty", rows.length ? "No row is like that." : "Nothing happened that a trace shows."));
  };
  const reveal = (position) => {
    const top = $("rows").getBoundingClientRect().top + position * rowHeight();
    const above = getComputedStyle(document.querySelector("nav")).position === "sticky" ? document.querySelector("nav").offsetHeight : 0;
    const sheet = getComputedStyle($("detail")).position === "fixed" ? $("detail").offsetHeight : 0;
    const below = innerHeight - sheet - 2 * rowHeight();
    if (top < above + rowHeight() || top > below) scrollBy(0, top - Math.max(above + rowHeight(), (above + below) / 2));
  };

  // --- the summary ----------------------------------------------------------------------------

  // How long at least one of these rows was under way.
  const covered = (chosen) => {
    let total = 0, until = 0;
    for (const row of chosen) {
      if (row.end > until) {
        total += row.end - Math.max(row.start, until);
        until = row.end;
      }
    }
    return total;
  };
  const sum = (list, value) => list.reduce((total, each) => total + (value(each) || 0), 0);
  const groups = (list, key) => {
    const found = new Map();
    for (const row of list) {
      const name = key(row);
      found.has(name) ? found.get(name).push(row) : found.set(name, [row]);
    }
    return [...found].sort((a, b) => sum(b[1], length) - sum(a[1], length));
  };
  const longest = (list) => list.reduce((most, row) => (length(row) > length(most) ? row : most));
  const median = (list) => list.map(length).sort((a, b) => a - b)[list.length >> 1];
  const count = (list, wanted) => list.filter((row) => row.state === wanted).length || "";

  const table = (title, heads, body) => {
    if (!body.length) return;
    const cells = (tag, values) => make("tr", "", ...values.map((value) => make(tag, value === "what" ? "text" : "", value)));
    const head = cells("th", heads);
    const shown = body.slice(0, 30).map((values) => cells("td", values));
    const part = make("section", "", make("h2", "", title), make("table", "", make("thead", "", head), make("tbody", "", ...shown)));
    if (body.length > 30) part.append(make("p", "", `and ${body.length - 30} more`));
    part.tabIndex = 0; // wide tables are scrolled by keys too
    $("tables").append(part);
  };

  const summarise = () => {
    const of = (kind) => rows.filter((row) => row.kind === kind);
    const [calls, waits, tools] = ["call", "wait", "tool"].map(of);
    const tiles = [
      ["duration", time(about.end), about.virtual ? "virtual clock" : ""], ["model calls", number(totals.calls), totals.cancelled ? `${number(totals.cancelled)} cancelled` : ""],
      ["failed calls", number(totals.failed), totals.calls ? ((100 * totals.failed) / totals.calls).toFixed(0) + " %" : ""],
      ["tokens", number(totals.input_tokens + totals.output_tokens), `${number(totals.input_tokens)} in, ${number(totals.output_tokens)} out`],
      ["cost", price(totals.known_cost_usd, totals.unpriced, totals.calls - totals.failed - totals.cancelled), totals.unpriced ? `${number(totals.unpriced)} calls without a price` : ""],
      ["waiting", time(covered(waits)), share(covered(waits))],
    ];
    $("tiles").append(...tiles.map(([name, value, more]) => make("p", name === "failed calls" && totals.failed ? "tile bad" : "tile", make("small", "", name), make("b", "", value), make("span", "", more))));
    const ended = about.exit_code === 0 ? "ended well" : about.exit_code === null ? "was broken off" : "ended with exit code " + about.exit_code;
    $("run").textContent = `The run ${ended}${about.began_ms === null ? "" : ", began " + date(about.began_ms)}, harnpy ${about.harnpy}.` + (leftOut ? ` ${number(leftOut)} rows are left out.` : "");
    $("error").hidden = !about.error;
    $("error").textContent = about.error ?? "";

    const kindsOfTime = [["model calls", calls], ["waits", waits], ["tools", tools]].filter(([, list]) => list.length);
    const rest = about.end - covered(rows.filter(isSpan));
    const timeRows = kindsOfTime.map(([name, list]) => [name, time(covered(list)), share(covered(list)), time(sum(list, length)), number(list.length), String(count(list, "failed"))]);
    if (rows.length) timeRows.push(["nothing of these: the program", time(rest), share(rest), "", "", ""]);
    table("Time", ["", "of the run", "share", "added up", "rows", "failed"], timeRows);
    table("Failures", ["where", "what", "times", "first", "last"], groups(rows.filter((row) => row.state === "failed"), (row) => row.kind + " " + row.title + "\n" + (fault(row) || brief(row)).slice(0, 300)).map(([key, list]) => [
      text("", key.slice(0, key.indexOf("\n"))), text("", key.slice(key.indexOf("\n") + 1)), number(list.length), link(list[0], time(list[0].start)), link(list.at(-1), time(list.at(-1).start))]));
    table("Models", ["model", "calls", "failed", "cancelled", "tokens in", "out", "cost", "added up", "median", "slowest"], groups(calls, (row) => row.title).map(([name, list]) => [
      text("", name), number(list.length), String(count(list, "failed")), String(count(list, "cancelled")), number(sum(list, (row) => row.detail.input_tokens)), number(sum(list, (row) => row.detail.output_tokens)),
      price(sum(list, (row) => row.detail.known_cost_usd), list.filter((row) => row.detail.cost_usd === null).length, list.filter((row) => row.state === "ok").length), time(sum(list, length)), time(median(list)), link(longest(list), time(length(longest(list))))]));
    const spans = (list) => groups(list, (row) => row.title).map(([name, found]) => [text("", name), number(found.length), String(count(found, "failed")), time(sum(found, length)), link(longest(found), time(length(longest(found))))]);
    table("Waits", ["for", "times", "cut off", "added up", "longest"], spans(waits));
    table("Tools", ["tool", "calls", "failed", "added up", "longest"], spans(tools));
    $("where").hidden = !rows.length;
  };

  // --- the time line --------------------------------------------------------------------------

  const texts = [];
  const textOf = (index) => (texts[index] ??= JSON.stringify(rows[index]).toLowerCase());
  const matches = (row, index, words) => words.every((word) => {
    const [, key, value] = /^(task|state|kind):(.*)$/.exec(word) ?? [];
    return key ? String(row[key]) === value : textOf(index).includes(word);
  });

  const axis = () => {
    const whole = state.to - state.from;
    const steps = innerWidth < 700 ? 3 : 6;
    const power = 10 ** Math.floor(Math.log10(whole / steps));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power * steps >= whole);
    const ticks = [];
    for (let at = Math.ceil(state.from / step) * step; at < state.to; at += step) {
      const tick = make("span", "tick", time(at));
      tick.style.left = (100 * (at - state.from)) / whole + "%";
      ticks.push(tick);
    }
    $("axis").replaceChildren(make("span", "lane", ...ticks));
  };

  const refresh = () => {
    const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
    order = [];
    rows.forEach((row, index) => {
      const shown = !state.hidden.has(row.kind) && (!state.failed || row.state === "failed") && row.end >= state.from && row.start <= state.to && matches(row, index, words);
      if (shown) order.push(index);
    });
    const by = { length: (index) => -length(rows[index]), cost: (index) => -(rows[index].detail.known_cost_usd || 0) }[state.order];
    if (by) order.sort((a, b) => by(a) - by(b) || a - b);
    $("shown").textContent = order.length === rows.length ? `${number(rows.length)} row${rows.length === 1 ? "" : "s"}` : `${number(order.length)} of ${number(rows.length)} rows`;
    $("filter").value = state.words;
    $("order").value = state.order;
    $("failed").setAttribute("aria-pressed", String(state.failed));
    for (const button of $("kinds").children) button.setAttribute("aria-pressed", String(!state.hidden.has(button.dataset.kind)));
    axis();
  };

  // --- one row in detail ----------------------------------------------------------------------

  const facts = (row) => {
    const { detail } = row;
    const list = [["state", row.state], ["from", moment(row.start)], ["length", time(length(row))]];
    const error = fault(row);
    if (error) list.push(["failed with", error]);
    const after = detail.error?.retry_after_ms ?? detail.server_asked_for_ms;
    if (after !== undefined && after !== null) list.push(["server asked for", time(after)]);
    if (detail.ms !== undefined) list.push(["asked for", time(detail.ms)]);
    if (detail.input_tokens !== undefined) list.push(["tokens", `${number(detail.input_tokens)} in, ${number(detail.output_tokens ?? 0)} out`]);
    if (detail.known_cost_usd !== undefined) list.push(["cost", detail.cost_usd === null ? "no known price" : money(detail.known_cost_usd)]);
    if (detail.attempt) list.push(["attempt", String(detail.attempt)]);
    if (row.task) list.push(["task", String(row.task)]);
    if (row.follows) list.push(["comes after", link({ id: row.follows }, "the failed call " + row.follows)]);
    const next = rows.filter((each) => each.follows === row.id);
    if (next.length) list.push(["followed by", make("span", "", ...next.flatMap((each) => [link(each, `${each.kind} ${each.id}`), " "]))]);
    return make("dl", "", ...list.flatMap(([name, value]) => [make("dt", "", name), make("dd", "", typeof value === "string" ? text("", value) : value)]));
  };

  const choose = (id, scroll = true) => {
    const index = places.get(id);
    state.chosen = index === undefined ? null : id;
    document.body.classList.toggle("choosing", index !== undefined);
    $("detail").hidden = index === undefined;
    if (index === undefined) {
      $("rows").removeAttribute("aria-activedescendant");
      return paint();
    }
    const row = rows[index];
    $("rows").setAttribute("aria-activedescendant", "row-" + id);
    const close = make("button", "close", "\u00d7");
    close.setAttribute("aria-label", "close");
    close.addEventListener("click", () => go({ chosen: null }));
    const raw = make("pre", "", JSON.stringify(row.detail, null, 2));
    raw.dir = "auto";
    $("detail").replaceChildren(close, make("h2", "", make("small", "", row.kind + " "), text("", row.title)), facts(row), raw);
    $("detail").scrollTop = 0;
    paint();
    if (scroll && order.includes(index)) {
      reveal(order.indexOf(index));
      paint();
    }
  };

  // --- the address ----------------------------------------------------------------------------

  const address = () => {
    const parts = [state.chosen ?? ""];
    if (state.words) parts.push("q=" + encodeURIComponent(state.words));
    if (state.hidden.size) parts.push("hide=" + [...state.hidden].join(","));
    if (state.failed) parts.push("failed");
    if (state.order !== "time") parts.push("order=" + state.order);
    if (state.from > 0 || state.to < end) parts.push(`t=${state.from}-${state.to}`);
    return "#" + parts.join("&");
  };
  const value = (textInAddress) => {
    try {
      return decodeURIComponent(textInAddress);
    } catch {
      return textInAddress;
    }
  };
  const read = () => {
    const [chosen, ...parts] = location.hash.slice(1).split("&");
    const given = new Map(parts.map((part) => [part.split("=")[0], value(part.slice(part.indexOf("=") + 1))]));
    const [from, to] = (given.get("t") ?? "").split("-").map(parseFloat);
    const zoomed = from >= 0 && to > from && from < end;
    Object.assign(state, {
      words: given.get("q") ?? "", failed: given.has("failed"), from: zoomed ? from : 0, to: zoomed ? Math.min(to, end) : end,
      hidden: new Set((given.get("hide") ?? "").split(",").filter((kind) => kinds.includes(kind))),
      order: ["length", "cost"].includes(given.get("order")) ? given.get("order") : "time",
    });
    refresh();
    choose(chosen);
  };
  let later;
  // Change what is shown. The address follows a little later: browsers slow down pages that change it with every key.
  const go = (change) => {
    const chosen = "chosen" in change;
    Object.assign(state, change);
    if (!chosen || Object.keys(change).length > 1) refresh();
    choose(state.chosen, chosen);
    clearTimeout(later);
    later = setTimeout(() => history.replaceState(null, "", address()), 150);
  };

  // --- what the user does ---------------------------------------------------------------------

  const step = (by, wanted = () => true) => {
    const at = order.indexOf(places.get(state.chosen) ?? -1);
    let next = at < 0 ? (by > 0 ? 0 : order.length - 1) : at + by;
    while (next >= 0 && next < order.length && !wanted(rows[order[next]])) next += Math.sign(by);
    if (next >= 0 && next < order.length) go({ chosen: rows[order[next]].id });
  };
  const edge = (index) => index !== undefined && go({ chosen: rows[index].id });
  const bad = (row) => row.state === "failed";
  const zoom = () => {
    const row = rows[places.get(state.chosen)];
    if (row === undefined) return;
    const margin = Math.max(length(row) * 0.1, end / 1000);
    go({ from: Math.max(0, row.start - margin), to: Math.min(end, row.end + margin) });
  };
  const actions = {
    j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1), PageDown: () => step(Math.min(10, order.length - 1 - order.indexOf(places.get(state.chosen) ?? -1)) || 1),
    PageUp: () => step(-Math.min(10, order.indexOf(places.get(state.chosen) ?? -1)) || -1), n: () => step(1, bad), p: () => step(-1, bad),
    Home: () => edge(order[0]), End: () => edge(order.at(-1)), "/": () => $("filter").select(), f: () => go({ failed: !state.failed }), z: zoom,
    0: () => go({ from: 0, to: end }), "?": () => $("keys").click(),
    Escape: () => (state.chosen !== null ? go({ chosen: null }) : go({ words: "", failed: false, hidden: new Set(), from: 0, to: end })),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select")) {
      if (event.key === "Escape") event.target.blur();
      if (event.target.matches("input") && (event.key === "Enter" || event.key === "ArrowDown")) {
        $("rows").focus();
        edge(order[0]);
        event.preventDefault();
      }
      return;
    }
    if (event.key in actions) {
      actions[event.key]();
      event.preventDefault();
    }
  });
  $("filter").addEventListener("input", () => go({ words: $("filter").value }));
  $("failed").addEventListener("click", () => go({ failed: !state.failed }));
  $("order").addEventListener("change", () => go({ order: $("order").value }));
  $("keys").addEventListener("click", () => {
    $("help").hidden = !$("help").hidden;
    $("keys").setAttribute("aria-expanded", String(!$("help").hidden));
  });
  for (const kind of kinds) {
    const button = make("button", kind, kind);
    button.type = "button";
    button.dataset.kind = kind;
    button.addEventListener("click", () => {
      const hidden = new Set(state.hidden);
      hidden.delete(kind) || hidden.add(kind);
      go({ hidden });
    });
    $("kinds").append(button);
  }
  // Dragging over the axis shows that part of the run.
  let pressed = null;
  const pointed = (event) => {
    const box = $("axis").firstChild.getBoundingClientRect();
    return state.from + (state.to - state.from) * Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  };
  $("axis").addEventListener("pointerdown", (event) => (pressed = pointed(event)));
  addEventListener("pointerup", (event) => {
    if (pressed === null) return;
    const [from, to] = [pressed, pointed(event)].sort((a, b) => a - b);
    pressed = null;
    if (to - from > (state.to - state.from) / 200) go({ from, to });
  });
  addEventListener("hashchange", read);
  addEventListener("resize", () => (axis(), paint()));
  addEventListener("scroll", () => paint(), { passive: true });
  addEventListener("beforeprint", () => paint(true));
  addEventListener("afterprint", () => paint());

  summarise();
  read();
})();
