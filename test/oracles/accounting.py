"""Answers what cointoss's own accounting and metrics should give. Reads one JSON object, prints one."""

import json
import sys

import numpy as np
from dp_accounting import NeighboringRelation
from dp_accounting.pld import privacy_loss_distribution
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.preprocessing import OneHotEncoder


def epsilon(task):
    step = privacy_loss_distribution.from_gaussian_mechanism(
        task["deviation"], sampling_prob=task["rate"], neighboring_relation=NeighboringRelation.REPLACE_ONE
    )
    return step.self_compose(task["steps"]).get_epsilon_for_delta(task["delta"])


def drawn_epsilon(task):
    """Of an example that a step draws any number of times, with the gradient opposite to that of all others: one world against the other."""
    draws, rate = task["draws"], task["rate"]
    # The others have probabilities below 1e-16 together, and the library's default grid takes minutes.
    times = np.arange(min(draws, 10) + 1)
    chances = binom.pmf(times, draws, rate / draws)
    step = privacy_loss_distribution.from_mixture_gaussian_mechanism(
        task["deviation"], 2.0 * times, chances / chances.sum(), value_discretization_interval=task["interval"]
    )
    return step.self_compose(task["steps"]).get_epsilon_for_delta(task["delta"])


def predictions(task):
    features = OneHotEncoder().fit_transform(task["categories"])
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(features, task["labels"])
    return model.predict_proba(features)[:, 1].tolist()


def odds(cells):
    """A logistic regression with a standard normal prior."""
    features = OneHotEncoder().fit_transform([cell["values"] for cell in cells])
    rows = np.repeat(np.arange(len(cells)), 2)
    converted = np.tile([1, 0], len(cells))
    weights = np.ravel([[cell["truth"], cell["sources"] - cell["truth"]] for cell in cells])
    model = LogisticRegression(C=1, tol=1e-12, max_iter=10000).fit(features[rows], converted, sample_weight=weights)
    return model.decision_function(features).tolist()


def values(cells):
    """A linear regression with a penalty on all weights but the intercept; the truth of a cell is the sum of its sources' values."""
    features = OneHotEncoder().fit_transform([cell["values"] for cell in cells])
    sources = np.array([cell["sources"] for cell in cells])
    means = np.array([cell["truth"] for cell in cells]) / sources
    return Ridge(alpha=1, tol=1e-12).fit(features, means, sample_weight=sources).predict(features).tolist()


def votes(task):
    """ε of sums of votes with Gaussian noise, of which a unit changes each by at most 1."""
    answer = privacy_loss_distribution.from_gaussian_mechanism(task["deviation"])
    return answer.self_compose(task["questions"]).get_epsilon_for_delta(task["delta"])


def gaussian(task):
    """ε of exact discrete Gaussian noise on whole numbers, of which a neighbour changes some by 1."""
    one = privacy_loss_distribution.from_discrete_gaussian_mechanism(task["deviation"], sensitivity=1)
    return one.self_compose(task["changes"]).get_epsilon_for_delta(task["delta"])


task = json.load(sys.stdin)
labels, outputs = task["labels"], np.array(task["outputs"])
print(
    json.dumps(
        {
            "epsilons": [epsilon(each) for each in task["steps"]],
            "drawnEpsilons": [drawn_epsilon(each) for each in task["drawn"]],
            "auc": roc_auc_score(labels, outputs),
            "logLoss": log_loss(labels, 1 / (1 + np.exp(-outputs))),
            "predictions": predictions(task["regression"]),
            "odds": odds(task["cells"]),
            "values": values(task["cells"]),
            "votes": [votes(each) for each in task["votes"]],
            "gaussians": [gaussian(each) for each in task["gaussians"]],
        }
    )
)
