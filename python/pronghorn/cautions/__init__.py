"""What could explain a run's result other than its protocols: one file for each kind of warning."""
