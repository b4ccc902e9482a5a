"""Answers what cointoss's own training and clipping should give. Reads one JSON object, prints one."""

import json
import sys

import numpy as np
import torch
from opacus.grad_sample import GradSampleModule

EMBEDDING = 8
HIDDEN = [128, 64]


class Network(torch.nn.Module):
    def __init__(self, buckets, parameters):
        super().__init__()
        flat = torch.tensor(parameters, dtype=torch.float32)
        total = sum(buckets)
        self.register_buffer("offsets", torch.tensor(np.concatenate([[0], np.cumsum(buckets)[:-1]])))
        self.embedding = torch.nn.Embedding(total, EMBEDDING)
        widths = [len(buckets) * EMBEDDING, *HIDDEN, 1]
        self.layers = torch.nn.ModuleList(torch.nn.Linear(i, o) for i, o in zip(widths, widths[1:]))
        with torch.no_grad():
            self.embedding.weight.copy_(flat[: total * EMBEDDING].view(total, EMBEDDING))
            at = total * EMBEDDING
            for layer in self.layers:
                i, o = layer.in_features, layer.out_features
                layer.weight.copy_(flat[at : at + i * o].view(i, o).T)
                layer.bias.copy_(flat[at + i * o : at + (i + 1) * o])
                at += (i + 1) * o

    def forward(self, categories):
        x = self.embedding(categories + self.offsets).flatten(1)
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x).squeeze(1)

    def flat(self, of):
        parts = [of(self.embedding.weight).reshape(-1)]
        for layer in self.layers:
            parts += [of(layer.weight).T.reshape(-1), of(layer.bias)]
        return torch.cat(parts).tolist()


def trained(task):
    model = Network(task["buckets"], task["parameters"])
    optimiser = {
        "adam": lambda: torch.optim.Adam(model.parameters(), lr=task["rate"]),
        "sgd": lambda: torch.optim.SGD(model.parameters(), lr=task["rate"], momentum=0.9),
        "rmsprop": lambda: torch.optim.RMSprop(model.parameters(), lr=task["rate"], alpha=0.99),
    }[task["optimiser"]]()
    categories, labels = torch.tensor(task["categories"]), torch.tensor(task["labels"], dtype=torch.float32)
    for _ in range(task["steps"]):
        optimiser.zero_grad()
        torch.nn.functional.binary_cross_entropy_with_logits(model(categories), labels).backward()
        optimiser.step()
    return model.flat(lambda parameter: parameter.detach())


def clipped_sum(task):
    model = Network(task["buckets"], task["parameters"])
    wrapped = GradSampleModule(model, loss_reduction="sum")
    categories, labels = torch.tensor(task["categories"]), torch.tensor(task["labels"], dtype=torch.float32)
    torch.nn.functional.binary_cross_entropy_with_logits(wrapped(categories), labels, reduction="sum").backward()
    norms = torch.stack([p.grad_sample.flatten(1).norm(dim=1) for p in model.parameters()]).norm(dim=0)
    factors = (task["clip"] / norms).clamp(max=1)
    return model.flat(lambda p: torch.einsum("n,n...->...", factors, p.grad_sample))


task = json.load(sys.stdin)
torch.set_num_threads(1)
print(
    json.dumps(
        {
            "trained": {kind: trained({**task, "optimiser": kind}) for kind in ("adam", "sgd", "rmsprop")},
            "clippedSum": clipped_sum(task),
        }
    )
)
