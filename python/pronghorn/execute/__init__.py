"""From a plan to its journal: slots, engines and trials, with fresh or kept state."""
