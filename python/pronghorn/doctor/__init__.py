"""What this host can do for an experiment, and how to mend what it can't."""

from pronghorn.doctor.engine import hello, lacks_engine, lacks_namespaces
from pronghorn.doctor.examine import examine
from pronghorn.doctor.finding import Finding
from pronghorn.doctor.show import main

__all__ = ["Finding", "examine", "hello", "lacks_engine", "lacks_namespaces", "main"]
