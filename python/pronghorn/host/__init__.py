"""What is asked of this machine: CPUs, signals, temporary folders, sockets, what it can do for a run."""
