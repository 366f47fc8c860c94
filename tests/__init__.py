"""The tests. Imported before any of them, and so before numpy is."""

import os

# Matrices are small here: threads of linear algebra would mostly spin. Each process has a CPU already.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
