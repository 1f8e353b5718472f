"""Sum-product (belief propagation): marginals of a polytree, one pass down without evidence, up and down with it.

Notation is that of `_messages`. From the roots down, ratio[v] is overwritten by the odds of label v given all
evidence; beliefs[2 * e + y] gets P(setting e, y_j = y | evidence) for every entry e of the label's table.

Draws from a polytree given evidence: messages to the roots, then values from the roots down.

Notation of draws
-----------------
option              : a setting of a factor's parents in which, where the target is a parent, the target's bit is the
                      value of the child instead
shares[o, r]        : P(option <= o | value a of the target, evidence); rows 2 * entry[j] + a * n_settings onward
uniforms[i, s, k]   : numbers between 0 and 1, both left out, one for each row, draw and label
"""

import numpy as np

from plait.core._lanes import fill, load, store, store_column
from plait.core.compilation import kernel
from plait.inference.messages._factors import ROWS, WIDTH, fill_lanes, limited, set_odds
from plait.inference.messages._messages import begin_ratios, held, send, weigh_evidence, weigh_settings

__all__ = ["draw_given", "find_marginals", "find_marginals_given"]


@kernel(error_model="numpy")
def _set_shares(families, scores, lanes, ratio, table, weight, shares):  # type: ignore[no-untyped-def]
    """Set the cumulative shares of all options of all factors."""
    firsts, slots, entry, parents = families.first, families.slot, families.entry, families.parents
    simple, linear, shifts, gains = scores.simple, scores.linear, scores.shifts, scores.gains
    for j in range(slots.size):
        slot = slots[j]
        set_odds(j, entry[j], entry[j + 1], linear, simple[j], shifts, gains, lanes, table)
        n_settings = weigh_settings(firsts[j], firsts[j + 1], families.target[j], parents, ratio, weight)
        for a in range(2):
            begin = 2 * entry[j] + a * n_settings
            for o in range(n_settings):
                setting, child = o, a
                if slot >= 0:
                    child = (o >> slot) & 1
                    setting = (o & ~(1 << slot)) | (a << slot)
                for r in range(ROWS):
                    odds = table[setting, r]
                    share = weight[setting, r] / (1.0 + odds) * (odds if child == 1 else 1.0)
                    share *= ratio[j, r] if child == 1 and slot >= 0 else 1.0
                    shares[begin + o, r] = share + (shares[begin + o - 1, r] if o > 0 else 0.0)
            for o in range(n_settings):
                for r in range(ROWS):
                    shares[begin + o, r] /= shares[begin + n_settings - 1, r]


@kernel(error_model="numpy")
def _draw(r, families, ratio, shares, uniforms, values):  # type: ignore[no-untyped-def]
    """Set the values of all labels of one draw in lane r."""
    n_labels, slots, targets, firsts = values.size, families.slot, families.target, families.first
    parents, entry = families.parents, families.entry
    for v in families.roots:
        values[v] = np.uint8(uniforms[families.label[v]] * (1.0 + ratio[v, r]) < ratio[v, r])
    for j in range(n_labels - 1, -1, -1):
        slot, target, first, n_settings = slots[j], targets[j], firsts[j], entry[j + 1] - entry[j]
        if n_settings == 1:
            continue
        a = np.int64(values[target])
        begin, option = 2 * entry[j] + a * n_settings, 0
        # Every label but a root is drawn by one factor, so the number of one of them is this factor's own.
        owner = j if slot >= 0 else parents[first]
        number = uniforms[families.label[owner]]
        while option < n_settings - 1 and shares[begin + option, r] <= number:
            option += 1
        setting = option
        if slot >= 0:
            values[j] = (option >> slot) & 1
            setting = (option & ~(1 << slot)) | (a << slot)
        for t in range(firsts[j + 1] - first):
            values[parents[first + t]] = (setting >> t) & 1


@kernel(error_model="numpy")
def draw_given(families, scores, known, n_hubs, most_settings, uniforms, vectors):  # type: ignore[no-untyped-def]
    """Write draws from P(y | evidence) of every row."""
    n_rows, n_samples, n_labels = vectors.shape
    lanes, ratio = np.empty((scores.values.shape[1], ROWS)), np.empty((n_labels, ROWS))
    power, message = np.empty((n_hubs, ROWS)), np.empty((1, ROWS))
    table, weight = np.empty((most_settings, ROWS)), np.empty((most_settings, ROWS))
    shares, values = np.empty((2 * families.entry[-1], ROWS)), np.empty(n_labels, dtype=np.uint8)
    for begin in range(0, n_rows, ROWS):
        fill_lanes(scores, begin, lanes)
        begin_ratios(known, begin, families.label, ratio, power)
        send(families, scores, False, True, lanes, ratio, power, message, table, weight)
        _set_shares(families, scores, lanes, ratio, table, weight, shares)
        for r in range(min(ROWS, n_rows - begin)):
            for s in range(n_samples):
                _draw(r, families, ratio, shares, uniforms[begin + r, s], values)
                for k in range(n_labels):
                    vectors[begin + r, s, k] = values[families.place[k]]


@kernel(error_model="numpy", forceinline=True)
def _write(begin, n_used, place, marginal, marginals):  # type: ignore[no-untyped-def]
    """Write the marginals of a block of rows, eight rows at a time where there are so many."""
    whole_rows = n_used - n_used % WIDTH
    for r in range(0, whole_rows, WIDTH):
        for k in range(marginals.shape[1]):
            store_column(marginals, begin + r, k, load(marginal, place[k], r))
    for r in range(whole_rows, n_used):
        for k in range(marginals.shape[1]):
            marginals[begin + r, k] = marginal[place[k], r]


@kernel(error_model="numpy", forceinline=True)
def _average(j, first, last, parents, marginal, table, weight):  # type: ignore[no-untyped-def]
    """P(y_j = 1) = sum over settings of P(setting) P(y_j = 1 | setting): parents of a polytree are independent."""
    for r in range(0, ROWS, WIDTH):
        store(weight, 0, r, fill(1.0))
        size = 1
        for t in range(first, last):
            chance = load(marginal, parents[t], r)
            for m in range(size):
                whole = load(weight, m, r)
                store(weight, size + m, r, whole * chance)
                store(weight, m, r, whole * (1.0 - chance))
            size *= 2
        total = fill(0.0)
        for m in range(size):
            odds = load(table, m, r)
            total = total + load(weight, m, r) * (odds / (1.0 + odds))
        store(marginal, j, r, total)


@kernel(error_model="numpy", forceinline=True)
def _average_of_one(j, a, gain, lanes, marginal):  # type: ignore[no-untyped-def]
    """The same with one parent, or with none (a < 0)."""
    for r in range(0, ROWS, WIDTH):
        x = load(lanes, j, r)
        off = limited(x)
        if a < 0:
            store(marginal, j, r, off / (1.0 + off))
        else:
            on, chance = limited(x * gain), load(marginal, a, r)
            share = off * (1.0 + on) * (1.0 - chance) + on * (1.0 + off) * chance
            store(marginal, j, r, share / ((1.0 + off) * (1.0 + on)))


@kernel(error_model="numpy")
def find_marginals(families, scores, most_settings, marginals):  # type: ignore[no-untyped-def]
    """Write P(y_k = 1) of every row and label, without evidence."""
    n_rows, n_labels = marginals.shape
    order, firsts, parents, entry = families.order, families.first, families.parents, families.entry
    simple, linear, shifts, gains = scores.simple, scores.linear, scores.shifts, scores.gains
    lanes, marginal = np.empty((scores.values.shape[1], ROWS)), np.empty((n_labels, ROWS))
    table, weight = np.empty((most_settings, ROWS)), np.empty((most_settings, ROWS))
    for begin in range(0, n_rows, ROWS):
        fill_lanes(scores, begin, lanes)
        for j in order:
            first, last = firsts[j], firsts[j + 1]
            if last == first and linear:
                _average_of_one(j, -1, 1.0, lanes, marginal)
            elif last - first == 1 and simple[j]:
                _average_of_one(j, parents[first], gains[entry[j] + 1], lanes, marginal)
            else:
                set_odds(j, entry[j], entry[j + 1], linear, simple[j], shifts, gains, lanes, table)
                _average(j, first, last, parents, marginal, table, weight)
        _write(begin, min(ROWS, n_rows - begin), families.place, marginal, marginals)


@kernel(error_model="numpy", forceinline=True)
def _spread_of_one(j, a, gain, to_child, kept, lanes, ratio):  # type: ignore[no-untyped-def]
    """Odds of the other label of a factor with one parent a, where kept[1] holds those of its target without it."""
    for r in range(0, ROWS, WIDTH):
        x, rest = load(lanes, j, r), load(kept, 1, r)
        off, on = limited(x), limited(x * gain)
        if to_child:
            above, below = 1.0 + on, (1.0 + off) * rest
            store(ratio, j, r, load(ratio, j, r) * ((off * above + on * below) / (above + below)))
        else:
            share = (1.0 + on * rest) * (1.0 + off) / ((1.0 + off * rest) * (1.0 + on))
            store(ratio, a, r, load(ratio, a, r) * share)


@kernel(error_model="numpy", forceinline=True)
def _spread_of_many(j, slot, first, last, parents, table, weight, ratio):  # type: ignore[no-untyped-def]
    """Odds of all labels of a factor but its target, whose ratio stands for all the rest of the tree."""
    n_settings = 1 << (last - first)
    for r in range(0, ROWS, WIDTH):
        child, low, high = load(ratio, j, r), fill(0.0), fill(0.0)
        for m in range(n_settings):
            odds = load(table, m, r)
            share = load(weight, m, r) / (1.0 + odds)
            low, high = low + share, high + share * odds * child
            store(weight, m, r, share * (1.0 + odds * child))
        if slot >= 0:
            store(ratio, j, r, high / low)
        for t in range(last - first):
            if t != slot:
                low, high = fill(0.0), fill(0.0)
                for m in range(n_settings):
                    if (m >> t) & 1 == 0:
                        low = low + load(weight, m, r)
                    else:
                        high = high + load(weight, m, r)
                store(ratio, parents[first + t], r, high / low)


@kernel(error_model="numpy", forceinline=True)
def _believe(j, begin, n_settings, table, weight, ratio, beliefs):  # type: ignore[no-untyped-def]
    """Set the beliefs of a factor whose settings are weighed with all ratios in place."""
    for r in range(0, ROWS, WIDTH):
        child, total = load(ratio, j, r), fill(0.0)
        for m in range(n_settings):
            odds = load(table, m, r)
            share = load(weight, m, r) / (1.0 + odds)
            store(beliefs, 2 * (begin + m), r, share)
            store(beliefs, 2 * (begin + m) + 1, r, share * odds * child)
            total = total + share * (1.0 + odds * child)
        for b in range(2 * begin, 2 * (begin + n_settings)):
            store(beliefs, b, r, load(beliefs, b, r) / total)


@kernel(error_model="numpy", forceinline=True)
def _spread(families, scores, lanes, ratio, message, table, weight, kept, beliefs):  # type: ignore[no-untyped-def]
    """From the roots down, turn every ratio into the odds of the label given all evidence.

    While a factor is at work the ratio of its target is that of all the rest of the tree: its own message is taken out.
    """
    targets, slots, firsts, parents = families.target, families.slot, families.first, families.parents
    entry, believed = families.entry, beliefs.shape[0] > 0
    simple, linear, shifts, gains = scores.simple, scores.linear, scores.shifts, scores.gains
    for j in range(targets.size - 1, -1, -1):
        first, last, target = firsts[j], firsts[j + 1], targets[j]
        if last == first and not believed:
            continue
        for r in range(0, ROWS, WIDTH):
            whole = load(ratio, target, r)
            store(kept, 0, r, whole)
            rest = held(whole / load(message, j, r))
            store(ratio, target, r, rest)
            store(kept, 1, r, rest)
        if last - first == 1 and simple[j] and not believed:
            _spread_of_one(j, parents[first], gains[entry[j] + 1], target != j, kept, lanes, ratio)
        else:
            set_odds(j, entry[j], entry[j + 1], linear, simple[j], shifts, gains, lanes, table)
            n_settings = weigh_settings(first, last, -1, parents, ratio, weight)
            if believed:
                _believe(j, entry[j], n_settings, table, weight, ratio, beliefs)
            _spread_of_many(j, slots[j], first, last, parents, table, weight, ratio)
        for r in range(0, ROWS, WIDTH):
            store(ratio, target, r, load(kept, 0, r))


@kernel(error_model="numpy")
def find_marginals_given(families, scores, known, n_hubs, most_settings, marginals, log_evidence, tables):  # type: ignore[no-untyped-def]
    """Write P(y_k = 1 | evidence), log P(evidence) and, where `tables` has columns, the beliefs of all families."""
    n_rows, n_labels = marginals.shape
    lanes, ratio = np.empty((scores.values.shape[1], ROWS)), np.empty((n_labels, ROWS))
    power, kept, total = np.empty((n_hubs, ROWS)), np.empty((2, ROWS)), np.empty((1, ROWS))
    table, weight = np.empty((most_settings, ROWS)), np.empty((most_settings, ROWS))
    message, beliefs = np.empty((n_labels, ROWS)), np.empty((tables.shape[1], ROWS))
    label, place = families.label, families.place
    for begin in range(0, n_rows, ROWS):
        fill_lanes(scores, begin, lanes)
        begin_ratios(known, begin, label, ratio, power)
        send(families, scores, False, True, lanes, ratio, power, message, table, weight)
        total[:] = 0.0
        if known.shape[0] > 0:
            weigh_evidence(families, scores, lanes, ratio, message, table, weight, total)
        _spread(families, scores, lanes, ratio, message, table, weight, kept, beliefs)
        n_used = min(ROWS, n_rows - begin)
        for r in range(n_used):
            log_evidence[begin + r] = total[0, r]
        for v in range(n_labels):
            for r in range(0, ROWS, WIDTH):
                store(ratio, v, r, load(ratio, v, r) / (1.0 + load(ratio, v, r)))
        _write(begin, n_used, place, ratio, marginals)
        for b in range(tables.shape[1]):
            for r in range(n_used):
                tables[begin + r, b] = beliefs[b, r]
