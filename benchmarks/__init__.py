"""Speed and memory, as ratios of two things measured in one run."""
