"""fuzz.py TARGET [OPTION…] CORPUS…: looks for bytes on which a target fails. Options are libFuzzer's."""

import sys

import atheris

with atheris.instrument_imports(include=["pronghorn"]):
    import targets

if __name__ == "__main__":
    name = sys.argv.pop(1)
    atheris.Setup(sys.argv, targets.TARGETS[name])
    atheris.Fuzz()
