"""The control plane's layers, in order."""

LAYERS = (
    ("__init__", "environment", "errors", "foreign", "repository"),
    ("crash", "pages", "reading", "standard", "terminal"),
    ("model",),
    (
        "analysis",
        "certificates",
        "check",
        "engine",
        "export",
        "mirror",
        "plan",
        "redaction",
        "servers",
        "sites",
        "tc",
        "why",
    ),
    ("archiving", "calibration", "checks", "command", "host", "load", "runs"),
    ("browser", "guest", "importing", "knobs", "mapping", "origins"),
    ("clients", "fairness", "policy"),
    ("capabilities", "costs", "doctor", "manifest", "recording", "report", "traps"),
    ("before_after", "evidence", "replicate"),
    ("trust",),
    ("cautions", "execute"),
    ("conclude",),
    ("conduct",),
    ("cli", "face"),
    ("__main__",),
)
"""Packages, and modules beside them, the lowest first: each imports those of lower layers alone."""
