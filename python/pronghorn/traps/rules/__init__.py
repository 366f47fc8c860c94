"""The rules, one file for what is alike: pure functions of facts.

| file | traps |
|---|---|
| `offers.py` | not-offered, offer-dead, redirect, dead-address |
| `handshakes.py` | mtu, amplification, retry, no-tickets |
| `windows.py` | stream-buffer, flow-control, fixed-window |
| `losses.py` | burst-loss, udp-policed, congestion-control, network, udp-detour, tcp-waits |
| `answers.py` | priorities, slow-server |
"""

from pronghorn.traps.finding import Rule
from pronghorn.traps.rules import answers, handshakes, losses, offers, windows

RULES: tuple[Rule, ...] = (
    offers.not_offered,
    offers.offer_dead,
    offers.redirect,
    offers.dead_address,
    handshakes.mtu,
    handshakes.amplification,
    handshakes.retry,
    handshakes.no_tickets,
    windows.stream_buffer,
    windows.flow_control,
    windows.fixed_window,
    losses.udp_loss,
    losses.congestion_control,
    losses.network,
    losses.udp_detour,
    losses.tcp_waits,
    answers.priorities,
    answers.slow_server,
)
"""All of them, in no order: what they find is ordered by what it may give."""
