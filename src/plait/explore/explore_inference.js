// Exact inference in the page, for forests and mixtures of forests: the same equations as plait.inference.
// A component is {weight, parent, order}: parent[k] is -1 at a root; order has parents first.
// scores[m][2 * k + v] is the log-odds of label k in component m where its parent is v (v = 0 at a root).
const Forests = (() => {
  const logSigmoid = (x) => (x >= 0 ? -Math.log1p(Math.exp(-x)) : x - Math.log1p(Math.exp(x)));
  const logSum = (a, b) => {
    const high = Math.max(a, b);
    return high === -Infinity ? high : high + Math.log1p(Math.exp(Math.min(a, b) - high));
  };
  const factor = (scores, k, value, parentValue) => {
    const s = scores[2 * k + parentValue];
    return logSigmoid(value ? s : -s);
  };
  const allowed = (known, k, value) => known[k] === undefined || known[k] === value;

  // Sums upwards: up[2 * k + v] is log P(what is known below and at k | parent of k is v), own[...] its two terms.
  function messages(part, scores, known) {
    const n = part.parent.length, up = new Float64Array(2 * n), below = new Float64Array(2 * n);
    let total = 0;
    for (let i = n - 1; i >= 0; i--) {
      const k = part.order[i], p = part.parent[k];
      for (let v = 0; v < (p < 0 ? 1 : 2); v++) {
        const [no, yes] = [0, 1].map((y) => (allowed(known, k, y) ? factor(scores, k, y, v) + below[2 * k + y] : -Infinity));
        up[2 * k + v] = logSum(no, yes);
        if (p >= 0) below[2 * p + v] += up[2 * k + v];
      }
      if (p < 0) total += up[2 * k];
    }
    return {up, below, total};
  }
  function partMarginals(part, scores, known, {up, below}) {
    const n = part.parent.length, found = new Float64Array(n);
    for (const k of part.order) {
      const p = part.parent[k];
      const yes = (v) => (allowed(known, k, 1) && up[2 * k + v] > -Infinity ?
        Math.exp(factor(scores, k, 1, v) + below[2 * k + 1] - up[2 * k + v]) : 0);
      found[k] = p < 0 ? yes(0) : (1 - found[p]) * yes(0) + found[p] * yes(1);
    }
    return found;
  }
  // log of weight times P(known | x) of every component, and their sum.
  function evidence(parts, scores, known) {
    const sums = parts.map((part, m) => messages(part, scores[m], known));
    const logs = sums.map((sum, m) => Math.log(parts[m].weight) + sum.total);
    return {sums, logs, total: logs.reduce(logSum, -Infinity)};
  }
  function marginals(parts, scores, known) {
    const {sums, logs, total} = evidence(parts, scores, known);
    const found = new Float64Array(parts[0].parent.length);
    parts.forEach((part, m) => {
      const share = Math.exp(logs[m] - total);
      if (share > 0) partMarginals(part, scores[m], known, sums[m]).forEach((p, k) => { found[k] += share * p; });
    });
    return {marginals: found, logEvidence: total};
  }
  function partLogProb(part, scores, y) {
    let total = 0;
    for (const k of part.order) total += factor(scores, k, y[k], part.parent[k] < 0 ? 0 : y[part.parent[k]]);
    return total;
  }
  const logProb = (parts, scores, y) =>
    parts.map((part, m) => Math.log(part.weight) + partLogProb(part, scores[m], y)).reduce(logSum, -Infinity);

  // The k best of sums of two lists, each with the best first: of (i, j) only those with (i + 1)(j + 1) <= k can be.
  function joined(a, b, k) {
    const found = [];
    for (let i = 0; i < a.length && i < k; i++)
      for (let j = 0; j < b.length && (i + 1) * (j + 1) <= k; j++) found.push({log: a[i].log + b[j].log, left: a[i], right: b[j]});
    return found.sort((x, y) => y.log - x.log).slice(0, k);
  }
  // The k most probable vectors of one forest, by lists instead of sums [Nilsson1998].
  function partBest(part, scores, known, k) {
    const n = part.parent.length, below = Array.from({length: 2 * n}, () => [{log: 0}]);
    let whole = [{log: 0}];
    for (let i = n - 1; i >= 0; i--) {
      const label = part.order[i], p = part.parent[label];
      for (let v = 0; v < (p < 0 ? 1 : 2); v++) {
        const own = [0, 1].filter((y) => allowed(known, label, y)).flatMap((y) => below[2 * label + y].map((rest) => ({
          log: factor(scores, label, y, v) + rest.log, label, y, left: rest})));
        const best = own.filter((each) => each.log > -Infinity).sort((x, y) => y.log - x.log).slice(0, k);
        if (p < 0) whole = joined(whole, best, k); else below[2 * p + v] = joined(below[2 * p + v], best, k);
      }
    }
    return whole.map((each) => ({log: each.log, y: unfolded(each, n)}));
  }
  function unfolded(end, n) {
    const y = new Uint8Array(n), stack = [end];
    while (stack.length) {
      const each = stack.pop();
      if (each.label !== undefined) y[each.label] = each.y;
      if (each.left) stack.push(each.left);
      if (each.right) stack.push(each.right);
    }
    return y;
  }
  // The k most probable vectors of a mixture: what is in no component's list is at most the sum of the lists' ends.
  function best(parts, scores, known, k, most = 1024) {
    const total = evidence(parts, scores, known).total, all = 2 ** parts[0].parent.length;
    for (let size = k; ; size *= 2) {
      const lists = parts.map((part, m) => partBest(part, scores[m], known, size));
      const seen = new Map();
      for (const list of lists) for (const each of list) seen.set(each.y.join(""), each.y);
      const found = [...seen.values()].map((y) => ({y, log: logProb(parts, scores, y) - total}));
      found.sort((a, b) => b.log - a.log || (a.y.join("") < b.y.join("") ? -1 : 1));
      const bound = lists.map((list, m) => (list.length < size ? -Infinity : Math.log(parts[m].weight) + list[list.length - 1].log))
        .reduce(logSum, -Infinity) - total;
      const top = found.slice(0, k);
      const proved = parts.length === 1 || bound === -Infinity || size >= all || (top.length === k && top[k - 1].log >= bound);
      if (proved || size >= most) return {sets: top.map(({y, log}) => ({y, probability: Math.exp(log)})), proved};
    }
  }
  // P(a recorded label is wrong | x, the others).
  function doubts(parts, scores, y) {
    const here = logProb(parts, scores, y);
    return Array.from(y, (_, k) => {
      const other = Uint8Array.from(y);
      other[k] ^= 1;
      return Math.exp(logSigmoid(logProb(parts, scores, other) - here));
    });
  }
  // What asking each label is worth: by "set", "hamming" or "entropy", as Posterior.ask.
  function worth(parts, scores, known, by) {
    const now = marginals(parts, scores, known).marginals, n = now.length;
    const right = (p) => Math.max(p, 1 - p), entropyOf = (p) => (p > 0 && p < 1 ? -p * Math.log(p) - (1 - p) * Math.log1p(-p) : 0);
    if (by === "entropy") return Array.from(now, (p, k) => (known[k] === undefined ? entropyOf(p) : 0));
    const total = evidence(parts, scores, known).total;
    const mode = by === "set" ? best(parts, scores, known, 1).sets[0].y : null;
    return Array.from({length: n}, (_, k) => {
      if (known[k] !== undefined) return 0;
      if (by === "set") {
        const flipped = {...known, [k]: 1 - mode[k]}, share = evidence(parts, scores, flipped).total - total;
        return share === -Infinity ? 0 : best(parts, scores, flipped, 1).sets[0].probability * Math.exp(share);
      }
      let value = 0;
      for (const y of [0, 1]) {
        const share = y ? now[k] : 1 - now[k];
        if (share > 0) marginals(parts, scores, {...known, [k]: y}).marginals.forEach((p) => { value += share * right(p); });
      }
      return value - now.reduce((sum, p) => sum + right(p), 0);
    });
  }
  return {logProb, marginals, best, doubts, worth};
})();
