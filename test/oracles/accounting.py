"""Answers what cointoss's own accounting and metrics should give. Reads one JSON object, prints one."""

import json
import sys

import dp_accounting
import numpy as np
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.preprocessing import OneHotEncoder


def epsilons(task):
    step = dp_accounting.PoissonSampledDpEvent(task["rate"], dp_accounting.GaussianDpEvent(task["deviation"]))
    event = dp_accounting.SelfComposedDpEvent(step, task["steps"])
    return [accountant.compose(event).get_epsilon(task["delta"]) for accountant in (RdpAccountant(), PLDAccountant())]


def predictions(task):
    features = OneHotEncoder().fit_transform(task["categories"])
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(features, task["labels"])
    return model.predict_proba(features)[:, 1].tolist()


task = json.load(sys.stdin)
labels, outputs = task["labels"], np.array(task["outputs"])
print(
    json.dumps(
        {
            "epsilons": [epsilons(each) for each in task["steps"]],
            "auc": roc_auc_score(labels, outputs),
            "logLoss": log_loss(labels, 1 / (1 + np.exp(-outputs))),
            "predictions": predictions(task["regression"]),
        }
    )
)
