"""The ε of sums of votes with Gaussian noise, of which a unit changes each by at most 1. Reads one JSON object, prints a list."""

import json
import sys

from dp_accounting.pld import privacy_loss_distribution

task = json.load(sys.stdin)
print(
    json.dumps(
        [
            privacy_loss_distribution.from_gaussian_mechanism(each["deviation"])
            .self_compose(each["questions"])
            .get_epsilon_for_delta(each["delta"])
            for each in task["votes"]
        ]
    )
)
