const byId = id => document.getElementById(id);
const label = byId("label"), kind = byId("kind"), search = byId("search"), left = byId("left");
// What was looked at stays marked in this browser.
const key = "plait-audit:" + location.pathname, store = {
  read() { try { return JSON.parse(localStorage.getItem(key)) || []; } catch { return []; } },
  write(done) { try { localStorage.setItem(key, JSON.stringify([...done])); } catch { /* private windows */ } },
};
const done = new Set(store.read());
const counts = AUDIT.labels.map((_, k) => AUDIT.cells.filter(c => c[1] === k).length);
label.append(new Option("all", ""));
AUDIT.labels.forEach((name, k) => counts[k] && label.append(new Option(`${name} (${counts[k]})`, k)));
const id = cell => `${cell[0]}\u0000${AUDIT.labels[cell[1]]}`;
const shown = () => AUDIT.cells.filter(c => (label.value === "" || c[1] === +label.value) && (kind.value === "" || c[2] === +kind.value)
  && (!left.checked || !done.has(id(c))) && c[0].toLowerCase().includes(search.value.toLowerCase()));
const text = (tag, words, style) => { const e = document.createElement(tag); e.textContent = words; if (style) e.className = style; return e; };
function sets(now, likely) {
  const cell = document.createElement("td");
  [...new Set([...now, ...likely])].sort((a, b) => a - b).forEach((k, i) => {
    if (i) cell.append(", ");
    const style = !likely.includes(k) ? "drop" : now.includes(k) ? "" : "add";
    cell.append(text("span", (style === "add" ? "+" : "") + AUDIT.labels[k], style));
  });
  if (!cell.childNodes.length) cell.append(text("span", "none", "soft"));
  return cell;
}
function mark(cell, line) {
  const box = document.createElement("input"), where = document.createElement("td");
  box.type = "checkbox"; box.checked = done.has(id(cell)); box.setAttribute("aria-label", "looked at");
  line.className = box.checked ? "done" : "";
  box.onchange = () => {
    box.checked ? done.add(id(cell)) : done.delete(id(cell));
    store.write(done); line.className = box.checked ? "done" : ""; if (left.checked) draw();
  };
  where.append(box);
  return where;
}
// The first lines of a list, and a button for more of them: lists are long, and few of their lines are looked at.
const STEP = 50;
let many = {cells: STEP, rows: STEP};
function listed(name, all, line) {
  document.querySelector(`#${name} tbody`).replaceChildren(...all.slice(0, many[name]).map(line));
  const more = byId(`more-${name}`), left = all.length - many[name];
  more.hidden = left <= 0;
  more.textContent = `Show ${Math.min(left, 4 * STEP)} more of ${left}`;
  more.onclick = () => { many[name] += 4 * STEP; listed(name, all, line); };
}
function draw() {
  const cells = shown();
  listed("cells", cells, cell => {
    const [row, k, recorded, p, now, likely] = cell;
    const line = document.createElement("tr"), sure = document.createElement("td"), meter = text("span", "", "meter");
    meter.append(document.createElement("i")); meter.firstChild.style.width = `${100 * p}%`;
    sure.append(meter, p.toFixed(2));
    line.append(text("td", row), text("td", AUDIT.labels[k]), text("td", recorded ? "yes" : "no"), sure, sets(now, likely), mark(cell, line));
    return line;
  });
  byId("said").textContent = `${cells.length} of ${AUDIT.cells.length} records`;
}
listed("rows", AUDIT.rows, ([row, surprise, now, likely]) => {
  const line = document.createElement("tr");
  line.append(text("td", row), text("td", surprise.toFixed(2)), sets(now, likely));
  return line;
});
const quoted = v => /[",\n]/.test(v) ? `"${String(v).replaceAll('"', '""')}"` : v;
const names = set => set.map(j => AUDIT.labels[j]).join("|");
async function copy(heads, lines) {
  const csv = [heads, ...lines].map(l => l.map(quoted).join(",")).join("\n");
  try { await navigator.clipboard.writeText(csv); }
  catch { const area = text("textarea", csv); document.body.append(area); area.select(); document.execCommand("copy"); area.remove(); }
  byId("said").textContent = `${lines.length} lines copied`;
}
byId("copy").onclick = () => copy(["row", "label", "recorded", "probability", "suggestion"],
  shown().map(([row, k, r, p, , likely]) => [row, AUDIT.labels[k], r, p, names(likely)]));
byId("copy-rows").onclick = () => copy(["row", "surprise", "recorded", "suggestion"],
  AUDIT.rows.map(([row, surprise, now, likely]) => [row, surprise, names(now), names(likely)]));
label.onchange = kind.onchange = left.onchange = search.oninput = draw;
draw();
