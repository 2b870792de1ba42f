"""Work on many machines, on a cluster of Ray, which is an extra.

Ray schedules, moves and repeats the work; here is only what it works on.
"""
