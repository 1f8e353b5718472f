const body = document.querySelector("#cells tbody"), label = document.getElementById("label"), kind = document.getElementById("kind");
const counts = AUDIT.labels.map((_, k) => AUDIT.cells.filter(c => c[1] === k).length);
label.append(new Option("all", ""));
AUDIT.labels.forEach((name, k) => counts[k] && label.append(new Option(`${name} (${counts[k]})`, k)));
const shown = () => AUDIT.cells.filter(c => (label.value === "" || c[1] === +label.value) && (kind.value === "" || c[2] === +kind.value));
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
function draw() {
  body.replaceChildren(...shown().map(([row, k, recorded, p, now, likely]) => {
    const line = document.createElement("tr"), sure = document.createElement("td"), meter = text("span", "", "meter");
    meter.append(document.createElement("i")); meter.firstChild.style.width = `${100 * p}%`;
    sure.append(meter, p.toFixed(2));
    line.append(text("td", row), text("td", AUDIT.labels[k]), text("td", recorded ? "yes" : "no"), sure, sets(now, likely));
    return line;
  }));
}
const quoted = v => /[",\n]/.test(v) ? `"${String(v).replaceAll('"', '""')}"` : v;
document.getElementById("copy").onclick = async () => {
  const lines = shown().map(([row, k, r, p, , likely]) => [row, AUDIT.labels[k], r, p, likely.map(j => AUDIT.labels[j]).join("|")]);
  const csv = [["row", "label", "recorded", "probability", "suggestion"], ...lines].map(l => l.map(quoted).join(",")).join("\n");
  try { await navigator.clipboard.writeText(csv); }
  catch { const area = text("textarea", csv); document.body.append(area); area.select(); document.execCommand("copy"); area.remove(); }
  document.getElementById("said").textContent = `${lines.length} records copied`;
};
label.onchange = kind.onchange = draw;
draw();
