"""The least variance of unbiased private randomizers over given outputs, by HiGHS. Reads one JSON object, prints one.

HiGHS works with absolute tolerances, so the programme is written with numbers near 1, however small or large epsilon is: a probability is
q * mass + (1 - q) * above, outputs are multiplied by 1 - q, and the sum of all masses and their mean are equations that all truths share.
"""

import json
import sys

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix


def least(task):
    truths, prior, outputs = (np.array(task[name], float) for name in ("truths", "prior", "outputs"))
    n, m = len(truths), len(outputs)
    q, slack = np.exp(-task["epsilon"]), -np.expm1(-task["epsilon"])
    span = truths.max() - truths.min()
    x = (truths - truths.min()) / span
    y = slack * (outputs - truths.min()) / span
    # Variables: `above` of output j for truth x at x * m + j, then the mass of each output, then the sum of `above` and what its mean lacks.
    above, mass, room, lean = np.arange(n * m), n * m + np.arange(m), n * m + m, n * m + m + 1
    squares = prior[:, None] * (y - slack * x[:, None]) ** 2
    unit = slack**2 * task["scale"] / span**2
    cost = np.concatenate([slack * squares.ravel(), q * squares.sum(axis=0), [0, 0]]) / unit
    own = np.tile(mass, n)
    bounds = coo_matrix(
        (np.concatenate([np.ones(n * m), -np.ones(n * m)]), (np.tile(above, 2), np.concatenate([above, own]))),
        (n * m, n * m + m + 2),
    )
    truth, every, shared = np.repeat(np.arange(n), m), np.arange(n), np.zeros(m, int)
    values = [np.ones(n * m), -np.ones(n), np.tile(y, n), np.ones(n), q * np.ones(m), [slack], q * y, [-slack]]
    rows = [truth, every, truth + n, every + n, shared + 2 * n, [2 * n], shared + 2 * n + 1, [2 * n + 1]]
    columns = [above, np.full(n, room), above, np.full(n, lean), mass, [room], mass, [lean]]
    equal = coo_matrix(tuple([np.concatenate(values), tuple([np.concatenate(rows), np.concatenate(columns)])]))
    side = np.concatenate([np.zeros(n), x, [1, 0]])
    limits = [(0, None)] * (n * m + m) + [(None, None)] * 2
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(cost, bounds, np.zeros(n * m), equal, side, limits, method="highs", options=tight)
    if found.status != 0:
        raise ValueError(found.message)
    return found.fun * task["scale"]


print(json.dumps([least(task) for task in json.load(sys.stdin)]))
