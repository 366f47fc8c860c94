"""Which knobs hold for an arm in a cell, with what `fair = true` asks for and this machine gives."""
