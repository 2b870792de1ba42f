"""Slow twins of steps: AdaGrad, and penalties that fall due with every example."""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from reference.chain import END, START, Hashes, Shape, Weights
from reference.rules import Cells

# The cells that a rule wants to change, and by how much.
Wishes = Callable[[Shape, Hashes, Sequence[int], Weights], Cells]
Name = tuple[int, int]


@dataclass
class Stepper:
    """lazy: a row pays only when it is looked at, for all the time since; else every
    weight pays after every example.
    """

    shape: Shape
    wishes: Wishes
    epoch_size: int
    adagrad: bool = False
    l1: float = 0.0
    l2: float = 0.0
    lazy: bool = True
    weights: Weights = field(default_factory=dict)
    squares: dict = field(default_factory=lambda: defaultdict(float))
    paid: dict[Name, float] = field(default_factory=lambda: defaultdict(float))
    total: Weights = field(default_factory=dict)
    clock: float = 0.0
    examples: int = 0

    def learn(self, hashes, gold, rate):
        if self.lazy:
            for b, (_, _, templates) in enumerate(self.shape.blocks):
                for name in {(b, row[t]) for row in hashes for t in templates}:
                    self.pay(name)
            for b in self.shape.boundary_blocks:
                for key in (START, END):
                    self.pay((b, key))
        for cell, value in self.wishes(self.shape, hashes, gold, self.weights).items():
            self.change(cell, value, rate)
        self.clock += rate / self.epoch_size
        if not self.lazy:
            self.pay_all()
        for name, row in self.weights.items():
            self.total[name] = self.total.get(name, 0.0) + row
        self.examples += 1

    def change(self, cell, value, rate):
        *name, place = cell
        name = tuple(name)
        if name not in self.weights:
            self.weights[name] = np.zeros(self.shape.row_shape(name[0]))
            self.paid[name] = self.clock
        if self.adagrad:
            self.squares[cell] += value**2
            value /= math.sqrt(self.squares[cell])
        self.weights[name][place] += rate * value

    def pay_all(self):
        for name in self.weights:
            self.pay(name)

    def pay(self, name):
        if name not in self.weights:
            return
        due = self.clock - self.paid[name]
        self.paid[name] = self.clock
        row = self.weights[name] = self.weights[name].copy()
        for place in np.ndindex(row.shape):
            share = due
            squares = self.squares.get((*name, place), 0.0)
            if squares:
                share /= math.sqrt(squares)
            x = row[place] / (1 + share * self.l2)
            row[place] = math.copysign(max(abs(x) - share * self.l1, 0.0), x)

    def average(self):
        return {name: total / self.examples for name, total in self.total.items()}
