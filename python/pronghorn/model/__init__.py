"""What an experiment, a path, an arm, a trial and a summary are: data and its validation, nothing that
runs."""
