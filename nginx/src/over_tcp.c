/*
 * What Linux tells of a TCP connection (TCP_INFO): packets, losses, and whether a response's last byte was acknowledged.
 *
 * One call tells all at one moment. What has been queued is what was sent once (bytes_sent − bytes_retrans) and what
 * wasn't yet (notsent_bytes); it has arrived when bytes_acked reaches it. These fields came with Linux 4.19.
 *
 * Where other responses of the connection (HTTP/2) keep TLS from handing all on at once, a response ends somewhere in what
 * TLS holds back, 16 kB at most: its last byte is taken for the last of these, as long as it isn't known better. What is
 * handed to TLS afterwards doesn't count.
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
static uint64_t held_by_tls(ngx_connection_t *c);
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


/* Begins to watch for all that nginx has handed on until now. */
ngx_int_t
autoquic_tcp_watch(autoquic_connection_t *a)
{
    uint64_t            held;
    kernel_tcp_info_t   info;

    if (read_info(a->connection, &info) != NGX_OK) {
        return NGX_ERROR;
    }

    held = held_by_tls(a->connection);

    a->watched.target = queued(&info) + held;
    a->watched.delivered = a->watched.target;
    a->watched.roughly = held != 0;
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

    if (w->roughly && held_by_tls(a->connection) == 0) {
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


/* How much what TLS has in its buffer will be on the wire, at most: some of a record may have gone already. */
static uint64_t
held_by_tls(ngx_connection_t *c)
{
    size_t      content;
    ngx_buf_t  *held;

    if (!(c->buffered & NGX_SSL_BUFFERED) || c->ssl == NULL || c->ssl->buf == NULL) {
        return 0;
    }

    held = c->ssl->buf;
    content = held->last - held->pos;

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
