"""Trains one model with PyTorch for `cointoss learn --engine torch`.

Reads a job from standard input and writes its result to standard output. Both are the length of a JSON header as a little-endian
uint32, the header, and arrays. It computes what analysis/learn computes, on a GPU if PyTorch finds one. Gradients of single examples are
never stored: their lengths follow from the inputs and slopes of each layer (Goodfellow 2015, "Efficient per-example gradient computations").
"""

import ctypes
import json
import math
import struct
import sys

import torch

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
# Room for rounding, as in analysis/learn/private-train.ts.
CLIP_MARGIN = 1 - 2**-16
LARGEST_EXPONENT = 30
MOMENTUM, FIRST, SECOND, RMSPROP_DECAY = 0.9, 0.9, 0.999, 0.99


class Embedding:
    """The rows of one feature's table, of which each example has one, or none (bucket -1)."""

    def __init__(self, table, gradient):
        self.table, self.gradient = table, gradient

    def forward(self, buckets):
        self.buckets, self.seen = buckets.clamp(min=0), (buckets >= 0).unsqueeze(1)
        return torch.where(self.seen, self.table[self.buckets], torch.zeros((), device=DEVICE))

    def squares(self, slopes):
        return (slopes.square() * self.seen).sum(1)

    def accumulate(self, slopes):
        self.gradient.index_add_(0, self.buckets, slopes * self.seen)


class Dense:
    """y = x W + b, with ReLU if it is hidden."""

    def __init__(self, weights, biases, gradients, hidden):
        self.weights, self.biases, self.gradients, self.hidden = weights, biases, gradients, hidden
        self.dropout, self.random = 0, None

    def forward(self, x):
        self.x = x
        y = torch.addmm(self.biases, x, self.weights)
        self.y = torch.relu(y) if self.hidden else y
        if self.hidden and self.dropout > 0:
            drawn = torch.rand(y.shape, generator=self.random, device=DEVICE)
            self.y = self.y * (drawn >= self.dropout) / (1 - self.dropout)
        return self.y

    def backward(self, slopes):
        self.slopes = slopes * (self.y > 0) / (1 - self.dropout) if self.hidden else slopes
        return self.slopes @ self.weights.T

    def squares(self):
        return (1 + self.x.square().sum(1)) * self.slopes.square().sum(1)

    def accumulate(self, factors):
        slopes = self.slopes if factors is None else self.slopes * factors.unsqueeze(1)
        self.gradients[0].addmm_(self.x.T, slopes)
        self.gradients[1].add_(slopes.sum(0))


class Model:
    """Embeddings and numbers side by side, then dense layers. Logistic regression has embeddings of one number each, and adds all up."""

    def __init__(self, shape, parameters):
        self.parameters = parameters
        self.gradient = torch.zeros_like(parameters)
        self.at = 0
        self.logistic = shape["kind"] == "logistic"
        widths = [1] * len(shape["buckets"]) if self.logistic else shape["embeddings"]
        self.widths = widths
        self.embeddings = [
            Embedding(*self.take(count, width)) for count, width in zip(shape["buckets"], widths)
        ]
        inputs = sum(widths) + shape["numbers"]
        if self.logistic:
            (self.slope, self.slope_gradient), (self.bias, self.bias_gradient) = (
                self.take(shape["numbers"], 1),
                self.take(1),
            )
            self.layers = []
        else:
            ends = [inputs, *shape["layers"], 1]
            self.layers = []
            for index, (a, b) in enumerate(zip(ends, ends[1:])):
                (w, gw), (c, gc) = self.take(a, b), self.take(b)
                self.layers.append(Dense(w, c, (gw, gc), index < len(shape["layers"])))
        if self.at != parameters.numel():
            raise ValueError(f"there must be {self.at} parameters, not {parameters.numel()}")

    def take(self, *size):
        """The next parameters and their gradient, as views."""
        count = math.prod(size)
        found = [of[self.at : self.at + count].view(*size) for of in (self.parameters, self.gradient)]
        self.at += count
        return found

    def forward(self, categories, numbers):
        self.numbers = numbers
        parts = [one.forward(categories[:, index]) for index, one in enumerate(self.embeddings)]
        if self.logistic:
            outputs = self.bias + (numbers @ self.slope).squeeze(1)
            for part in parts:
                outputs = outputs + part.squeeze(1)
            return outputs
        x = torch.cat([*parts, numbers], dim=1)
        for layer in self.layers:
            x = layer.forward(x)
        return x.squeeze(1)

    def backward(self, slopes):
        self.slopes = slopes.unsqueeze(1)
        for layer in reversed(self.layers):
            self.slopes = layer.backward(self.slopes)

    def of_embeddings(self):
        if self.logistic:
            return [self.slopes] * len(self.embeddings)
        return self.slopes.split([*self.widths, self.slopes.shape[1] - sum(self.widths)], dim=1)[: len(self.widths)]

    def squares(self):
        """The squared length of the gradient of each example."""
        total = sum((layer.squares() for layer in self.layers), torch.zeros(self.slopes.shape[0], device=DEVICE))
        if self.logistic:
            total = total + self.slopes.squeeze(1).square() * (1 + self.numbers.square().sum(1))
        for one, slopes in zip(self.embeddings, self.of_embeddings()):
            total = total + one.squares(slopes)
        return total

    def accumulate(self, factors):
        """The sum over examples of factor times gradient."""
        self.gradient.zero_()
        for layer in self.layers:
            layer.accumulate(factors)
        scale = 1 if factors is None else factors.unsqueeze(1)
        if self.logistic:
            scaled = self.slopes * scale
            self.slope_gradient.addmm_(self.numbers.T, scaled)
            self.bias_gradient.add_(scaled.sum(0))
        for one, slopes in zip(self.embeddings, self.of_embeddings()):
            one.accumulate(slopes * scale)
        return self.gradient


def stepper(kind, parameters):
    """How parameters follow gradients; as in analysis/learn/optimiser.ts."""
    first, second = torch.zeros_like(parameters), torch.zeros_like(parameters)
    taken = 0

    def step(gradient, rate):
        nonlocal taken
        taken += 1
        if kind == "sgd":
            first.mul_(MOMENTUM).add_(gradient)
            parameters.sub_(rate * first)
            return
        square = gradient.square()
        if kind == "rmsprop":
            second.mul_(RMSPROP_DECAY).add_(square, alpha=1 - RMSPROP_DECAY)
            parameters.sub_(rate * gradient / (second.sqrt() + 1e-8))
            return
        first.mul_(FIRST).add_(gradient, alpha=1 - FIRST)
        if kind == "adam":
            second.mul_(SECOND).add_(square, alpha=1 - SECOND)
        else:
            second.sub_((1 - SECOND) * torch.sign(second - square) * square)
        root = (second / (1 - SECOND**taken)).sqrt() + (1e-8 if kind == "adam" else 1e-3)
        parameters.sub_(rate / (1 - FIRST**taken) * first / root)

    return step


def mean_of(loss, outputs):
    if loss == "cross-entropy":
        return torch.sigmoid(outputs)
    return outputs if loss == "squared" else outputs.clamp(max=LARGEST_EXPONENT).exp()


class Training:
    def __init__(self, job, categories, numbers, labels, parameters):
        self.job, self.settings = job, job["settings"]
        self.categories, self.numbers, self.labels = categories, numbers, labels
        self.model = Model(job["shape"], parameters)
        self.random = torch.Generator(device=DEVICE)
        self.random.manual_seed(job["seed"])
        for layer in self.model.layers:
            layer.dropout, layer.random = self.settings["dropout"], self.random
        self.step = stepper(self.settings["optimiser"], parameters)

    def backward(self, rows):
        outputs, loss = self.model.forward(self.categories[rows], self.numbers[rows]), self.settings["loss"]
        labels = self.labels[rows]
        # Of ALIBI: labels are log odds, and the model is the prior.
        expected = mean_of(loss, outputs + labels) if self.job["answers"] == "log-odds" else labels
        self.model.backward(mean_of(loss, outputs) - expected)

    def rate(self, step):
        return self.settings["rate"] / 2 * (1 + math.cos(math.pi * step / self.job["steps"]))

    def plain(self):
        order, at = torch.empty(0, dtype=torch.long, device=DEVICE), 0
        for step in range(self.job["steps"]):
            if at >= len(order):
                order, at = torch.randperm(self.job["count"], generator=self.random, device=DEVICE), 0
            rows = order[at : at + self.settings["batch"]]
            at += self.settings["batch"]
            self.backward(rows)
            self.step(self.model.accumulate(None) / len(rows), self.rate(step))
        return {}

    def private(self):
        """DP-SGD (Abadi et al. 2016), with Poisson sampling or with draws with replacement."""
        private, count, clip = self.job["private"], self.job["count"], self.settings["clip"]
        taken, longest = 0, torch.zeros((), device=DEVICE)
        for step in range(self.job["steps"]):
            if private["draws"] is None:
                drawn = torch.rand(count, generator=self.random, device=DEVICE, dtype=torch.float64)
                rows = (drawn < private["rate"]).nonzero().squeeze(1)
            else:
                rows = torch.randint(count, (private["draws"],), generator=self.random, device=DEVICE)
            taken += len(rows)
            self.backward(rows)
            lengths = self.model.squares().sqrt()
            factors = (clip * CLIP_MARGIN / lengths).clamp(max=1)
            if len(rows) > 0:
                longest = torch.maximum(longest, (lengths * factors).max())
            gradient = self.model.accumulate(factors)
            noise = torch.randn(gradient.shape, generator=self.random, device=DEVICE)
            gradient = gradient + private["deviation"] * clip * noise
            self.step(gradient / (private["rate"] * count), self.rate(step))
        return {"taken": taken, "longest": float(longest)}


def array(data, at, count, kind):
    found = torch.frombuffer(bytearray(data[at : at + 4 * count]) or bytearray(4), dtype=kind)[:count]
    return found.to(DEVICE), at + 4 * count


def bytes_of(tensor):
    """PyTorch's own way is through NumPy, which need not be there."""
    return ctypes.string_at(tensor.data_ptr(), 4 * tensor.numel())


def main():
    data = sys.stdin.buffer.read()
    (length,) = struct.unpack_from("<I", data)
    job = json.loads(data[4 : 4 + length])
    shape, count, at = job["shape"], job["count"], 4 + length
    wide, deep = len(shape["buckets"]), shape["numbers"]
    categories, at = array(data, at, count * wide, torch.int32)
    numbers, at = array(data, at, count * deep, torch.float32)
    labels, at = array(data, at, count, torch.float32)
    parameters, at = array(data, at, job["parameters"], torch.float32)
    if DEVICE.type == "cpu":
        # Several trainings run beside each other.
        torch.set_num_threads(1)
    with torch.no_grad():
        training = Training(job, categories.view(count, wide).long(), numbers.view(count, deep), labels, parameters)
        done = training.plain() if job["private"] is None else training.private()
    if not all(math.isfinite(number) for number in done.values()):
        sys.exit("training diverged: a gradient has no length; try a smaller rate")
    header = json.dumps(done, allow_nan=False).encode()
    sys.stdout.buffer.write(struct.pack("<I", len(header)) + header + bytes_of(parameters.cpu()))


if __name__ == "__main__":
    main()
