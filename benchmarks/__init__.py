"""Speed and memory, as ratios of two things measured in one run."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy and torch are there
os.environ.setdefault("BERTATTN_PROGRESS", "0")
