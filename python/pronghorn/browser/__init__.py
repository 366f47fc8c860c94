"""What runs inside the client's host to load pages with a real browser: Playwright, and the browser's own
events made into records. It is started by `pronghorn.clients.chromium` and imports nothing of the rest but
`cpu_time`, for each trial pays for its start."""
