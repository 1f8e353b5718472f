// The page: one row at a time. Names reach the document as text only (textContent), never as markup.
(() => {
  const $ = (id) => document.getElementById(id);
  const held = $("data");
  const backend = held ? staticBackend(JSON.parse(held.textContent)) : {
    remembers: "file",
    async ask(question, body = {}) {
      const answer = await fetch(`api/${question}`, {method: "POST", headers: {"Content-Type": "application/json"},
        body: JSON.stringify(body)});
      if (!answer.ok) throw new Error(await answer.text());
      return answer.json();
    },
  };
  const make = (tag, words = "", kind = "") => {
    const element = document.createElement(tag);
    if (words !== "") element.textContent = words;
    if (kind) element.className = kind;
    return element;
  };
  const drawn = (tag, settings) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(settings)) element.setAttribute(name, value);
    return element;
  };
  const percent = (p) => (p > 0.0005 && p < 0.9995 ? `${(100 * p).toFixed(p < 0.0995 || p > 0.9005 ? 1 : 0)} %` : p >= 0.9995 ? "100 %" : "0 %");
  // Of many labels even the best set is improbable: only then digits of small numbers tell anything.
  const small = (p, most) => (!(p > 0 && p < 0.0005) ? percent(p) : most > 0.0005 ? "<0.1 %" : p < 5e-5 ? `${(100 * p).toExponential(0)} %` : `${(100 * p).toFixed(2)} %`);
  const FIRST = 40, PAGE = 50;
  let about, list = [], nFound = 0, row = 0, known = {}, view = null, focus = null, showAll = false, turn = 0, lastSettled = null;

  const say = (words, kind = "soft") => { $("said").textContent = words; $("said").className = `small ${kind}`; };
  const guarded = (work) => async (...given) => {
    try { await work(...given); } catch (problem) { say(problem.message || String(problem), "bad"); }
  };
  const name = (k) => about.labels[k];

  // ---- rows -------------------------------------------------------------------------------------------------------
  const listRows = guarded(async (offset = 0) => {
    const label = $("has").value === "" ? null : Number($("has").value), order = $("order").value;
    const found = await backend.ask("rows", {order, query: $("query").value, label, offset, most: PAGE});
    if (offset === 0) { list = []; $("rows").replaceChildren(); }
    nFound = found.n_found;
    for (const each of found.rows) { list.push(each[0]); $("rows").append(rowButton(each, order)); }
    const measuring = order !== "file" && found.n_measured < about.n_rows;
    $("found").textContent = `${nFound.toLocaleString("en")} rows${measuring ? `, ${found.n_measured.toLocaleString("en")} measured so far` : ""}`;
    $("more").hidden = list.length >= nFound;
    markRow();
    clearTimeout(listRows.later);
    if (measuring && !found.problem && offset === 0) listRows.later = setTimeout(() => { if ($("order").value === order && list.length <= PAGE) listRows(); }, 1500);
  });
  const MEASURES = {doubtful: (v) => percent(v), uncertain: (v) => `${v.toFixed(2)} nats`, disagreeing: (v) => `${v} labels`};
  function rowButton([number, called, glimpse, measure], order) {
    const item = make("li"), button = make("button");
    if (measure !== null) button.append(make("span", MEASURES[order](measure), "measure"));
    button.append(make("b", called));
    if (glimpse) button.append(make("span", glimpse, "glimpse"));
    button.dataset.row = number;
    button.onclick = () => go(number);
    item.append(button);
    return item;
  }
  function markRow() {
    for (const button of $("rows").querySelectorAll("button")) {
      const here = Number(button.dataset.row) === row;
      button.setAttribute("aria-current", here);
      if (here && matchMedia("(min-width: 900px)").matches) button.scrollIntoView({block: "nearest"});
    }
  }
  const go = guarded(async (number) => {
    row = number; known = {}; focus = null;
    $("whycard").hidden = true;
    try { history.replaceState(null, "", `#${row}`); } catch { /* a file may not */ }
    markRow();
    const [features] = await Promise.all([backend.ask("row", {row}), update()]);
    showFeatures(features);
  });
  const step = guarded(async (by) => {
    let place = list.indexOf(row) + by;
    if (place >= list.length && list.length < nFound) await listRows(list.length);
    place = Math.min(Math.max(place, 0), list.length - 1);
    if (list.length) await go(list[place]);
  });
  function showFeatures({text, features, image, n_more}) {
    $("image").replaceChildren(); $("text").replaceChildren();
    document.body.classList.toggle("seen", Boolean(image) || text.length > 0);
    if (image) {
      const canvas = make("canvas");
      canvas.width = image.width; canvas.height = image.height;
      canvas.setAttribute("role", "img"); canvas.setAttribute("aria-label", `the row as a picture of ${image.height} by ${image.width} pixels`);
      const context = canvas.getContext("2d"), pixels = context.createImageData(image.width, image.height);
      const high = Math.max(...image.pixels), low = Math.min(...image.pixels);
      image.pixels.forEach((value, i) => {
        const ink = 255 - Math.round(255 * (value - low) / (high - low || 1));
        pixels.data.set([ink, ink, ink, 255], 4 * i);
      });
      context.putImageData(pixels, 0, 0);
      $("image").append(canvas);
    }
    for (const [title, words] of text) $("text").append(make("b", title, "soft small"), make("p", words));
    const body = $("features").tBodies[0];
    body.replaceChildren();
    for (const [title, value] of image ? [] : features) {
      const line = body.insertRow(), head = make("td", title);
      head.title = title;
      line.append(head, make("td", value));
    }
    $("nmore").textContent = n_more && !image ? `and ${n_more.toLocaleString("en")} more features` : "";
  }

  // ---- one answer -------------------------------------------------------------------------------------------------
  const update = guarded(async () => {
    const mine = ++turn, body = {row, known, loss: $("loss").value};
    const found = await backend.ask("view", body);
    if (mine !== turn) return;
    const waits = found.decision === null;
    if (waits) found.decision = view && view.row === row ? view.decision : [];  // many labels: it takes a moment
    view = found;
    showView();
    $("sets").classList.add("busy"); $("decision").classList.toggle("busy", waits);
    await new Promise((go) => setTimeout(go, 60));  // who clicks on at once does not wait for what takes longer
    if (mine !== turn) return;
    const more = await backend.ask("sets", body);
    if (mine !== turn) return;
    if (waits) { view.decision = more.decision; $("decision").classList.remove("busy"); showDecision(); showLabels(); }
    showSets(more);
  });
  function tell(k, value) {
    if (value === undefined || known[k] === value) delete known[k]; else known[k] = value;
    focus = k;
    return update();
  }
  const cycled = (k) => (known[k] === undefined ? 1 : known[k] === 1 ? 0 : undefined);
  function showView() {
    $("rowname").textContent = /^\d+$/.test(view.name) ? `Row ${view.name}` : `${view.name}`;
    const rough = !view.exact && view.worth != null && view.worth < 20 ? `, worth ${view.worth.toFixed(0)}: rough` : "";
    $("how").textContent = `${view.exact ? "exact" : "estimated"}: ${view.how}${rough}`;
    $("forget").hidden = Object.keys(known).length === 0;
    showDecision(); showLabels(); showGraph(); showDoubts();
    if (!$("whycard").hidden && focus !== null && known[focus] === undefined) explain(focus);
    say("");
  }
  function showDecision() {
    $("decidedfor").textContent = `for ${$("loss").value}`;
    const had = view.recorded ? new Set(view.recorded) : null, has = new Set(view.decision), chips = [];
    for (const k of view.decision) chips.push(make("span", name(k), had && !had.has(k) ? "chip new" : "chip"));
    if (had) for (const k of view.recorded) if (!has.has(k)) chips.push(make("span", name(k), "chip gone"));
    $("decision").replaceChildren(...(chips.length ? chips : [make("span", "no label", "soft")]));
    if (had && chips.some((chip) => chip.className !== "chip")) $("decision").append(make("div", "green: decided but not recorded; struck out: recorded but not decided", "soft small"));
  }
  function order() {
    const words = $("find").value.toLowerCase();
    const found = [...view.marginals.keys()].filter((k) => !words || name(k).toLowerCase().includes(words));
    if (about.labels.length > FIRST) found.sort((a, b) => (known[b] !== undefined) - (known[a] !== undefined) || view.marginals[b] - view.marginals[a] || a - b);
    return found;
  }
  function showLabels() {
    const all = order(), shown = showAll ? all : all.slice(0, FIRST), doubted = new Map(view.doubts);
    const recorded = view.recorded && new Set(view.recorded), decided = new Set(view.decision);
    const active = document.activeElement && document.activeElement.dataset.key;
    $("labels").replaceChildren(...shown.map((k) => labelLine(k, recorded, decided, doubted)));
    $("alllabels").hidden = all.length <= FIRST;
    $("alllabels").textContent = showAll ? `Show the first ${FIRST}` : `Show all ${all.length}`;
    if (active) { const again = $("labels").querySelector(`[data-key="${active}"]`); if (again) again.focus({preventScroll: true}); }
  }
  function labelLine(k, recorded, decided, doubted) {
    const item = make("li", "", known[k] === undefined ? "" : `known-${known[k]}`);
    if (k === focus) item.classList.add("focus");
    const title = make("button", "", decided.has(k) ? "name in" : "name");
    if (recorded) {
      const dot = make("span", "", `rec${recorded.has(k) ? " on" : ""}${doubted.has(k) ? " doubt" : ""}`);
      dot.title = `${recorded.has(k) ? "recorded" : "not recorded"}${doubted.has(k) ? `, ${percent(doubted.get(k))} probably wrong` : ""}`;
      title.append(dot);
    }
    title.append(name(k));
    title.title = name(k);
    title.dataset.key = `name ${k}`; title.dataset.label = k;
    title.onclick = () => { focus = k; tell(k, cycled(k)); };
    title.setAttribute("aria-label", `${name(k)}, ${percent(view.marginals[k])}${known[k] === undefined ? "" : known[k] ? ", said to be there" : ", said not to be there"}`);
    const track = make("div", "", "track"), bar = make("i"), mark = make("u");
    bar.style.width = `${100 * view.marginals[k]}%`;
    mark.style.left = `calc(${100 * view.before[k]}% - 1px)`;
    track.append(bar);
    if (Object.keys(known).length) track.append(mark);
    const said = make("span", "", "say");
    for (const [words, value, kind] of [["yes", 1, "yes"], ["no", 0, "no"]]) {
      const button = make("button", words, kind);
      button.setAttribute("aria-pressed", known[k] === value);
      button.setAttribute("aria-label", `${name(k)}: ${words}`);
      button.dataset.key = `${words} ${k}`; button.dataset.label = k;
      button.onclick = () => tell(k, value);
      said.append(button);
    }
    item.append(title, track, make("span", percent(view.marginals[k]), "share"), said);
    return item;
  }
  function showSets({sets, proved, ask}) {
    const body = $("sets").tBodies[0];
    body.replaceChildren();
    $("sets").classList.remove("busy");
    for (const [labels, probability] of sets) {
      const line = body.insertRow(), cell = make("td"), track = make("div", "", "track"), bar = make("i"), place = make("td", "", "bar");
      bar.style.width = `${100 * probability}%`;
      track.append(bar); place.append(track);
      cell.append(...(labels.length ? labels.map((k) => make("span", name(k), "chip")) : [make("span", "no label", "soft")]));
      line.append(make("td", small(probability, sets[0][1]), "share"), place, cell);
    }
    $("proved").textContent = proved ? "" : "the best that were found";
    $("ask").replaceChildren();
    if (ask) {
      const button = make("button", name(ask[0]));
      button.id = "asked";
      button.onclick = () => { focus = ask[0]; reveal(ask[0]); };
      const yes = make("button", "yes", "yes"), no = make("button", "no", "no"), said = make("span", "", "say");
      yes.onclick = () => tell(ask[0], 1); no.onclick = () => tell(ask[0], 0);
      yes.setAttribute("aria-label", `${name(ask[0])}: yes`); no.setAttribute("aria-label", `${name(ask[0])}: no`);
      said.append(yes, no);
      $("ask").append("Ask next: ", button, ` (${percent(view.marginals[ask[0]])}) `, said);
    }
  }
  function reveal(k) {
    if (!order().slice(0, FIRST).includes(k)) showAll = true;
    showLabels(); showGraph();
    const button = $("labels").querySelector(`[data-key="name ${k}"]`);
    if (button) { button.focus(); button.scrollIntoView({block: "nearest"}); }
  }

  // ---- the graph: all labels where they are few, else those around one ---------------------------------------------
  function around() {
    if (about.graph.places) return {labels: [...about.labels.keys()], places: about.graph.places, edges: about.graph.edges};
    const centre = focus ?? order()[0] ?? 0, weight = (edge) => -edge[2];
    const into = about.graph.edges.filter((e) => e[1] === centre).sort((a, b) => weight(a) - weight(b) || view.marginals[b[0]] - view.marginals[a[0]]).slice(0, 8);
    const out = about.graph.edges.filter((e) => e[0] === centre).sort((a, b) => weight(a) - weight(b) || view.marginals[b[1]] - view.marginals[a[1]]).slice(0, 8);
    const labels = [...into.map((e) => e[0]), centre, ...out.map((e) => e[1])], middle = (Math.max(into.length, out.length, 1) - 1) / 2;
    const places = [...into.map((_, i) => [0, i + middle - (into.length - 1) / 2]), [into.length ? 1 : 0, middle], ...out.map((_, i) => [into.length ? 2 : 1, i + middle - (out.length - 1) / 2])];
    $("graphnote").textContent = `around ${name(centre)}`;
    return {labels, places, edges: [...into, ...out]};
  }
  function showGraph() {
    $("graphcard").hidden = about.graph.edges.length === 0;
    if (about.graph.edges.length === 0) return;
    const {labels, places, edges} = around(), W = 124 + 7 * Math.min(Math.max(...around().labels.map((k) => name(k).length - 11), 0), 10), H = 22, wide = $("graphcard").clientWidth - 30, place = new Map();
    const columns = Math.max(...places.map(([x]) => x)) + 1, lines = Math.max(...places.map(([, y]) => y)) + 1;
    // Parents stand left of children, or above them where that fits better.
    const down = columns * (W + 44) > wide && lines * (W + 14) <= wide;
    labels.forEach((k, i) => place.set(k, down ? [6 + places[i][1] * (W + 14), 6 + places[i][0] * (H + 28)] : [6 + places[i][0] * (W + 44), 6 + places[i][1] * 31]));
    const drawnEdges = edges.map(([from, to, weight]) => edge(place.get(from), place.get(to), weight, down, W, H));
    const beside = 6 + Math.max(...drawnEdges.map((e) => e.beside));
    const width = Math.max(...[...place.values()].map(([x]) => x)) + W + (down ? beside : 6), height = Math.max(...[...place.values()].map(([, y]) => y)) + H + (down ? 6 : beside);
    const svg = drawn("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "group"});
    for (const {paths} of drawnEdges) svg.append(...paths);
    for (const k of labels) svg.append(node(k, place.get(k), W, H));
    const old = $("graph"), left = old.scrollLeft, top = old.scrollTop;
    old.replaceChildren(svg);
    old.scrollLeft = left; old.scrollTop = top;
  }
  function edge([a, b], [c, d], weight, down, W, H) {
    const levels = down ? (d - b) / (H + 28) : (c - a) / (W + 44);
    if (levels < 0.5 || levels > 1.5) return arc([a, b], [c, d], weight, down, W, H, 10 + 8 * Math.min(Math.max(Math.abs(levels), 1), 10));
    const [x1, y1, x2, y2] = down ? [a + W / 2, b + H, c + W / 2, d] : [a + W, b + H / 2, c, d + H / 2];
    const bend = Math.abs(down ? y2 - y1 : x2 - x1) / 2 + 8, [bx, by] = down ? [0, bend] : [bend, 0];
    const head = down ? `M${x2 - 4} ${y2 - 6}L${x2} ${y2 - 1}L${x2 + 4} ${y2 - 6}` : `M${x2 - 6} ${y2 - 4}L${x2 - 1} ${y2}L${x2 - 6} ${y2 + 4}`;
    const line = `M${x1} ${y1}C${x1 + bx} ${y1 + by} ${x2 - bx} ${y2 - by} ${x2} ${y2}`;
    return {paths: [drawn("path", {"stroke-width": 0.4 + 1.9 * weight, d: line}), drawn("path", {d: head})], beside: 0};
  }
  // Past other labels, or back to an earlier one: beside the labels, so that no line hides behind them.
  function arc([a, b], [c, d], weight, down, W, H, beside) {
    const [x1, y1, x2, y2] = down ? [a + W, b + H / 2, c + W, d + H / 2] : [a + W / 2, b + H, c + W / 2, d + H];
    const far = (down ? Math.max(x1, x2) : Math.max(y1, y2)) + beside * 4 / 3;
    const head = down ? `M${x2 + 6} ${y2 - 4}L${x2 + 1} ${y2}L${x2 + 6} ${y2 + 4}` : `M${x2 - 4} ${y2 + 6}L${x2} ${y2 + 1}L${x2 + 4} ${y2 + 6}`;
    const line = down ? `M${x1} ${y1}C${far} ${y1} ${far} ${y2} ${x2} ${y2}` : `M${x1} ${y1}C${x1} ${far} ${x2} ${far} ${x2} ${y2}`;
    return {paths: [drawn("path", {"stroke-width": 0.4 + 1.9 * weight, d: line}), drawn("path", {d: head})], beside};
  }
  function node(k, [x, y], W, H) {
    const group = drawn("g", {class: `node${known[k] === undefined ? "" : ` known-${known[k]}`}${k === focus ? " focus" : ""}`, transform: `translate(${x} ${y})`, "data-node": k});
    const words = drawn("text", {x: 7, y: 15}), share = drawn("text", {x: W - 6, y: 15, "text-anchor": "end"}), title = drawn("title", {});
    const room = 11 + (W - 124) / 7;
    words.textContent = name(k).length > room ? `${name(k).slice(0, room - 1)}…` : name(k);
    share.textContent = percent(view.marginals[k]);
    title.textContent = `${name(k)}: ${percent(view.marginals[k])}. Click: there, not there, unknown.`;
    group.append(title, drawn("rect", {class: "frame", width: W, height: H, rx: 6}), drawn("rect", {class: "fill", width: W * view.marginals[k], height: H, rx: 6}), words, share);
    group.onclick = () => { focus = k; tell(k, cycled(k)); };
    return group;
  }

  // ---- why, doubts ------------------------------------------------------------------------------------------------
  const explain = guarded(async (k) => {
    if (known[k] !== undefined) return say(`${name(k)} is known: nothing moved it.`);
    const found = await backend.ask("why", {row, label: k, known});
    $("whycard").hidden = false;
    $("whytitle").textContent = `Why ${name(k)} (${percent(view.marginals[k])})`;
    const body = $("why").tBodies[0], most = Math.max(...found.reasons.map((r) => Math.abs(r[3])), 1e-9);
    body.replaceChildren();
    for (const [title, kind, value, part] of found.reasons) {
      const line = body.insertRow(), track = make("div", "", "track"), bar = make("i", "", part > 0 ? "for" : "against"), place = make("td", "", "bar");
      bar.style.width = `${50 * Math.abs(part) / most}%`;
      bar.style.left = part > 0 ? "50%" : `${50 - 50 * Math.abs(part) / most}%`;
      track.append(bar); place.append(track);
      const words = kind === "feature" ? `${title} = ${Number(value.toPrecision(4))}` : kind === "label" ? `${title}: ${value ? "yes" : "no"}` : `${title}, if it were known`;
      line.append(make("td", words), place, make("td", (part > 0 ? "+" : "−") + Math.abs(part).toFixed(2), "share"));
    }
    if (!found.reasons.length) body.insertRow().append(make("td", "Nothing moved it.", "soft"));
    $("whynote").textContent = found.additive ? "Log-odds. A feature's part of the label's own score against the mean row; labels by what they change." : "Log-odds. Each feature against its mean, approximately; labels by what they change.";
  });
  function showDoubts() {
    const body = $("doubts").tBodies[0], settled = Object.keys(view.settled || {});
    body.replaceChildren();
    $("doubtcard").hidden = !view.recorded || (!view.doubts.length && !settled.length);
    for (const [k, doubt] of view.doubts) {
      const line = body.insertRow(), there = view.recorded.includes(k), buttons = make("td"), words = make("td");
      words.append(make("b", name(k)), ` ${there ? "is recorded" : "is not recorded"}, ${percent(doubt)} probably wrong`);
      for (const [action, title] of [["accept", "Accept"], ["correct", there ? "Correct: not there" : "Correct: there"]]) {
        const button = make("button", title, "small");
        button.dataset.settle = `${action} ${k}`;
        button.onclick = () => settle(k, action);
        buttons.append(button, " ");
      }
      line.append(words, buttons);
    }
    $("settled").replaceChildren();
    for (const k of settled.map(Number)) {
      const undo = make("button", "undo", "small");
      undo.dataset.settle = `undo ${k}`;
      undo.onclick = () => settle(k, "undo");
      $("settled").append(`${name(k)}: ${view.settled[k] === "accept" ? "accepted" : "corrected"} `, undo, " ");
    }
    $("save").hidden = backend.remembers !== "page";
  }
  const settle = guarded(async (k, action) => {
    const {saved} = await backend.ask("settle", {row, label: k, action});
    lastSettled = action === "undo" ? null : [row, k];
    await update();
    say(`Saved${about.corrections ? ` to ${about.corrections}` : ""}, ${saved} in all`);
  });

  // ---- keys -------------------------------------------------------------------------------------------------------
  function moveFocus(by) {
    const shown = [...$("labels").querySelectorAll(".name")].map((button) => Number(button.dataset.label));
    const here = document.activeElement.dataset.label ?? focus;
    const place = shown.indexOf(Number(here ?? -1));
    focus = shown[Math.min(Math.max(here === null || here === undefined ? 0 : place + by, 0), shown.length - 1)];
    reveal(focus);
  }
  const current = () => Number(document.activeElement.dataset.label ?? focus ?? order()[0]);
  const KEYS = {
    j: () => step(1), k: () => step(-1), ArrowDown: () => moveFocus(1), ArrowUp: () => moveFocus(-1),
    y: () => tell(current(), 1), n: () => tell(current(), 0), u: () => tell(current(), undefined),
    x: () => { known = {}; return update(); }, w: () => { focus = current(); return explain(focus); },
    e: () => $("asked") && $("asked").click(),
    a: () => view.doubts.length && settle(view.doubts[0][0], "accept"), c: () => view.doubts.length && settle(view.doubts[0][0], "correct"),
    z: () => lastSettled && lastSettled[0] === row && settle(lastSettled[1], "undo"),
    "/": () => $("query").focus(), f: () => $("find").focus(),
    l: () => { $("loss").selectedIndex = ($("loss").selectedIndex + 1) % $("loss").options.length; return update(); },
    "?": () => $("keys").showModal(),
  };
  document.addEventListener("keydown", (event) => {
    const inField = event.target.matches("input, select");
    if (event.key === "Escape" && inField) return event.target.blur();
    if (inField || event.ctrlKey || event.metaKey || event.altKey || $("keys").open || !view || !(event.key in KEYS)) return undefined;
    event.preventDefault();
    return KEYS[event.key]();
  });

  // ---- begin ------------------------------------------------------------------------------------------------------
  const choose = (select, pairs) => select.replaceChildren(...pairs.map(([value, words]) => { const option = make("option", words); option.value = value; return option; }));
  let typing;
  const later = (work) => () => { clearTimeout(typing); typing = setTimeout(work, 120); };
  $("query").oninput = later(() => listRows());
  $("find").oninput = later(() => view && showLabels());
  for (const id of ["order", "has"]) $(id).onchange = () => listRows().then(() => list.length && go(list[0]));
  $("save").onclick = () => {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([backend.csv()], {type: "text/csv"}));
    link.download = "corrections.csv";
    link.click();
  };
  $("loss").onchange = () => update();
  $("more").onclick = () => listRows(list.length);
  $("before").onclick = () => step(-1); $("after").onclick = () => step(1);
  $("forget").onclick = () => { known = {}; update(); };
  $("alllabels").onclick = () => { showAll = !showAll; showLabels(); };
  $("help").onclick = () => $("keys").showModal(); $("closekeys").onclick = () => $("keys").close();
  guarded(async () => {
    about = await backend.ask("about");
    $("about").textContent = `${about.model} · ${about.n_rows.toLocaleString("en")} rows · ${about.labels.length} labels`;
    choose($("loss"), about.losses.map((word) => [word, word]));
    const orders = [["file", "In the order of the file"], ["uncertain", "Most uncertain first"]];
    if (about.recorded) orders.push(["doubtful", "Most doubtful records first"], ["disagreeing", "Most disagreements first"]);
    choose($("order"), orders);
    choose($("has"), [["", "Any label"], ...about.labels.map((label, k) => [k, label])]);
    $("has").hidden = !about.recorded;
    const wanted = Number(location.hash.slice(1));
    await listRows();
    await go(Number.isInteger(wanted) && wanted > 0 && wanted < about.n_rows ? wanted : list[0] ?? 0);
    document.body.dataset.ready = "yes";
  })();
})();
