/*
 * What nginx's QUIC knows of a connection: whether a response's last byte was acknowledged, and what was lost.
 *
 * nginx (1.26 to 1.30) keeps no count of lost packets. Two things show losses, and the greater of both is taken, so that
 * each makes up for where the other is blind:
 *
 * - Bytes. Whatever was sent beyond new data of streams and headers was sent again. What headers take is known to a
 *   few bytes a packet, and taken at the upper end.
 * - Episodes. Congestion control notes when it last cut its window, once for all losses of a round trip: exact where
 *   losses are rare, seen only when looked at, too few where they are frequent.
 */
#include "autoquic.h"

#include <ngx_event_quic_connection.h>

#define APPLICATION  2      /* send_ctx of packets that carry streams */

/* Of a packet: flags, a number of 2 bytes, the tag; then a STREAM frame's type, ID, offset and length (RFC 9000, 17.3.1,
 * 19.8). The connection ID comes on top. */
#define HEADER_BYTES  (1 + 2 + 16 + 9)

/* Of a stream: what its frames beyond one a packet take, and the MAX_STREAMS that follows its end. */
#define STREAM_BYTES  32

/* Streams that may begin after a watched one has ended, before its memory is used again. */
#define SPARE_STREAMS  16

static void lend_spare_streams(autoquic_connection_t *a, ngx_quic_connection_t *qc);
static ngx_uint_t is_spare(const autoquic_connection_t *a, const ngx_quic_stream_t *qs);
static ngx_uint_t waits_for_the_client(const ngx_quic_connection_t *qc, const ngx_quic_stream_t *qs);
static uint64_t lost_packets(autoquic_quic_loss_t *l, ngx_quic_connection_t *qc);
static ngx_uint_t probes_since(const autoquic_quic_loss_t *l, const ngx_quic_path_t *path);
static ngx_uint_t probes_of(const ngx_quic_path_t *path);


ngx_int_t
autoquic_quic_counts(autoquic_connection_t *a, autoquic_counts_t *counts)
{
    ngx_quic_connection_t  *qc;

    qc = ngx_quic_get_connection(a->connection);
    if (qc == NULL || qc->closing || qc->path == NULL) {
        return NGX_ERROR;
    }

    counts->sent = qc->send_ctx[APPLICATION].pnum;
    counts->lost = lost_packets(&a->quic_loss, qc);
    counts->rate_bytes_per_s = 0;

    if (qc->min_rtt == NGX_TIMER_INFINITE) {
        counts->min_rtt_us = 0;
    } else {
        /* nginx's clock has milliseconds; 0 of them is half of one. */
        counts->min_rtt_us = qc->min_rtt ? (uint32_t) ngx_min(qc->min_rtt, 60000) * 1000 : 500;
    }

    return NGX_OK;
}


/* A client can send from any address; one is its own when it has answered what was sent there (RFC 9000, 8.2). */
ngx_int_t
autoquic_quic_path(autoquic_connection_t *a, uint64_t *number, const struct sockaddr **address)
{
    ngx_quic_connection_t  *qc;

    qc = ngx_quic_get_connection(a->connection);
    if (qc == NULL || qc->path == NULL) {
        return NGX_DECLINED;
    }

    *number = qc->path->seqnum;
    *address = qc->path->sockaddr;

    return qc->path->validated ? NGX_OK : NGX_DECLINED;
}


/* NGX_DECLINED: the client is not where it was when its key was set. */
ngx_int_t
autoquic_quic_watch(autoquic_connection_t *a, ngx_connection_t *stream)
{
    uint64_t                path;
    ngx_quic_connection_t  *qc;
    const struct sockaddr  *address;

    qc = ngx_quic_get_connection(a->connection);
    if (qc == NULL || qc->closing) {
        return NGX_ERROR;
    }

    if (autoquic_quic_path(a, &path, &address) != NGX_OK || path != a->decided_path) {
        return NGX_DECLINED;
    }

    lend_spare_streams(a, qc);

    a->watched.path = path;
    a->watched.stream = stream->quic;
    a->watched.stream_id = stream->quic->id;
    a->watched.target = stream->quic->sent;
    a->watched.delivered = qc->streams.sent;
    a->watched.progress = 0;

    return NGX_OK;
}


/* Takes back what was lent, but for what nginx has in use: of more memory than its streams need, all would pass through
 * the processor's caches in turn, which costs 0.3 % of a small request's CPU time. */
void
autoquic_quic_unwatch(autoquic_connection_t *a)
{
    ngx_queue_t            *q, *next;
    ngx_quic_stream_t      *qs;
    ngx_quic_connection_t  *qc;

    qc = ngx_quic_get_connection(a->connection);
    if (qc == NULL || a->spares == NULL) {
        return;
    }

    for (q = ngx_queue_head(&qc->streams.free); q != ngx_queue_sentinel(&qc->streams.free); q = next) {
        next = ngx_queue_next(q);
        qs = ngx_queue_data(q, ngx_quic_stream_t, queue);

        if (is_spare(a, qs)) {
            ngx_queue_remove(q);
            ngx_queue_insert_tail(&a->kept_spares, q);
        }
    }
}


/*
 * A stream that was acknowledged to its end leaves nginx's tree, but its memory stays in the connection's pool, as it
 * was, until another stream needs it: the next one, which often comes in the very packet of the acknowledgement. nginx
 * takes the one that has been free longest, so spare ones before it keep it readable for a while.
 */
static void
lend_spare_streams(autoquic_connection_t *a, ngx_quic_connection_t *qc)
{
    ngx_uint_t          i;
    ngx_queue_t        *q;
    ngx_quic_stream_t  *spare;

    if (a->spares == NULL) {
        a->spares = ngx_pcalloc(a->connection->pool, SPARE_STREAMS * sizeof(ngx_quic_stream_t));
        if (a->spares == NULL) {
            return;
        }

        ngx_queue_init(&a->kept_spares);

        for (i = 0; i < SPARE_STREAMS; i++) {
            ngx_queue_insert_tail(&a->kept_spares, &a->spares[i].queue);
        }
    }

    while (!ngx_queue_empty(&a->kept_spares)) {
        q = ngx_queue_head(&a->kept_spares);
        ngx_queue_remove(q);

        /* No stream has this ID (RFC 9000, 2.1), so none of these is taken for a watched one. */
        spare = ngx_queue_data(q, ngx_quic_stream_t, queue);
        spare->id = (uint64_t) -1;

        ngx_queue_insert_tail(&qc->streams.free, q);
    }
}


static ngx_uint_t
is_spare(const autoquic_connection_t *a, const ngx_quic_stream_t *qs)
{
    return qs >= a->spares && qs < a->spares + SPARE_STREAMS;
}


autoquic_seen_e
autoquic_quic_look(autoquic_connection_t *a, autoquic_discard_e *why)
{
    uint64_t                path, largest;
    ngx_quic_stream_t      *qs;
    autoquic_watched_t     *w = &a->watched;
    ngx_quic_connection_t  *qc;
    const struct sockaddr  *address;

    qs = w->stream;

    if (qs->id != w->stream_id) {
        *why = AUTOQUIC_DISCARD_OVERTAKEN;
        return AUTOQUIC_GONE;
    }

    /* None: the connection has ended, and its streams' memory is what is left of it. */
    qc = ngx_quic_get_connection(a->connection);

    if (qc != NULL && (autoquic_quic_path(a, &path, &address) != NGX_OK || path != w->path)) {
        *why = AUTOQUIC_DISCARD_MOVED;
        return AUTOQUIC_GONE;
    }

    if (qs->acked >= w->target) {
        return AUTOQUIC_ACKNOWLEDGED;
    }

    if (qc == NULL || qc->closing) {
        *why = AUTOQUIC_DISCARD_CLOSED;
        return AUTOQUIC_GONE;
    }

    if (qs->send_state == NGX_QUIC_STREAM_SEND_RESET_SENT || qs->send_state == NGX_QUIC_STREAM_SEND_RESET_RECVD) {
        if (qs->acked == 0) {
            *why = AUTOQUIC_DISCARD_RESET;
            return AUTOQUIC_GONE;
        }

        /* Over TCP, of which nothing is taken back, the whole would have been told. */
        w->bytes = ngx_min(w->bytes, qs->acked);
        return AUTOQUIC_STOPPED;
    }

    largest = qc->send_ctx[APPLICATION].largest_ack;
    w->progress = largest == NGX_QUIC_UNSET_PN ? 0 : largest;
    w->unread = waits_for_the_client(qc, qs);

    return AUTOQUIC_WAITING;
}


/* All of the stream that flow control let out has arrived (RFC 9000, 4.1). */
static ngx_uint_t
waits_for_the_client(const ngx_quic_connection_t *qc, const ngx_quic_stream_t *qs)
{
    return qs->acked == qs->send_offset
           && (qs->send_offset >= qs->send_max_data || qc->streams.send_offset >= qc->streams.send_max_data);
}


static uint64_t
lost_packets(autoquic_quic_loss_t *l, ngx_quic_connection_t *qc)
{
    int64_t           surplus, header, payload, more, headers;
    ngx_uint_t        probes;
    ngx_quic_path_t  *path;

    path = qc->path;
    header = HEADER_BYTES + (path->cid ? (int64_t) path->cid->len : 0);
    payload = ngx_max((int64_t) path->mtu - header, 1);
    headers = (int64_t) qc->send_ctx[APPLICATION].pnum * header
              + (int64_t) qc->streams.client_streams_bidi * STREAM_BYTES;
    surplus = path->sent - (int64_t) qc->streams.send_offset - headers;

    if (!l->begun) {
        l->begun = 1;
        l->forgiven_bytes = surplus + payload;
        l->recovery_start = qc->congestion.recovery_start;

    } else {
        probes = probes_since(l, path);

        if (path->seqnum != l->path) {
            l->forgiven_bytes += surplus - l->surplus_bytes;

        } else {
            l->forgiven_bytes += (int64_t) (probes * l->mtud);
        }

        /* nginx before 1.27.5 takes a probe that got lost for congestion. All begin anew on another path, and move a start that
         * is long ago, lest it wrap. */
        if (probes == 0 && path->seqnum == l->path
            && qc->congestion.recovery_start != l->recovery_start
            && (ngx_msec_int_t) (qc->congestion.recovery_start - l->looked) >= 0)
        {
            l->episodes++;
        }
    }

    l->surplus_bytes = surplus;
    l->recovery_start = qc->congestion.recovery_start;
    l->looked = ngx_current_msec;
    l->path = path->seqnum;
    l->mtud = path->mtud;
    l->probes = probes_of(path);

    more = (surplus - l->forgiven_bytes) / payload;
    if (more > 0) {
        l->lost = ngx_max(l->lost, (uint64_t) more);
    }
    l->lost = ngx_max(l->lost, l->episodes);

    return l->lost;
}


/* Packets that were sent since the last look to find the path's MTU (RFC 8899). Of sizes that were begun and settled between
 * two looks nothing is known. */
static ngx_uint_t
probes_since(const autoquic_quic_loss_t *l, const ngx_quic_path_t *path)
{
    ngx_uint_t  now, settled;

    if (path->seqnum != l->path) {
        return 0;
    }

    now = probes_of(path);

    if (path->mtud == l->mtud) {
        return now - ngx_min(now, l->probes);
    }

    settled = l->mtud == 0 ? 0 : path->mtu >= l->mtud ? 1 : NGX_QUIC_PATH_RETRIES;

    return now + settled - ngx_min(settled, l->probes);
}


/* Of the size that is tried now: one probe after the other until one is acknowledged, or all got lost. */
static ngx_uint_t
probes_of(const ngx_quic_path_t *path)
{
    switch (path->state) {

    case NGX_QUIC_PATH_MTUD:
        return path->tries + 1;

    case NGX_QUIC_PATH_IDLE:
        return path->mtud == 0 ? 0 : path->mtu >= path->mtud ? 1 : NGX_QUIC_PATH_RETRIES;

    default:
        return 0;
    }
}
