"""The least variance of unbiased private randomizers over given outputs, by HiGHS. Reads one JSON object, prints one."""

import json
import sys

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix


def least(task):
    truths, prior, outputs = (np.array(task[name], float) for name in ("truths", "prior", "outputs"))
    n, m = len(truths), len(outputs)
    # Variables: the probability of output j for truth x at x·m + j, then the greatest of each output, after all of them.
    cost = np.append((prior[:, None] * (outputs - truths[:, None]) ** 2).ravel(), np.zeros(m))
    own, most = np.arange(n * m), n * m + np.tile(np.arange(m), n)
    one = np.ones(n * m)
    rows = np.arange(n * m)
    bounds = coo_matrix(
        (
            np.concatenate([one, -one, -one, np.exp(-task["epsilon"]) * one]),
            (np.concatenate([rows, rows, rows + n * m, rows + n * m]), np.concatenate([own, most, own, most])),
        ),
        (2 * n * m, n * m + m),
    )
    truth = np.repeat(np.arange(n), m)
    equal = coo_matrix(
        (np.concatenate([one, np.tile(outputs, n)]), (np.concatenate([truth, truth + n]), np.tile(own, 2))),
        (2 * n, n * m + m),
    )
    found = linprog(cost, bounds, np.zeros(2 * n * m), equal, np.append(np.ones(n), truths), method="highs")
    if found.status != 0:
        raise ValueError(found.message)
    return found.fun


print(json.dumps([least(task) for task in json.load(sys.stdin)]))
