"""What a person sees of a run: tables on the terminal and one self-contained HTML file.

terminal.py, table.py          the summary on a terminal
html.py, templates/            `report.html`
markdown.py                    a report in brief, for a pull request
load_charts.py                 load times: violins.py, ecdf.py; the figures behind: chart_data.py
canvas.py, svg.py              the strokes of which charts are made
answer/                        the first screen: which arm, by how much, how sure
overview.py, ratios.py         all verdicts in one chart, as a picture
resource_table.py              single resources
waterfall/                     a load's requests; `chosen.py` says which trial
ladder/, timeline/             handshakes; streams of two loads; arrivals_view.py shows both
flights/                       connections over time
pictures/, notebook/           charts as files; a run as a notebook
"""
