"""Whether a trial may be trusted, is possible, and is what was asked for; and where its time went."""
