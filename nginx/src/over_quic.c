/*
 * What nginx's QUIC knows of a connection: whether a response's last byte was acknowledged, and what was lost.
 *
 * nginx (1.26 to 1.29) keeps no count of lost packets. Two things show losses, and the greater of both is taken, so that
 * each makes up for where the other is blind:
 *
 * - Bytes. Whatever was sent beyond new data of streams and headers was sent again. What headers take is known to a
 *   few bytes a packet, and taken at the upper end.
 * - Episodes. Congestion control notes when it last halved its window, once for all losses of a round trip: exact where
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

/* Packets that were sent to probe a path's MTU, at each step of the search. */
#define PROBES        1

/* Streams that may begin after a watched one has ended, before its memory is used again. */
#define SPARE_STREAMS  16

static void add_spare_streams(ngx_connection_t *c, ngx_quic_connection_t *qc);
static uint64_t lost_packets(autoquic_quic_loss_t *l, ngx_quic_connection_t *qc);


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


ngx_int_t
autoquic_quic_watch(autoquic_connection_t *a, ngx_connection_t *stream)
{
    ngx_quic_connection_t  *qc;

    qc = ngx_quic_get_connection(a->connection);
    if (qc == NULL || qc->closing) {
        return NGX_ERROR;
    }

    if (!a->spared) {
        a->spared = 1;
        add_spare_streams(a->connection, qc);
    }

    a->watched.stream = stream->quic;
    a->watched.stream_id = stream->quic->id;
    a->watched.progress = 0;

    return NGX_OK;
}


/*
 * A stream that was acknowledged to its end leaves nginx's tree, but its memory stays in the connection's pool, as it
 * was, until another stream needs it: the next one, which often comes in the very packet of the acknowledgement. nginx
 * takes the one that has been free longest, so spare ones before it keep it readable for a while.
 */
static void
add_spare_streams(ngx_connection_t *c, ngx_quic_connection_t *qc)
{
    ngx_uint_t          i;
    ngx_quic_stream_t  *spare;

    spare = ngx_pcalloc(c->pool, SPARE_STREAMS * sizeof(ngx_quic_stream_t));
    if (spare == NULL) {
        return;
    }

    for (i = 0; i < SPARE_STREAMS; i++) {
        /* No stream has this ID (RFC 9000, 2.1), so none of these is taken for a watched one. */
        spare[i].id = (uint64_t) -1;
        ngx_queue_insert_tail(&qc->streams.free, &spare[i].queue);
    }
}


autoquic_seen_e
autoquic_quic_look(autoquic_connection_t *a, autoquic_discard_e *why)
{
    uint64_t                largest;
    ngx_quic_stream_t      *qs;
    ngx_quic_connection_t  *qc;

    qs = a->watched.stream;

    if (qs->id != a->watched.stream_id) {
        *why = AUTOQUIC_DISCARD_OVERTAKEN;
        return AUTOQUIC_GONE;
    }

    if (qs->send_state == NGX_QUIC_STREAM_SEND_DATA_RECVD) {
        return AUTOQUIC_ACKNOWLEDGED;
    }

    qc = ngx_quic_get_connection(a->connection);
    if (qc == NULL || qc->closing) {
        *why = AUTOQUIC_DISCARD_CLOSED;
        return AUTOQUIC_GONE;
    }

    if (qs->send_state == NGX_QUIC_STREAM_SEND_RESET_SENT || qs->send_state == NGX_QUIC_STREAM_SEND_RESET_RECVD) {
        *why = AUTOQUIC_DISCARD_RESET;
        return AUTOQUIC_GONE;
    }

    largest = qc->send_ctx[APPLICATION].largest_ack;
    a->watched.progress = largest == NGX_QUIC_UNSET_PN ? 0 : largest;

    return AUTOQUIC_WAITING;
}


static uint64_t
lost_packets(autoquic_quic_loss_t *l, ngx_quic_connection_t *qc)
{
    int64_t           surplus, header, payload, more, headers;
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
        if (path != l->path) {
            l->forgiven_bytes += surplus - l->surplus_bytes;

        } else if (path->mtud != l->mtud) {
            l->forgiven_bytes += PROBES * (int64_t) path->mtu;
        }

        /* nginx also moves a start that is long ago, lest it wrap. */
        if (qc->congestion.recovery_start != l->recovery_start
            && (ngx_msec_int_t) (qc->congestion.recovery_start - l->looked) >= 0)
        {
            l->episodes++;
        }
    }

    l->surplus_bytes = surplus;
    l->recovery_start = qc->congestion.recovery_start;
    l->looked = ngx_current_msec;
    l->path = path;
    l->mtud = path->mtud;

    more = (surplus - l->forgiven_bytes) / payload;
    if (more > 0) {
        l->lost = ngx_max(l->lost, (uint64_t) more);
    }
    l->lost = ngx_max(l->lost, l->episodes);

    return l->lost;
}
