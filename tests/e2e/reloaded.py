"""A load at servers to which something is done meanwhile."""

ARMS = ("h1", "h2", "h3")
CONNECTIONS = 4
RELOADS = 2

EXPERIMENT = f"""
sites = ["tiny"]
paths = ["near"]
origins = ["builtin", "nginx"]
clients = ["load"]
arms = ["h1", "h2", "h3"]
repeat = 1
seed = 1
limit = "8s"
[load]
rate = 100
duration = "3s"
connections = {CONNECTIONS}
streams = 4
[[events]]
at = "600ms"
every = "1s"
do = "reload"
[path.near]
down = {{ rate = "100Mbit", delay = "10ms", queue = "256kB" }}
up = {{ rate = "100Mbit", delay = "10ms", queue = "256kB" }}
"""
