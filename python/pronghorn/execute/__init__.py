"""From a plan to its journal: slots, engines, trials, and whether each measurement may be trusted."""
