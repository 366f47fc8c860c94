/*
 * Samples: how long responses took until their last byte was acknowledged, alike over TCP and QUIC.
 *
 * When a response has been written, its connection is looked at again after the smallest round trip, then at intervals
 * of a sixteenth of the time that has passed since the response began, by nginx's clock of a millisecond. So a time is
 * too long by 3 % on average and by 6 % or 2 ms at most, by either protocol, and a response costs a number of looks that
 * grows with the logarithm of its time. One response of a connection is watched at a time, and a worker begins a bounded
 * number a second (shares.c), so that busy servers pay no more.
 */
#include "autoquic.h"

#define LOOK_SHARE       16       /* of the time that has passed */
#define LOOK_LEAST_MS    2
#define MADE_SHARE       8        /* of a round trip: so long an upstream's content may take */
#define ENDLESS_MS       120000
#define APART_MS         200      /* between two watched responses of a connection, and after one whose key had enough */

static ngx_uint_t is_worth_watching(ngx_http_request_t *r, autoquic_request_t *request);
static ngx_uint_t is_free(const autoquic_connection_t *a);
static void rest(autoquic_connection_t *a);
static autoquic_discard_e watch(autoquic_connection_t *a, ngx_http_request_t *r, autoquic_request_t *request);
static ngx_uint_t was_there(ngx_http_request_t *r, uint64_t bytes, uint32_t min_rtt_us);
static uint64_t bytes_taken_ahead(const ngx_http_upstream_t *u);
static void unwatch(autoquic_connection_t *a);
static void end(autoquic_connection_t *a, autoquic_seen_e seen);
static void count_discard(autoquic_connection_t *a, autoquic_discard_e why);
static void discard(autoquic_connection_t *a, autoquic_discard_e why);
static void look_again(autoquic_connection_t *a);
static autoquic_seen_e look(autoquic_connection_t *a, autoquic_discard_e *why);


/* Begins to watch a response that has just been written, where it is one to watch. */
void
autoquic_sample_begin(ngx_http_request_t *r, autoquic_request_t *request)
{
    autoquic_discard_e      why;
    autoquic_connection_t  *a = request->connection;

    if (!is_free(a) || !is_worth_watching(r, request)) {
        return;
    }

    switch (autoquic_take_share(a->keys)) {

    case NGX_OK:
        why = watch(a, r, request);
        break;

    case NGX_BUSY:
        why = AUTOQUIC_DISCARD_CROWDED;
        break;

    default:
        rest(a);
        why = AUTOQUIC_DISCARD_FREQUENT;
    }

    if (why != AUTOQUIC_DISCARDS) {
        count_discard(a, why);
    }
}


/* Responses whose time is the network's alone: no upload, no throttle, no fault, nothing put together of several requests.
 * (Over HTTP/3, a GET whose end comes in a frame of its own looks to nginx as if it had a body.) */
static ngx_uint_t
is_worth_watching(ngx_http_request_t *r, autoquic_request_t *request)
{
    ngx_connection_t  *c = r->connection;

    return r->method == NGX_HTTP_GET
           && r->headers_in.content_length_n <= 0
           && r->headers_out.status >= NGX_HTTP_OK
           && r->headers_out.status < NGX_HTTP_BAD_REQUEST
           && r->limit_rate == 0
           && !request->composed
           && !c->error
           && !c->timedout
           && c->sent > request->sent;
}


static ngx_uint_t
is_free(const autoquic_connection_t *a)
{
    return !a->watching && !(a->rested && (ngx_msec_int_t) (ngx_current_msec - a->rests_since) < APART_MS);
}


static void
rest(autoquic_connection_t *a)
{
    a->rested = 1;
    a->rests_since = ngx_current_msec;
}


/* AUTOQUIC_DISCARDS: it is watched now; else why it isn't. */
static autoquic_discard_e
watch(autoquic_connection_t *a, ngx_http_request_t *r, autoquic_request_t *request)
{
    ngx_int_t            rc;
    autoquic_counts_t    counts;
    autoquic_watched_t  *w = &a->watched;

    ngx_memzero(w, sizeof(autoquic_watched_t));
    ngx_memzero(&counts, sizeof(autoquic_counts_t));

    if (a->protocol == PRONGHORN_QUIC) {
        rc = autoquic_quic_watch(a, r->connection);
        (void) autoquic_quic_counts(a, &counts);
    } else {
        rc = autoquic_tcp_watch(a, request->end);
        (void) autoquic_tcp_counts(a, &counts);
    }

    if (rc != NGX_OK) {
        return rc == NGX_DECLINED ? AUTOQUIC_DISCARD_MOVED : AUTOQUIC_DISCARD_UNREADABLE;
    }

    w->bytes = r->connection->sent - request->sent;

    if (!was_there(r, w->bytes, counts.min_rtt_us)) {
        unwatch(a);
        return AUTOQUIC_DISCARD_WAITED;
    }

    w->keys = a->keys;
    w->policy = a->policy;
    w->dry_run = request->dry_run;
    w->delivered -= ngx_min(w->delivered, w->bytes);
    w->began = request->began;
    w->progressed = ngx_current_msec;

    a->watching = 1;
    rest(a);

    (void) ngx_atomic_fetch_add(&a->zone->shared->watched[a->protocol], 1);

    /* QUIC's round trips are of whole milliseconds, cut off: what is added makes those of TCP as late. */
    ngx_add_timer(&a->look, counts.min_rtt_us / 1000 + 1);

    return AUTOQUIC_DISCARDS;
}


/*
 * Whether all of a response was there as soon as the network could have taken it, as nginx's own files are. An upstream's is
 * where that delivered it at once, and would have, however slow the client: by which transport this comes, and how much that
 * takes at a time, must not decide whether its response is a sample.
 */
static ngx_uint_t
was_there(ngx_http_request_t *r, uint64_t bytes, uint32_t min_rtt_us)
{
    ngx_msec_t                  made;
    ngx_http_upstream_t        *u = r->upstream;
    ngx_http_upstream_state_t  *state;

    if (u == NULL || u->state == NULL) {
        return 1;
    }

    state = u->state;

    if (state->header_time == (ngx_msec_t) -1 || state->response_time == (ngx_msec_t) -1) {
        return 1;      /* none was asked: it came from the cache */
    }

    made = state->response_time - ngx_min(state->header_time, state->response_time);

    return made <= ngx_max(min_rtt_us / 1000 / MADE_SHARE, LOOK_LEAST_MS) && bytes <= bytes_taken_ahead(u);
}


/* So much nginx takes from an upstream, however little the client takes. */
static uint64_t
bytes_taken_ahead(const ngx_http_upstream_t *u)
{
    if (!u->buffering) {
        return u->conf->buffer_size;
    }

    if (u->conf->max_temp_file_size > 0) {
        return (uint64_t) u->conf->max_temp_file_size;
    }

    return (uint64_t) u->conf->bufs.num * u->conf->bufs.size;
}


void
autoquic_look_handler(ngx_event_t *ev)
{
    uint64_t                before;
    autoquic_seen_e         seen;
    autoquic_discard_e      why;
    autoquic_connection_t  *a = ngx_queue_data(ev, autoquic_connection_t, look);

    if (!a->watching) {
        return;
    }

    before = a->watched.progress;
    seen = look(a, &why);

    switch (seen) {

    case AUTOQUIC_ACKNOWLEDGED:
    case AUTOQUIC_STOPPED:
        end(a, seen);
        return;

    case AUTOQUIC_GONE:
        discard(a, why);
        return;

    case AUTOQUIC_WAITING:
        break;
    }

    if (a->watched.progress != before) {
        a->watched.progressed = ngx_current_msec;

    } else if (ngx_current_msec - a->watched.progressed >= AUTOQUIC_STALLED_MS) {
        if (a->watched.unread) {
            discard(a, AUTOQUIC_DISCARD_UNREAD);
        } else {
            end(a, AUTOQUIC_WAITING);
        }
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
        end(a, AUTOQUIC_ACKNOWLEDGED);
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
unwatch(autoquic_connection_t *a)
{
    a->watching = 0;

    if (a->protocol == PRONGHORN_QUIC) {
        autoquic_quic_unwatch(a);
    }
}


/* The response has ended as it was last seen; AUTOQUIC_WAITING: it has stalled. */
static void
end(autoquic_connection_t *a, autoquic_seen_e seen)
{
    ngx_msec_t           took;
    pronghorn_sample     sample;
    autoquic_shared_t   *shared = a->zone->shared;
    autoquic_watched_t  *w = &a->watched;

    took = ngx_current_msec - w->began;

    unwatch(a);

    autoquic_report(a, &sample);

    sample.bytes = w->bytes;
    sample.delivered = w->delivered;
    sample.time_us = took ? (uint64_t) took * 1000 : 500;
    sample.stalled = seen == AUTOQUIC_WAITING;
    sample.dry_run = w->dry_run;

    autoquic_zone_lock(a->zone);
    pronghorn_observe(w->policy, shared->table, w->keys, a->protocol, &sample, ngx_current_msec);
    autoquic_zone_unlock(a->zone);

    if (seen != AUTOQUIC_ACKNOWLEDGED) {
        (void) ngx_atomic_fetch_add(sample.stalled ? &shared->stalled[a->protocol] : &shared->stopped[a->protocol], 1);
        return;
    }

    (void) ngx_atomic_fetch_add(&shared->acknowledged[a->protocol], 1);
    (void) ngx_atomic_fetch_add(&shared->bytes[a->protocol], (ngx_atomic_int_t) w->bytes);
    (void) ngx_atomic_fetch_add(&shared->ms[a->protocol], (ngx_atomic_int_t) took);
}


static void
discard(autoquic_connection_t *a, autoquic_discard_e why)
{
    unwatch(a);

    count_discard(a, why);
}


static void
count_discard(autoquic_connection_t *a, autoquic_discard_e why)
{
    (void) ngx_atomic_fetch_add(&a->zone->shared->discarded[why], 1);
}
