"""How many examples a second of processor time PyTorch and Opacus train on, with the data and models of bench/learn.ts."""

import json
import sys
import time
import warnings

import numpy as np
import torch
from opacus import PrivacyEngine

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
folder, given = sys.argv[1], json.loads(sys.argv[2])
buckets = given["buckets"]
categories = np.fromfile(f"{folder}/categories", np.int32).reshape(-1, len(buckets)).astype(np.int64)
data = torch.utils.data.TensorDataset(
    torch.tensor(categories + np.concatenate([[0], np.cumsum(buckets)[:-1]])),
    torch.tensor(np.fromfile(f"{folder}/labels", np.float32)),
)
loss = torch.nn.functional.binary_cross_entropy_with_logits


class Logistic(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = torch.nn.Embedding(sum(buckets), 1)
        self.bias = torch.nn.Linear(1, 1)

    def forward(self, x):
        return self.bias(self.weights(x).sum(1)).squeeze(1)


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(sum(buckets), 8)
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(8 * len(buckets), 128), torch.nn.ReLU(), torch.nn.Linear(128, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)
        )

    def forward(self, x):
        return self.layers(self.embedding(x).flatten(1)).squeeze(1)


def rate(epoch):
    epoch()
    start = time.process_time()
    epoch()
    return len(data) / (time.process_time() - start)


def plain(model):
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    x, y = data.tensors

    def epoch():
        order = torch.randperm(len(data))
        for rows in order.split(given["BATCH"]):
            optimiser.zero_grad()
            loss(model(x[rows]), y[rows]).backward()
            optimiser.step()

    return rate(epoch)


def private(model):
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    loader = torch.utils.data.DataLoader(data, batch_size=given["PRIVATE_BATCH"])
    engine = PrivacyEngine()
    model, optimiser, _ = engine.make_private(
        module=model, optimizer=optimiser, data_loader=loader, noise_multiplier=1.0, max_grad_norm=1.0
    )
    x, y = data.tensors

    def epoch():
        # Batches of one size, without the loader's own work.
        for from_row in range(0, len(data), given["PRIVATE_BATCH"]):
            rows = slice(from_row, from_row + given["PRIVATE_BATCH"])
            optimiser.zero_grad()
            loss(model(x[rows]), y[rows]).backward()
            optimiser.step()

    return rate(epoch)


print(
    json.dumps(
        {
            kind: {"plain": plain(model()), "private": private(model())}
            for kind, model in {"logistic": Logistic, "network": Network}.items()
        }
    )
)
