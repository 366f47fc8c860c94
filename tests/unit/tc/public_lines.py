"""Lines of tc as people publish them, in manuals, answers, repositories: each with a path's words, or with
what its refusal says is missing."""

TRANSLATED = {
    # The netem page of the Linux Foundation's wiki, and tc-netem(8)
    "tc qdisc add dev eth0 root netem delay 100ms": "up.delay=100ms",
    "# tc qdisc change dev eth0 root netem delay 100ms 10ms\ntc qdisc change dev eth0 root netem delay "
    "100ms 10ms": "up.delay=100ms up.jitter=10ms",
    "tc qdisc change dev eth0 root netem delay 100ms 10ms 25%": (
        "up.delay=100ms up.jitter.spread=10ms up.jitter.correlation=25%"
    ),
    "tc qdisc change dev eth0 root netem delay 100ms 20ms distribution normal": (
        "up.delay=100ms up.jitter.spread=20ms up.jitter.distribution=normal"
    ),
    "tc qdisc change dev eth0 root netem loss 0.1%": "up.loss=0.1%",
    "tc qdisc change dev eth0 root netem loss 0.3% 25%": "up.loss.probability=0.3% up.loss.correlation=25%",
    "tc qdisc change dev eth0 root netem duplicate 1%": "up.duplicate=1%",
    "tc qdisc change dev eth0 root netem corrupt 0.1%": "up.corrupt=0.1%",
    "tc qdisc change dev eth0 root netem gap 5 delay 10ms reorder 25% 50%": (
        "up.delay=10ms up.reorder.probability=25% up.reorder.correlation=50% up.reorder.gap=5"
    ),
    "tc qdisc change dev eth0 root netem delay 10ms reorder 25% 50%": (
        "up.delay=10ms up.reorder.probability=25% up.reorder.correlation=50%"
    ),
    "tc qdisc add dev eth0 root handle 1:0 netem delay 100ms\n"
    "tc qdisc add dev eth0 parent 1:1 handle 10: tbf rate 256kbit buffer 1600 limit 3000": (
        "up.delay=100ms up.rate=256kbit up.queue=3kB"
    ),
    "tc qdisc add dev eth0 root netem rate 5kbit 20 100 5": (
        "up.rate=5kbit up.overhead.packet=20B up.overhead.cell=100B up.overhead.cell_overhead=5B"
    ),
    "modprobe ifb\nip link set dev ifb0 up\ntc qdisc add dev eth0 ingress\n"
    "tc filter add dev eth0 parent ffff: protocol ip u32 match u32 0 0 flowid 1:1 action mirred egress "
    "redirect dev ifb0\ntc qdisc add dev ifb0 root netem delay 750ms": "down.delay=750ms",
    # Answers, scripts and papers
    "sudo tc qdisc add dev eth0 root netem loss gemodel 1% 10% 70% 0.1%": (
        "up.loss.model=gilbert-elliott up.loss.enter=1% up.loss.leave=10% up.loss.bad=70% up.loss.good=0.1%"
    ),
    "tc qdisc add dev eth0 root netem loss gemodel 5%": (
        "up.loss.model=gilbert-elliott up.loss.enter=5% up.loss.leave=95%"
    ),
    "tc qdisc add dev eth0 root netem loss state 0.1% 1% 30% 20% 0.1%": (
        "up.loss.model=four-state up.loss.p13=0.1% up.loss.p31=1% up.loss.p32=30% up.loss.p23=20% "
        "up.loss.p14=0.1%"
    ),
    "tc qdisc add dev eth0 root tbf rate 1mbit burst 32kbit latency 400ms": "up.rate=1Mbit up.queue=54096B",
    "/sbin/tc qdisc add dev lo root handle 1:0 htb default 10\n"
    "/sbin/tc class add dev lo parent 1:0 classid 1:10 htb rate 100Mbit quantum 1500\n"
    "/sbin/tc qdisc add dev lo parent 1:10 handle 10:0 netem delay 50ms 3ms 25%": (
        "down.delay=50ms down.jitter.spread=3ms down.jitter.correlation=25% down.rate=100Mbit "
        "down.jitter.order=break up.delay=50ms up.jitter.spread=3ms up.jitter.correlation=25% "
        "up.rate=100Mbit up.jitter.order=break"
    ),
    "tc qdisc add dev ens4 root handle 1: htb default 10 && tc class add dev ens4 parent 1: classid 1:1 htb "
    "rate 512kbps burst 1000b && tc class add dev ens4 parent 1:1 classid 1:10 htb rate 512kbps burst 1000b "
    "&& tc qdisc add dev ens4 parent 1:10 handle 10: netem delay 50ms": "up.delay=50ms up.rate=4.096Mbit",
    "tc qdisc del dev eth0 root 2>/dev/null; tc qdisc add dev eth0 root netem delay 50ms 50ms distribution "
    "normal loss 3%": "up.delay=50ms up.jitter.spread=50ms up.jitter.distribution=normal up.loss=3%",
    "tc qdisc add dev eth0 root handle 1: netem delay 150ms 30ms distribution normal loss 10% 25%\n"
    "tc qdisc add dev eth0 parent 1:1 handle 10: tbf rate 768kbit buffer 1600 limit 3000": (
        "up.delay=150ms up.jitter.spread=30ms up.loss.probability=10% up.loss.correlation=25% "
        "up.jitter.distribution=normal up.rate=768kbit up.queue=3kB up.jitter.order=break"
    ),
    "tc qdisc add dev ifb0 root netem delay 750ms rate 1mbit limit 100": (
        "down.delay=750ms down.rate=1Mbit down.queue=100packets"
    ),
    "tc qdisc add dev eth0 handle 1: root tbf rate 20mbit burst 32kb latency 50ms\n"
    "tc qdisc add dev eth0 parent 1:1 fq_codel": (
        "up.rate=20Mbit up.queue.discipline=fq-codel up.queue.limit=10240packets up.queue.ecn=true"
    ),
    # What comcast does to packets for `--latency=250 --target-bw=1000 --packet-loss=10%`
    "sudo tc qdisc add dev eth0 parent 10:10 handle 100: netem delay 250ms rate 1000kbit loss 10.00%": (
        "up.delay=250ms up.rate=1Mbit up.loss=10%"
    ),
    "netem delay 100ms 20ms loss 0.3% 25%": (
        "up.delay=100ms up.jitter=20ms up.loss.probability=0.3% up.loss.correlation=25%"
    ),
}

REFUSED = {
    "tc qdisc add dev eth0 root netem slot 800us 10ms bytes 64k packets 42": "sends packets in slots",
    "tc qdisc add dev eth0 root netem loss 5% ecn": "marks packets instead of losing them",
    "tc qdisc add dev eth0 root cake bandwidth 20mbit rtt 50ms": "has no stage for cake",
    "tc qdisc add dev eth0 root tbf rate 0.5mbit burst 5kb latency 70ms peakrate 1mbit minburst 1540": (
        "has two rates"
    ),
    "tc qdisc add dev eth0 root handle 1: prio": "has no stage for prio",
    "tc filter add dev eth0 parent 1: prio 1 u32 match ip dport 80 0xffff flowid 1:1": "selects packets",
    "tc qdisc add dev veth1 handle 1: root htb default 11; tc class add dev veth1 parent 1: classid 1:11 htb "
    "rate 1mbit; tc class add dev veth1 parent 1: classid 1:12 htb rate 2mbit": "divides packets into",
    "tc qdisc add dev eth0 root fq_codel": "a path's queue belongs to a rate",
    "tc qdisc add dev eth0 root netem rate 50%": "a share of a network card's speed",
}
