/*
 * Samples: how long responses took until their last byte was acknowledged, alike over TCP and QUIC.
 *
 * When a response has been written, its connection is looked at again after the smallest round trip, then at intervals
 * of a sixteenth of the time that has passed since the request began, by nginx's clock of a millisecond. So a time is
 * too long by 3 % on average and by 6 % or 2 ms at most, by either protocol, and a response costs a number of looks that
 * grows with the logarithm of its time. One response of a connection is watched at a time, and a worker begins a bounded
 * number a second, so that busy servers pay no more.
 */
#include "autoquic.h"

#define LOOK_SHARE       16       /* of the time that has passed */
#define LOOK_LEAST_MS    2
#define STALLED_MS       10000    /* without any acknowledgement */
#define ENDLESS_MS       120000
#define APART_MS         200      /* between two watched responses of a connection */
#define MOST_A_SECOND    100      /* of a worker */

static ngx_int_t worth_watching(ngx_http_request_t *r);
static ngx_int_t take_token(void);
static ngx_int_t watch(autoquic_connection_t *a, ngx_http_request_t *r);
static void end(autoquic_connection_t *a, ngx_uint_t stalled);
static void discard(autoquic_connection_t *a, autoquic_discard_e why);
static void look_again(autoquic_connection_t *a);
static autoquic_seen_e look(autoquic_connection_t *a, autoquic_discard_e *why);


ngx_int_t
autoquic_log_handler(ngx_http_request_t *r)
{
    autoquic_request_t     *request;
    autoquic_connection_t  *a;

    request = ngx_http_get_module_ctx(r, ngx_http_autoquic_module);

    if (request == NULL || r != r->main || !worth_watching(r)) {
        return NGX_OK;
    }

    a = request->connection;

    if (a->watching
        || (a->watched_before && (ngx_msec_int_t) (ngx_current_msec - a->last_watched) < APART_MS))
    {
        return NGX_OK;
    }

    if (take_token() != NGX_OK) {
        (void) ngx_atomic_fetch_add(&a->zone->shared->discarded[AUTOQUIC_DISCARD_CROWDED], 1);
        return NGX_OK;
    }

    if (watch(a, r) != NGX_OK) {
        (void) ngx_atomic_fetch_add(&a->zone->shared->discarded[AUTOQUIC_DISCARD_UNREADABLE], 1);
    }

    return NGX_OK;
}


/* Responses whose time is the server's and the network's alone: no upload, no throttle, no fault. (Over HTTP/3, a GET
 * whose end comes in a frame of its own looks to nginx as if it had a body.) */
static ngx_int_t
worth_watching(ngx_http_request_t *r)
{
    ngx_connection_t  *c = r->connection;

    return r->method == NGX_HTTP_GET
           && r->headers_in.content_length_n <= 0
           && r->headers_out.status >= NGX_HTTP_OK
           && r->headers_out.status < NGX_HTTP_BAD_REQUEST
           && r->limit_rate == 0
           && !c->error
           && !c->timedout
           && c->sent > 0;
}


static ngx_int_t
take_token(void)
{
    static ngx_msec_t  second;
    static ngx_uint_t  taken;

    if (ngx_current_msec - second >= 1000) {
        second = ngx_current_msec;
        taken = 0;
    }

    if (taken >= MOST_A_SECOND) {
        return NGX_BUSY;
    }

    taken++;

    return NGX_OK;
}


static ngx_int_t
watch(autoquic_connection_t *a, ngx_http_request_t *r)
{
    ngx_int_t            rc;
    ngx_time_t          *now;
    ngx_msec_int_t       passed;
    autoquic_counts_t    counts;
    autoquic_watched_t  *w = &a->watched;

    ngx_memzero(w, sizeof(autoquic_watched_t));
    ngx_memzero(&counts, sizeof(autoquic_counts_t));

    if (a->protocol == PRONGHORN_QUIC) {
        rc = autoquic_quic_watch(a, r->connection);
        (void) autoquic_quic_counts(a, &counts);
    } else {
        rc = autoquic_tcp_watch(a);
        (void) autoquic_tcp_counts(a, &counts);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    now = ngx_timeofday();
    passed = (ngx_msec_int_t) ((now->sec - r->start_sec) * 1000 + (now->msec - r->start_msec));

    w->bytes = r->connection->sent;
    w->began = ngx_current_msec - ngx_max(passed, 0);
    w->progressed = ngx_current_msec;

    a->watching = 1;
    a->watched_before = 1;
    a->last_watched = ngx_current_msec;

    (void) ngx_atomic_fetch_add(&a->zone->shared->watched[a->protocol], 1);

    ngx_add_timer(&a->look, ngx_max((counts.min_rtt_us + 500) / 1000, 1));

    return NGX_OK;
}


void
autoquic_look_handler(ngx_event_t *ev)
{
    uint64_t                before;
    autoquic_seen_e         seen;
    autoquic_discard_e      why;
    autoquic_connection_t  *a = (autoquic_connection_t *) ev;

    if (!a->watching) {
        return;
    }

    before = a->watched.progress;
    seen = look(a, &why);

    switch (seen) {

    case AUTOQUIC_ACKNOWLEDGED:
        end(a, 0);
        return;

    case AUTOQUIC_GONE:
        discard(a, why);
        return;

    case AUTOQUIC_WAITING:
        break;
    }

    if (a->watched.progress != before) {
        a->watched.progressed = ngx_current_msec;

    } else if (ngx_current_msec - a->watched.progressed >= STALLED_MS) {
        end(a, 1);
        return;
    }

    if (ngx_current_msec - a->watched.began >= ENDLESS_MS) {
        discard(a, AUTOQUIC_DISCARD_ENDLESS);
        return;
    }

    look_again(a);
}


static void
look_again(autoquic_connection_t *a)
{
    ngx_add_timer(&a->look, ngx_max((ngx_current_msec - a->watched.began) / LOOK_SHARE, LOOK_LEAST_MS));
}


void
autoquic_last_look(autoquic_connection_t *a, ngx_uint_t readable)
{
    autoquic_discard_e  why;

    if (!a->watching) {
        return;
    }

    if (readable && look(a, &why) == AUTOQUIC_ACKNOWLEDGED) {
        end(a, 0);
        return;
    }

    discard(a, AUTOQUIC_DISCARD_CLOSED);
}


static autoquic_seen_e
look(autoquic_connection_t *a, autoquic_discard_e *why)
{
    (void) ngx_atomic_fetch_add(&a->zone->shared->looks, 1);

    return a->protocol == PRONGHORN_QUIC ? autoquic_quic_look(a, why) : autoquic_tcp_look(a, why);
}


static void
end(autoquic_connection_t *a, ngx_uint_t stalled)
{
    pronghorn_sample    sample;
    autoquic_shared_t  *shared = a->zone->shared;

    a->watching = 0;

    autoquic_report(a, &sample);

    sample.bytes = a->watched.bytes;
    sample.time_us = (uint64_t) (ngx_current_msec - a->watched.began) * 1000;
    if (sample.time_us == 0) {
        sample.time_us = 500;
    }
    sample.stalled = (uint8_t) stalled;

    autoquic_zone_lock(a->zone);
    pronghorn_observe(a->policy, shared->table, a->keys, a->protocol, &sample, ngx_current_msec);
    autoquic_zone_unlock(a->zone);

    (void) ngx_atomic_fetch_add(stalled ? &shared->stalled[a->protocol] : &shared->acknowledged[a->protocol], 1);
}


static void
discard(autoquic_connection_t *a, autoquic_discard_e why)
{
    a->watching = 0;

    (void) ngx_atomic_fetch_add(&a->zone->shared->discarded[why], 1);
}
