"""Answers what cointoss's own accounting and metrics should give. Reads one JSON object, prints one."""

import json
import sys

import numpy as np
from dp_accounting import NeighboringRelation
from dp_accounting.pld import privacy_loss_distribution
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.preprocessing import OneHotEncoder


def epsilon(task):
    step = privacy_loss_distribution.from_gaussian_mechanism(
        task["deviation"], sampling_prob=task["rate"], neighboring_relation=NeighboringRelation.REPLACE_ONE
    )
    return step.self_compose(task["steps"]).get_epsilon_for_delta(task["delta"])


def predictions(task):
    features = OneHotEncoder().fit_transform(task["categories"])
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(features, task["labels"])
    return model.predict_proba(features)[:, 1].tolist()


task = json.load(sys.stdin)
labels, outputs = task["labels"], np.array(task["outputs"])
print(
    json.dumps(
        {
            "epsilons": [epsilon(each) for each in task["steps"]],
            "auc": roc_auc_score(labels, outputs),
            "logLoss": log_loss(labels, 1 / (1 + np.exp(-outputs))),
            "predictions": predictions(task["regression"]),
        }
    )
)
