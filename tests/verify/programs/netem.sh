# Runs a server and a command on two hosts, between which lies a veth pair. What the client sends goes through the
# queueing discipline that $QDISC adds to its end, and $WITHIN, where there is one, within that. Arguments: the server's words as one, the command's words as one.
set -e
mkdir -p /run/netns
mount -t tmpfs none /run/netns
ip netns add client
ip netns add server
ip link add near netns client address 02:00:00:00:00:01 type veth peer name far address 02:00:00:00:00:02 netns server
ip -n client addr add 198.18.0.1/30 dev near
ip -n server addr add 198.18.0.2/30 dev far
# Packets go one by one, as the path sees them.
for device in "client near" "server far"; do
    set -- "$@" $device
    ip -n "$3" link set "$4" up txqueuelen 16384 gso_max_segs 1
    ip -n "$3" link set lo up
    set -- "$1" "$2"
done
# Nobody has to be asked where the other is.
ip -n client neigh add 198.18.0.2 lladdr 02:00:00:00:00:02 dev near
ip -n server neigh add 198.18.0.1 lladdr 02:00:00:00:00:01 dev far
tc -n client qdisc add dev near root handle 1: $QDISC
[ -z "$WITHIN" ] || tc -n client qdisc add dev near parent 1:1 $WITHIN
export PRONGHORN_SERVER=198.18.0.2
ip netns exec server sh -c "exec $1" &
server=$!
sleep 1
ip netns exec client sh -c "exec $2"
sleep 2
kill "$server" 2>/dev/null || :
