// The page without a server: every question is answered here, of the rows that the page holds.
// What is decided about records stays in the browser's storage, where there is one, and can be saved as CSV.
function staticBackend({about, parts, rows}) {
  const place = `plait explore ${about.title} ${rows.map((row) => row.number).join(",").slice(0, 200)}`;
  let settled = {};
  try { settled = JSON.parse(localStorage.getItem(place)) || {}; } catch { /* no storage: the window keeps it */ }
  const keep = () => { try { localStorage.setItem(place, JSON.stringify(settled)); } catch { /* the window keeps it */ } };
  const numbers = (y) => [...y.keys()].filter((k) => y[k]);
  const recordedOf = (i) => {
    if (!rows[i].recorded) return null;
    const y = new Uint8Array(about.labels.length);
    for (const k of rows[i].recorded) y[k] = 1;
    for (const [k, {action}] of Object.entries(settled[i] || {})) if (action === "correct") y[k] ^= 1;
    return y;
  };
  const logit = (p) => { const c = Math.min(Math.max(p, 1e-12), 1 - 1e-12); return Math.log(c) - Math.log1p(-c); };
  const bits = (number) => { let count = 0; for (; number; number &= number - 1) count++; return count; };

  // The set of least expected loss, by trying all: few labels only.
  function enumerated(scores, known, reward) {
    const n = about.labels.length, {logEvidence} = Forests.marginals(parts, scores, known), p = new Float64Array(2 ** n);
    for (let set = 0; set < p.length; set++) {
      const y = Uint8Array.from({length: n}, (_, k) => (set >> k) & 1);
      if (y.every((value, k) => known[k] === undefined || known[k] === value)) p[set] = Math.exp(Forests.logProb(parts, scores, y) - logEvidence);
    }
    let best = 0, most = -1;
    for (let set = 0; set < p.length; set++) {
      let value = 0;
      for (let truth = 0; truth < p.length; truth++) if (p[truth]) value += p[truth] * reward(bits(set & truth), bits(set), bits(truth));
      if (value > most + 1e-12) [best, most] = [set, value];
    }
    return Array.from({length: n}, (_, k) => (best >> k) & 1);
  }
  const REWARDS = {f1: (both, a, b) => (a + b ? 2 * both / (a + b) : 1), jaccard: (both, a, b) => (a + b ? both / (a + b - both) : 1)};
  function decided(scores, known, loss, marginals) {
    if (REWARDS[loss]) return enumerated(scores, known, REWARDS[loss]);
    return loss === "hamming" ? Array.from(marginals, (p) => Number(p > 0.5)) : Forests.best(parts, scores, known, 1).sets[0].y;
  }
  function doubtsOf(i) {
    const y = recordedOf(i);
    return y ? Forests.doubts(parts, rows[i].scores, y) : [];
  }
  const MEASURES = {
    file: () => null,
    uncertain: (i) => Forests.marginals(parts, rows[i].scores, {}).marginals.reduce((sum, p) => sum + (p > 0 && p < 1 ? -p * Math.log(p) - (1 - p) * Math.log1p(-p) : 0), 0),
    doubtful: (i) => Math.max(0, ...doubtsOf(i)),
    disagreeing: (i) => {
      const y = recordedOf(i);
      return Forests.marginals(parts, rows[i].scores, {}).marginals.reduce((sum, p, k) => sum + (Number(p > 0.5) !== y[k]), 0);
    },
  };
  const questions = {
    about: () => about,
    row: ({row}) => rows[row].row,
    rows({order, query, label, offset, most}) {
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      const texts = ({name, glimpse, row}) => [name, glimpse, ...row.text.map(([, text]) => text), ...row.features.map(([, value]) => value)].join(" ").toLowerCase();
      const chosen = [...rows.keys()].filter((i) => words.every((word) => texts(rows[i]).includes(word)) && (label === null || (recordedOf(i) || [])[label]));
      const measured = chosen.map((i) => [i, rows[i].name, rows[i].glimpse, MEASURES[order](i)]);
      if (order !== "file") measured.sort((a, b) => b[3] - a[3] || a[0] - b[0]);
      return {n_found: chosen.length, n_measured: rows.length, problem: "", rows: measured.slice(offset, offset + most)};
    },
    view({row, known, loss}) {
      const {scores, name} = rows[row], before = Forests.marginals(parts, scores, {}).marginals;
      const marginals = Forests.marginals(parts, scores, known).marginals, y = recordedOf(row), own = settled[row] || {};
      const doubts = y ? doubtsOf(row).map((doubt, k) => [k, doubt]).filter(([k, doubt]) => doubt > 0.2 && !own[k]) : [];
      return {row, name, marginals: [...marginals], before: [...before], how: "sums along the graph, in this page", exact: true,
        decision: numbers(decided(scores, known, loss, marginals)), recorded: y && numbers(y),
        doubts: doubts.sort((a, b) => b[1] - a[1]).slice(0, 20), settled: Object.fromEntries(Object.entries(own).map(([k, {action}]) => [k, action]))};
    },
    sets({row, known}) {
      const {scores} = rows[row], {sets, proved} = Forests.best(parts, scores, known, 5);
      const by = about.labels.length <= 40 ? about.ask_by : "entropy", worth = Forests.worth(parts, scores, known, by);
      const left = [...worth.keys()].filter((k) => known[k] === undefined).sort((a, b) => worth[b] - worth[a] || a - b);
      return {sets: sets.map(({y, probability}) => [numbers(y), probability]), proved, ask: left.length ? [left[0], worth[left[0]]] : null};
    },
    why({row, label, known}) {
      const {scores, why} = rows[row], odds = (evidence) => logit(Forests.marginals(parts, scores, evidence).marginals[label]);
      const others = Object.fromEntries(Object.entries(known).filter(([k]) => Number(k) !== label)), said = Object.keys(others).map(Number);
      const reasons = why ? [...why[label].reasons] : [], here = odds(others);
      for (const k of said) {
        const without = {...others};
        delete without[k];
        reasons.push([about.labels[k], "label", others[k], here - odds(without)]);
      }
      if (!said.length) about.labels.forEach((title, k) => { if (k !== label) reasons.push([title, "label, if known", null, odds({[k]: 1}) - odds({[k]: 0})]); });
      reasons.sort((a, b) => Math.abs(b[3]) - Math.abs(a[3]));
      return {label, reasons: reasons.slice(0, 8), additive: why ? why[label].additive : true};
    },
    settle({row, label, action}) {
      const recorded = Number(rows[row].recorded.includes(label));
      settled[row] = settled[row] || {};
      if (action === "undo") delete settled[row][label];
      else settled[row][label] = {action, recorded, probability: Forests.marginals(parts, rows[row].scores, {}).marginals[label], time: new Date().toISOString().slice(0, 19) + "+00:00"};
      keep();
      return {saved: Object.values(settled).reduce((sum, own) => sum + Object.keys(own).length, 0)};
    },
  };
  const cell = (value) => (/[",\n\r]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value);
  return {
    remembers: "page",
    async ask(question, body = {}) { return questions[question](body); },
    csv() {
      const lines = [["time", "row", "id", "label", "recorded", "action", "value", "probability"]];
      for (const [i, own] of Object.entries(settled)) for (const [k, {time, action, recorded, probability}] of Object.entries(own))
        lines.push([time, rows[i].number, rows[i].name, about.labels[k], recorded, action, action === "correct" ? 1 - recorded : recorded, Number(probability.toPrecision(6))]);
      return lines.map((line) => line.map(cell).join(",") + "\n").join("");
    },
  };
}
