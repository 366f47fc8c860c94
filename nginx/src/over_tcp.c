/*
 * What Linux tells of a TCP connection (TCP_INFO): packets, losses, and whether a response's last byte was acknowledged.
 *
 * One call tells all at one moment. What has been queued is what was sent once (bytes_sent − bytes_retrans) and what
 * wasn't yet (notsent_bytes); it has arrived when bytes_acked reaches it. These fields came with Linux 4.19.
 *
 * Where other responses of the connection (HTTP/2) follow one before nginx comes to it again, or keep TLS from handing all on
 * at once, over_http2.c knows where it ends before TLS; what TLS adds to what comes after that is left out of account. Where
 * it doesn't know, the last byte that TLS was handed is taken for its last.
 */
#include "autoquic.h"

#define UNKNOWN_RTT  0xffffffff

/* What a record of TLS has beside its content, at most (RFC 5246, 6.2.3.3; RFC 8446, 5.2), and how much content it has. */
#define RECORD_BYTES    32
#define RECORD_CONTENT  16384

/* struct tcp_info of linux/tcp.h, as far as it is read; glibc's, which nginx's headers bring, ends before. */
typedef struct {
    uint8_t   state, ca_state, retransmits, probes, backoff, options, window_scales;
    uint8_t   application_limited:1, fastopen_failed:2;
    uint32_t  rto, ato, snd_mss, rcv_mss;
    uint32_t  unacked, sacked, lost, retrans, fackets;
    uint32_t  last_data_sent, last_ack_sent, last_data_recv, last_ack_recv;
    uint32_t  pmtu, rcv_ssthresh, rtt, rttvar, snd_ssthresh, snd_cwnd, advmss, reordering;
    uint32_t  rcv_rtt, rcv_space, total_retrans;
    uint64_t  pacing_rate, max_pacing_rate, bytes_acked, bytes_received;
    uint32_t  segs_out, segs_in, notsent_bytes, min_rtt, data_segs_in, data_segs_out;
    uint64_t  delivery_rate, busy_time, rwnd_limited, sndbuf_limited;
    uint32_t  delivered, delivered_ce;
    uint64_t  bytes_sent, bytes_retrans;
    uint32_t  dsack_dups, reord_seen;
} kernel_tcp_info_t;

static uint64_t queued(const kernel_tcp_info_t *info);
static size_t content_held_by_tls(ngx_connection_t *c);
static uint64_t on_the_wire(size_t content);
static ngx_int_t read_info(ngx_connection_t *c, kernel_tcp_info_t *info);
static uint8_t control_of(const char *name);


ngx_int_t
autoquic_tcp_counts(autoquic_connection_t *a, autoquic_counts_t *counts)
{
    kernel_tcp_info_t  info;

    if (read_info(a->connection, &info) != NGX_OK) {
        return NGX_ERROR;
    }

    counts->sent = info.data_segs_out;
    /* A duplicate that the receiver reports wasn't lost. */
    counts->lost = info.total_retrans - ngx_min(info.dsack_dups, info.total_retrans);
    counts->min_rtt_us = info.min_rtt == UNKNOWN_RTT ? 0 : info.min_rtt;
    counts->rate_bytes_per_s = info.application_limited ? 0 : info.delivery_rate;

    return NGX_OK;
}


ngx_int_t
autoquic_tcp_watch(autoquic_connection_t *a, off_t end)
{
    off_t               follows, handed_on;
    size_t              held;
    kernel_tcp_info_t   info;

    if (read_info(a->connection, &info) != NGX_OK) {
        return NGX_ERROR;
    }

    held = content_held_by_tls(a->connection);
    handed_on = autoquic_tcp_handed_on(a->connection);
    follows = end ? ngx_max(handed_on - end, 0) : 0;

    if (follows >= (off_t) held) {
        a->watched.target = queued(&info) - ngx_min((uint64_t) (follows - held), queued(&info));
        a->watched.roughly = 0;
    } else {
        a->watched.target = queued(&info) + on_the_wire(held - (size_t) follows);
        a->watched.roughly = 1;
    }

    a->watched.delivered = a->watched.target;
    a->watched.progress = info.bytes_acked;
    a->watched.rwnd_limited_us = info.rwnd_limited;

    return NGX_OK;
}


autoquic_seen_e
autoquic_tcp_look(autoquic_connection_t *a, autoquic_discard_e *why)
{
    kernel_tcp_info_t    info;
    autoquic_watched_t  *w = &a->watched;

    if (read_info(a->connection, &info) != NGX_OK) {
        *why = AUTOQUIC_DISCARD_UNREADABLE;
        return AUTOQUIC_GONE;
    }

    if (info.bytes_acked != w->progress) {
        w->progress = info.bytes_acked;
        w->rwnd_limited_us = info.rwnd_limited;
    }

    w->unread = info.rwnd_limited - w->rwnd_limited_us >= AUTOQUIC_STALLED_MS * 1000 / 2;

    if (w->roughly && content_held_by_tls(a->connection) == 0) {
        w->roughly = 0;
        w->target = ngx_min(w->target, queued(&info));
    }

    return info.bytes_acked >= w->target ? AUTOQUIC_ACKNOWLEDGED : AUTOQUIC_WAITING;
}


static uint64_t
queued(const kernel_tcp_info_t *info)
{
    return info->bytes_sent - info->bytes_retrans + info->notsent_bytes;
}


off_t
autoquic_tcp_handed_on(ngx_connection_t *c)
{
    return c->sent + (off_t) content_held_by_tls(c);
}


static size_t
content_held_by_tls(ngx_connection_t *c)
{
    if (!(c->buffered & NGX_SSL_BUFFERED) || c->ssl == NULL || c->ssl->buf == NULL) {
        return 0;
    }

    return c->ssl->buf->last - c->ssl->buf->pos;
}


/* How much what TLS has in its buffer will be on the wire, at most: some of a record may have gone already. */
static uint64_t
on_the_wire(size_t content)
{
    return content + (content / RECORD_CONTENT + 1) * RECORD_BYTES;
}


static ngx_int_t
read_info(ngx_connection_t *c, kernel_tcp_info_t *info)
{
    socklen_t  length = sizeof(kernel_tcp_info_t);

    if (c->fd == (ngx_socket_t) -1 || getsockopt(c->fd, IPPROTO_TCP, TCP_INFO, info, &length) == -1) {
        return NGX_ERROR;
    }

    return length >= (socklen_t) offsetof(kernel_tcp_info_t, reord_seen) ? NGX_OK : NGX_ERROR;
}


uint8_t
autoquic_tcp_control(ngx_connection_t *c)
{
    char       name[16];
    socklen_t  length = sizeof(name) - 1;

    ngx_memzero(name, sizeof(name));

    if (getsockopt(c->fd, IPPROTO_TCP, TCP_CONGESTION, name, &length) == -1) {
        return PRONGHORN_CC_UNKNOWN;
    }

    return control_of(name);
}


static uint8_t
control_of(const char *name)
{
    if (ngx_strcmp(name, "cubic") == 0) {
        return PRONGHORN_CC_CUBIC;
    }

    if (ngx_strcmp(name, "bbr") == 0) {
        return PRONGHORN_CC_BBR;
    }

    return ngx_strcmp(name, "reno") == 0 ? PRONGHORN_CC_RENO : PRONGHORN_CC_UNKNOWN;
}
