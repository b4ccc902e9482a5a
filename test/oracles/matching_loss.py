"""The least loss of private mechanisms that pick one of n clicks or none, by HiGHS. Reads a list of tasks, prints a list.

World 0 has no heavy click, world i the heavy click i. By symmetry a mechanism is given by five probabilities: in world 0 that of each click and
of none; in world i that of click i, of each other click, and of none. World 0 is a neighbour of every other; (epsilon, delta)-privacy is demanded
for every set of outputs, which by symmetry are: with click i or not, with k of the others, with none or not.
"""

import json
import sys

import numpy as np
from scipy.optimize import linprog


def least(task):
    n, grown, delta = task["candidates"], np.exp(task["epsilon"]), task["delta"]
    rows, sides = [], []
    for own in (0, 1):
        for others in range(n):
            for none in (0, 1):
                base = np.array([own + others, none, 0, 0, 0], float)
                world = np.array([0, 0, own, others, none], float)
                rows += [base - grown * world, world - grown * base]
                sides += [delta, delta]
    equal = [[n, 1, 0, 0, 0], [0, 0, 1, n - 1, 1]]
    found = linprog([0, 0, -1, 0, 0], rows, sides, equal, [1, 1], [(0, 1)] * 5, method="highs")
    if found.status != 0:
        raise ValueError(found.message)
    return 1 + found.fun


print(json.dumps([least(task) for task in json.load(sys.stdin)]))
