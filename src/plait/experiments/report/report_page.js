// The page of a report: sort and filter, save a picture, zoom a graph. It holds no data, so nothing can leak in.
"use strict";
(() => {
const all = (query, act) => document.querySelectorAll(query).forEach(act);

function sortBy(head) {
  const table = head.closest("table"), body = table.tBodies[0], place = head.cellIndex;
  const before = head.getAttribute("aria-sort"), words = head.classList.contains("text");
  const now = before === null ? head.dataset.first : before === "ascending" ? "descending" : "ascending";
  table.querySelectorAll("th[aria-sort]").forEach(other => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", now);
  const sign = now === "ascending" ? 1 : -1;
  const key = row => {
    const cell = row.cells[place];
    if (words) return cell.textContent;
    return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
  };
  const rows = [...body.rows].map((row, i) => ({key: key(row), i, row}));
  rows.sort((a, b) => {
    if (a.key === b.key) return a.i - b.i;
    if (a.key === null || b.key === null) return a.key === null ? 1 : -1;
    return sign * (words ? a.key.localeCompare(b.key, undefined, {numeric: true}) : a.key - b.key);
  });
  body.append(...rows.map(entry => entry.row));
}
all("th[data-first] button", button => button.addEventListener("click", () => sortBy(button.closest("th"))));

function savedText(svg) {
  const copy = svg.cloneNode(true), [, , width, height] = svg.getAttribute("viewBox").split(" ");
  // On paper the ink is dark, whatever the page looks like.
  copy.setAttribute("color", "#1b2733");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  for (const rule of ["width", "min-width", "max-width"]) copy.style.removeProperty(rule);
  return new XMLSerializer().serializeToString(copy);
}
all("button.save", button => button.addEventListener("click", () => {
  const text = savedText(button.closest("figure").querySelector("svg"));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type: "image/svg+xml"}));
  link.download = button.dataset.name + ".svg";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}));

all(".zoom", box => {
  const svg = box.querySelector("svg"), natural = Number(svg.getAttribute("viewBox").split(" ")[2]);
  const tall = Number(svg.getAttribute("viewBox").split(" ")[3]);
  let scale = 1;
  const show = wanted => {
    const middle = [box.scrollLeft + box.clientWidth / 2, box.scrollTop + box.clientHeight / 2];
    const change = Math.min(8, Math.max(0.05, wanted)) / scale;
    scale *= change;
    svg.style.width = natural * scale + "px";
    box.scrollLeft = middle[0] * change - box.clientWidth / 2;
    box.scrollTop = middle[1] * change - box.clientHeight / 2;
  };
  const ways = {
    in: () => show(scale * 1.4), out: () => show(scale / 1.4), one: () => show(1),
    whole: () => show(Math.min(box.clientWidth / natural, 540 / tall)),
  };
  svg.style.width = natural + "px";
  const atFirst = () => {
    const first = svg.querySelector("rect.ground, circle");
    if (first && box.clientHeight) box.scrollTop = first.getBBox().y - box.clientHeight / 2;
  };
  atFirst();
  const fold = box.closest("section > details");
  if (fold && !fold.open) fold.addEventListener("toggle", atFirst, {once: true});
  box.closest("figure").querySelectorAll("[data-zoom]").forEach(button =>
    button.addEventListener("click", ways[button.dataset.zoom]));
  box.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    show(scale * Math.exp(-event.deltaY / 300));
  }, {passive: false});
  let held = null;
  box.addEventListener("pointerdown", event => {
    if (event.pointerType === "mouse") held = [event.clientX + box.scrollLeft, event.clientY + box.scrollTop];
  });
  addEventListener("pointermove", event => {
    if (held) box.scrollTo(held[0] - event.clientX, held[1] - event.clientY);
  });
  addEventListener("pointerup", () => { held = null; });
});

// What is hidden: rows and columns of tables by their names, sections and pictures by what they say they show.
const KINDS = {method: "method", "data set": "dataset"};
function applyFilters() {
  const off = {method: new Set(), metric: new Set(), dataset: new Set()}, words = new Set();
  all("[data-filter]", box => {
    if (box.checked) return;
    off[box.dataset.filter].add(box.value);
    if (box.dataset.filter === "metric") words.add(box.parentElement.textContent);
  });
  for (const kind of Object.keys(off)) all(`[data-${kind}]`, part => part.classList.toggle("off", off[kind].has(part.dataset[kind])));
  all("main table", table => {
    const heads = [...table.tHead.rows[0].cells], names = heads.map(head => head.textContent.replace(/[\u00a0 ][↑↓]$/, ""));
    const kinds = names.map(name => KINDS[name]);
    const columns = names.map((name, c) => c > 0 && !kinds[c] && (table.id === "table-glance" ? words.has(name)
      : kinds[0] === "method" ? off.dataset.has(name) : names[0] === "label" && off.method.has(name)));
    for (const row of [table.tHead.rows[0], ...table.tBodies[0].rows]) {
      [...row.cells].forEach((cell, c) => cell.classList.toggle("off", Boolean(columns[c])));
      if (row.parentElement === table.tBodies[0]) row.classList.toggle("off", [...row.cells].some((cell, c) => kinds[c] && off[kinds[c]].has(cell.textContent)));
    }
  });
}
all("[data-filter]", box => box.addEventListener("change", applyFilters));

// A link into a folded section opens it.
function openTarget() {
  const place = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!place) return;
  for (let box = place.querySelector("details") || place; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
  place.scrollIntoView();
}
addEventListener("hashchange", openTarget);
all("nav a", link => link.addEventListener("click", () => setTimeout(openTarget)));
openTarget();

const opened = [];
addEventListener("beforeprint", () => all("details:not([open])", box => { box.open = true; opened.push(box); }));
addEventListener("afterprint", () => opened.splice(0).forEach(box => { box.open = false; }));
})();
