"""What runs inside the client's host to load pages with a real browser: Playwright, and the browser's own
events made into records. It is started by `pronghorn.clients.chromium` and imports nothing of the rest but
`cpu_time`, for each trial pays for its start.

    agent.py, job.py               the program, and its messages
    browser.py, state.py           a browser from start to end; what it keeps between loads
    tab.py                         one page: what its navigations do
    navigations.py, targets.py     when a load is over; workers and other targets
    asked.py                       which requests are the page's own, and which are left out
    events.py, netlog.py           what the browser says; record.py makes a load of it
    vitals.py, speed_index.py      how the load felt
    artifacts.py                   what a load leaves beside its record: har.py, filmstrip.py
"""
