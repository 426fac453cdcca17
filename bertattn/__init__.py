"""What does BERT look at? The analysis of attention heads, for any model, offline."""

__version__ = "0.1.0"
