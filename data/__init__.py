"""The suite's own data."""
