"""The clock of the bench: seconds of CPU time of this process.

Each measurement is one thread on one core, so on an idle machine this is the wall time;
on a busy one it leaves out what others took. CRFsuite's own log counts the same way.
"""

import os
from time import perf_counter, process_time

# The CPU clock of Windows ticks 64 times a second.
seconds = perf_counter if os.name == "nt" else process_time
