"""The slow, obvious twin of models in the ARPA format: a dictionary of lines."""


class Arpa:
    def __init__(self, text):
        self.p: dict[tuple[str, ...], float] = {}
        self.rest: dict[tuple[str, ...], float] = {}
        self.order = 0
        for line in text.splitlines():
            if line.endswith("-grams:"):
                self.order = int(line[1 : -len("-grams:")])
            fields = line.split()
            if not self.order or len(fields) <= self.order:
                continue
            gram = tuple(fields[1 : self.order + 1])
            self.p[gram] = float(fields[0])
            if len(fields) > self.order + 1:
                self.rest[gram] = float(fields[-1])

    def log10(self, history, word):
        """Compute a log probability by definition: the longest n-gram and back-offs."""
        gram = (*history, word)
        if gram in self.p:
            return self.p[gram]
        if not history:
            return self.p[("<unk>",)]
        return self.rest.get(history, 0.0) + self.log10(history[1:], word)

    def score(self, sentence):
        known = [w if (w,) in self.p else "<unk>" for w in sentence]
        padded = ["<s>", *known, "</s>"]
        return sum(
            self.log10(tuple(padded[max(0, i - self.order + 1) : i]), padded[i])
            for i in range(1, len(padded))
        )
