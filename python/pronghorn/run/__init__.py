"""A run's directory: its journal, its manifest and experiment, and what is read from them. Nothing here
measures."""
