"""Two builds side by side: what is compared, and what is marked."""

from benchmarks.compare import compared


def report(seconds, speed=100.0):
    return {
        "training: an epoch": {"unit": "s", "median": seconds},
        "tagging: warm": {"unit": "tokens/s", "median": speed},
        "memory: model": {"unit": "MB", "median": 3.0},
    }


def marks(base, here, *limit):
    lines = compared(base, here, *limit)
    return {name: (ratio, mark) for name, *_, ratio, mark in lines}


def test_compare_times_and_speeds_and_nothing_else():
    assert marks([report(1.0)], [report(1.0)]) == {
        "training: an epoch": ("1.000", ""),
        "tagging: warm": ("1.000", ""),
    }
    here = {**report(1.0), "sums: new": {"unit": "s", "median": 1.0}}
    assert "sums: new" not in marks([report(1.0)], [here])


def test_compare_marks_what_lies_apart_in_every_round():
    base = [report(1.0, 100.0), report(1.1, 90.0)]
    assert marks(base, [report(1.3, 70.0), report(1.2, 80.0)]) == {
        "training: an epoch": ("1.190", "SLOWER"),
        "tagging: warm": ("0.789", "SLOWER"),
    }
    limited = marks(base, [report(1.3, 70.0), report(1.2, 80.0)], 0.2)
    assert [mark for _, mark in limited.values()] == ["", "SLOWER"]
    assert marks(base, [report(0.5, 200.0)] * 2)["tagging: warm"][1] == "faster"
    assert marks(base[:1], [report(1.3)])["training: an epoch"][1] == ""
    assert marks(base, [report(1.05, 95.0), report(1.3, 70.0)]) == {
        "training: an epoch": ("1.119", ""),
        "tagging: warm": ("0.868", ""),
    }
