"""Which knobs hold for an arm in a cell, with what `fair = true` asks for and this machine gives.

effective.py           the knobs that hold, and what the bench is asked for
fair.py                what `fair = true` makes equal, and what remains unequal
stack_differences.py   what no setting makes equal
"""
