"""The measurements: each function runs in a process of its own (see process.py)."""
