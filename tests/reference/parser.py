"""Slow twin of incremental parsing: stacks are tuples, weights are dicts.

Features are named by the hashes of the kernels, made here with whole numbers of Python.
"""

from collections import defaultdict
from dataclasses import dataclass

from reference.chain import WORD, join, mix, padding

SHIFT, LEFT, RIGHT, ROOT = range(4)
LARGEST_GAP = 10


def finish(h):
    return h * 0xD6E8FEB86659FD93 & WORD


def kind_of(action):
    return action if action < 4 else LEFT if action % 2 == 0 else RIGHT


def relation_of(action):
    return (action - 4) // 2


@dataclass(frozen=True)
class Configuration:
    """The state of a parser; arcs are (head, child, relation), in order."""

    n: int
    stack: tuple[int, ...] = ()
    front: int = 0
    arcs: tuple[tuple[int, int, int], ...] = ()

    def allowed(self, may_start):
        """Kinds of actions."""
        more = self.front < self.n
        deep = len(self.stack) > 1
        left = bool(self.stack) and more
        free = more and not any(head == self.front for head, _, _ in self.arcs)
        ends = len(self.stack) == 1 and (not more or (free and may_start[self.front]))
        answers = {SHIFT: more, LEFT: left, RIGHT: deep, ROOT: ends}
        return [kind for kind, answer in answers.items() if answer]

    def actions(self, relations, may_start):
        for kind in self.allowed(may_start):
            if kind in (SHIFT, ROOT):
                yield kind
            else:
                yield from range(4 + (kind == RIGHT), 4 + 2 * relations, 2)

    def after(self, action):
        kind, stack, front = kind_of(action), self.stack, self.front
        arc: tuple[tuple[int, int, int], ...] = ()
        if kind == SHIFT:
            stack, front = (*stack, front), front + 1
        elif kind == ROOT:
            arc, stack = ((stack[-1], stack[-1], -1),), stack[:-1]
        elif kind == RIGHT:
            arc = ((stack[-2], stack[-1], relation_of(action)),)
            stack = stack[:-1]
        else:
            arc, stack = ((front, stack[-1], relation_of(action)),), stack[:-1]
        return Configuration(self.n, stack, front, self.arcs + arc)

    def heads(self):
        found = [-1] * self.n
        for head, child, _ in self.arcs:
            found[child] = head
        return found

    def relations(self):
        found = [-1] * self.n
        for _, child, relation in self.arcs:
            found[child] = relation
        return found

    def token(self, place):
        if place.startswith("s") and "." not in place:
            k = int(place[1:])
            return self.stack[-1 - k] if k < len(self.stack) else -1
        if "." not in place:
            return self.front + int(place[1:])
        children = self.children(place)
        return children[0] if children else -1

    def children(self, place):
        """The child that a place like s0.l2 names, if there is one."""
        parent, _, child = place.partition(".")
        token = self.token(parent)
        if token < 0 or token >= self.n:
            return []
        own = sorted(c for h, c, _ in self.arcs if h == token and c != h)
        side = [c for c in own if c < token] if child[0] == "l" else []
        side = side or ([c for c in own if c > token][::-1] if child[0] == "r" else [])
        number = int(child[1]) - 1
        return side[number : number + 1]

    def fact(self, name):
        kind, _, place = name[:-1].partition("[")
        if kind == "relation":
            child = self.children(place)
            found = self.relations()
            return found[child[0]] if child else -1
        if kind == "gap":
            first, second = (self.token(x) for x in place.split(","))
            if min(first, second) < 0 or max(first, second) >= self.n:
                return 0
            return min(abs(first - second), LARGEST_GAP)
        token = self.token(place)
        own = [c for h, c, _ in self.arcs if h == token and c != h]
        is_left = kind == "lefts"
        return sum((c < token) == is_left for c in own)


def feature(configuration, seed, looks, attrs):
    """The hash of a template: looks are (place or fact, column or -1)."""
    h = 0
    for name, column in looks:
        if column < 0:
            value = mix(configuration.fact(name) + 2)
        else:
            token = configuration.token(name)
            if token < 0:
                value = padding(-1)
            elif token >= configuration.n:
                value = padding(token - configuration.n + 1)
            else:
                value = attrs[token][column]
        h = join(h, value)
    return finish(join(h, seed)) & ~((1 << 24) - 1)


class Parser:
    """A parser whose weights are whole numbers in a dict."""

    def __init__(self, templates, relations, *, beam, method):
        self.templates = templates
        self.relations = relations
        self.beam = beam
        self.method = method
        self.w: dict[tuple[int, int], float] = defaultdict(float)
        self.sum: dict[tuple[int, int], float] = defaultdict(float)
        self.examples = 0

    def cells(self, configuration, action, attrs):
        for seed, looks in self.templates:
            key = feature(configuration, seed, looks, attrs)
            yield key, kind_of(action)
            if action >= 4:
                yield key, action

    def score(self, configuration, action, attrs):
        return sum(self.w[cell] for cell in self.cells(configuration, action, attrs))

    def search(self, attrs, steps, gold=None):
        """The layers of the beam: (score, configuration, actions) best first."""
        n = len(attrs)
        layer = [(0.0, Configuration(n), ())]
        layers = [layer]
        for _ in range(steps):
            found = []
            for rank, (before, configuration, actions) in enumerate(layer):
                for action in configuration.actions(self.relations, [True] * n):
                    total = before + self.score(configuration, action, attrs)
                    found.append((-total, rank, action, configuration, actions))
            found.sort(key=lambda x: x[:3])
            layer = [
                (-minus, configuration.after(action), (*actions, action))
                for minus, _, action, configuration, actions in found[: self.beam]
            ]
            layers.append(layer)
        return layers

    def explore(self, attrs, heads, names, lost, follow):
        """Update on the missteps of a greedy way through a sentence, all of which are
        followed or none; how many there were. lost(actions): heads out of reach."""
        n = len(attrs)
        configuration, actions, missteps = Configuration(n), (), []
        for _ in range(2 * n):
            cost = lost(actions)
            inside = {
                kind: number
                for kind, number in enumerate(cost)
                if number >= 0 and stays(configuration, kind)
            }
            least = min(inside.values())
            right, wrong = [], []
            for action in configuration.actions(self.relations, [True] * n):
                score = self.score(configuration, action, attrs)
                end = configuration.after(action)
                good = inside.get(kind_of(action)) == least
                if good and len(end.arcs) > len(configuration.arcs):
                    head, child, relation = end.arcs[-1]
                    if heads[child] == head and names[child] >= 0:
                        good = names[child] == relation
                order = (-score, kind_of(action), action)
                (right if good else wrong).append((order, action))
            chosen = best = min(right)[1]
            if wrong and min(wrong)[0][0] <= min(right)[0][0]:
                taken = min(wrong)[1]
                missteps.append((configuration, best, taken))
                if follow and stays(configuration, kind_of(taken)):
                    chosen = taken
            configuration = configuration.after(chosen)
            actions = (*actions, chosen)
        for state, best, taken in missteps:
            for action, value in ((best, 1.0), (taken, -1.0)):
                for cell in self.cells(state, action, attrs):
                    self.w[cell] += value
        self.examples += 1
        for cell, value in self.w.items():
            self.sum[cell] += value
        return len(missteps)

    def learn(self, attrs, gold):
        """Update on gold actions; (length of the prefix, whether it is a violation)."""
        layers = self.search(attrs, len(gold))
        configuration = Configuration(len(attrs))
        total, gaps, wrong, kept = 0.0, [], [], []
        for i, action in enumerate(gold):
            total += self.score(configuration, action, attrs)
            configuration = configuration.after(action)
            gaps.append(layers[i + 1][0][0] - total)
            wrong.append(layers[i + 1][0][2] != tuple(gold[: i + 1]))
            kept.append(tuple(gold[: i + 1]) in [x[2] for x in layers[i + 1]])
        found = [i for i in range(len(gold)) if wrong[i] and gaps[i] >= 0]
        length = {
            "standard": lambda: len(gold) if wrong[-1] else 0,
            "early": lambda: next(
                (i + 1 for i in found if not kept[i] or i + 1 == len(gold)), 0
            ),
            "latest": lambda: found[-1] + 1 if found else 0,
            "max": lambda: max(found, key=lambda i: (gaps[i], i)) + 1 if found else 0,
        }[self.method]()
        if length:
            self.add(attrs, gold[:length], 1.0)
            self.add(attrs, layers[length][0][2], -1.0)
        self.examples += 1
        for cell, value in self.w.items():
            self.sum[cell] += value
        return length, bool(length) and gaps[length - 1] >= 0 and wrong[length - 1]

    def add(self, attrs, actions, value):
        configuration = Configuration(len(attrs))
        for action in actions:
            for cell in self.cells(configuration, action, attrs):
                self.w[cell] += value
            configuration = configuration.after(action)


def stays(configuration, kind):
    """Check that an action neither leaves the sentence nor ends it too early."""
    inside = configuration.front < configuration.n
    return not inside if kind == ROOT else kind == RIGHT or inside


def derivations(configuration, relations, may_start):
    """All ways to the end, and what they lead to."""
    if len(configuration.arcs) == configuration.n:
        yield (), configuration
        return
    for action in configuration.actions(relations, may_start):
        rest = derivations(configuration.after(action), relations, may_start)
        for actions, end in rest:
            yield (action, *actions), end
