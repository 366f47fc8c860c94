"""A run's end: its summary, its warnings and its report."""
