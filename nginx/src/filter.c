/*
 * The header filter: asks what to say of HTTP/3, and says it by Alt-Svc (RFC 7838).
 *
 * Where the module is on, Alt-Svc is its own: what a location's add_header or an upstream says by this header is left
 * out, since it would move the very clients that the policy keeps. In a dry run every header stays as it is. `withdraw`
 * takes back what was said, from everyone, and decides and measures nothing.
 *
 * A client remembers what it is told, so that over HTTP/2 and 3 a decision is told once on a connection to each host that
 * it serves (an alternative is one host's), and again with the next decision, a second later: a header costs the server
 * more CPU time than all the rest of this module. What comes over HTTP/1.1 may be a proxy's connection, and many clients'.
 */
#include "autoquic.h"

#define DECISION_LASTS_MS  1000     /* on one connection */

static ngx_int_t header_filter(ngx_http_request_t *r);
static autoquic_request_t *decided(ngx_http_request_t *r, autoquic_loc_conf_t *conf);
static ngx_int_t decide(autoquic_connection_t *a, ngx_http_request_t *r, autoquic_loc_conf_t *conf);
static uint32_t host_of(ngx_http_request_t *r);
static ngx_uint_t is_news(autoquic_connection_t *a, ngx_http_request_t *r);
static void remove_others(ngx_http_request_t *r);
static void say(ngx_http_request_t *r, const pronghorn_decision *decision, in_port_t port);

/* What `autoquic withdraw` says to everybody: nginx doesn't remember who was offered HTTP/3 before it. */
static const pronghorn_decision  withdrawn = { .action = PRONGHORN_CLEAR };

static ngx_http_output_header_filter_pt  next_header_filter;


ngx_int_t
autoquic_filter_init(ngx_conf_t *cf)
{
    next_header_filter = ngx_http_top_header_filter;
    ngx_http_top_header_filter = header_filter;

    return NGX_OK;
}


static ngx_int_t
header_filter(ngx_http_request_t *r)
{
    ngx_int_t             rc;
    autoquic_request_t   *request;
    autoquic_loc_conf_t  *conf;

    conf = ngx_http_get_module_loc_conf(r, ngx_http_autoquic_module);

    if (conf->mode == AUTOQUIC_OFF || r != r->main || r->headers_out.status < NGX_HTTP_OK) {
        return next_header_filter(r);
    }

    if (conf->mode == AUTOQUIC_WITHDRAW) {
        remove_others(r);

        if (r->connection->ssl) {
            say(r, &withdrawn, 0);
        }

        return next_header_filter(r);
    }

    if (!conf->dry_run) {
        remove_others(r);
    }

    request = decided(r, conf);
    if (request == NULL) {
        return next_header_filter(r);
    }

    autoquic_response_begins(r, request);

    rc = next_header_filter(r);

    if (rc != NGX_ERROR) {
        autoquic_headers_went(r, request);
    }

    return rc;
}


/* Decides on a request, and says what was decided; NULL where there is nothing to decide. */
static autoquic_request_t *
decided(ngx_http_request_t *r, autoquic_loc_conf_t *conf)
{
    in_port_t               port;
    autoquic_request_t     *request;
    autoquic_connection_t  *a;

    a = autoquic_connection_of(r, conf);
    if (a == NULL) {
        return NULL;
    }

    port = a->decided_by == ngx_http_get_module_srv_conf(r, ngx_http_autoquic_module) ? a->port : autoquic_port_of(r, conf);
    if (port == 0 || decide(a, r, conf) != NGX_OK) {
        return NULL;
    }

    a->port = port;

    request = ngx_http_get_module_ctx(r, ngx_http_autoquic_module);
    if (request == NULL) {
        request = ngx_palloc(r->pool, sizeof(autoquic_request_t));
        if (request == NULL) {
            return NULL;
        }
        ngx_memzero(request, sizeof(autoquic_request_t));
        ngx_http_set_ctx(r, request, ngx_http_autoquic_module);
    }

    request->connection = a;
    request->dry_run = conf->dry_run;
    request->decision = a->decision;

    if (!conf->dry_run && is_news(a, r)) {
        say(r, &a->decision, port);
    }

    return request;
}


static ngx_uint_t
is_news(autoquic_connection_t *a, ngx_http_request_t *r)
{
    uint32_t  host;

    if (r->http_version < NGX_HTTP_VERSION_20) {
        return 1;
    }

    host = host_of(r);

    if (a->said_to == host) {
        return 0;
    }

    a->said_to = host;

    return 1;
}


/* Never 0. */
static uint32_t
host_of(ngx_http_request_t *r)
{
    ngx_str_t  *name = &r->headers_in.server;

    return ngx_murmur_hash2(name->data, name->len) | 1;
}


static ngx_int_t
decide(autoquic_connection_t *a, ngx_http_request_t *r, autoquic_loc_conf_t *conf)
{
    uint64_t                path;
    ngx_uint_t              first;
    pronghorn_ask           ask;
    pronghorn_table        *table;
    pronghorn_sample        met;
    autoquic_srv_conf_t    *ascf;
    const struct sockaddr  *address;

    ascf = ngx_http_get_module_srv_conf(r, ngx_http_autoquic_module);
    first = a->decided_by == NULL;
    path = 0;

    if (a->protocol == PRONGHORN_QUIC) {
        (void) autoquic_quic_path(a, &path, &address);
    }

    if (a->decided_by == ascf && a->decided_path == path && ngx_current_msec - a->decided < DECISION_LASTS_MS) {
        return NGX_OK;
    }

    if (autoquic_set_keys(a, conf) != NGX_OK) {
        return NGX_DECLINED;
    }

    ngx_memzero(&ask, sizeof(pronghorn_ask));
    ask.holdout = conf->holdout < 0 ? -1 : (float) conf->holdout / 1000000;
    ask.max_age_s = (uint32_t) conf->max_age;
    ask.downgrade = (uint8_t) conf->downgrade;
    ask.dry_run = (uint8_t) conf->dry_run;
    ask.new_connection = !a->advertised;
    ask.host = (uint8_t) (host_of(r) >> 24);

    if (first) {
        autoquic_report(a, &met);
    }

    table = a->zone->shared->table;

    autoquic_zone_lock(a->zone);

    if (first) {
        /* What the handshake told of the network, before anything is decided on it. */
        pronghorn_observe(a->policy, table, a->keys, a->protocol, &met, ngx_current_msec);
    }

    a->decision = pronghorn_decide(a->policy, table, a->keys, a->protocol, &ask, ngx_current_msec);

    autoquic_zone_unlock(a->zone);

    if (a->decision.action == PRONGHORN_ADVERTISE && !conf->dry_run) {
        a->advertised = 1;
    }

    a->said_to = 0;
    a->decided_by = ascf;
    a->decided_path = path;
    a->decided = ngx_current_msec;

    return NGX_OK;
}


static void
remove_others(ngx_http_request_t *r)
{
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    part = &r->headers_out.headers.part;
    h = part->elts;

    for (i = 0; /* void */ ; i++) {

        if (i >= part->nelts) {
            if (part->next == NULL) {
                return;
            }
            part = part->next;
            h = part->elts;
            i = 0;
        }

        if (h[i].key.len == sizeof("Alt-Svc") - 1
            && ngx_strncasecmp(h[i].key.data, (u_char *) "Alt-Svc", sizeof("Alt-Svc") - 1) == 0)
        {
            h[i].hash = 0;
        }
    }
}


static void
say(ngx_http_request_t *r, const pronghorn_decision *decision, in_port_t port)
{
    u_char           *p;
    ngx_table_elt_t  *h;

    if (decision->action == PRONGHORN_NOTHING) {
        return;
    }

    p = ngx_pnalloc(r->pool, sizeof("h3=\":65535\"; ma=4294967295"));
    if (p == NULL) {
        return;
    }

    h = ngx_list_push(&r->headers_out.headers);
    if (h == NULL) {
        return;
    }

    h->hash = 1;
    h->next = NULL;
    ngx_str_set(&h->key, "Alt-Svc");
    h->value.data = p;

    if (decision->action == PRONGHORN_CLEAR) {
        p = ngx_cpymem(p, "clear", sizeof("clear") - 1);
    } else {
        p = ngx_sprintf(p, "h3=\":%d\"; ma=%uD", (int) port, decision->max_age_s);
    }

    h->value.len = p - h->value.data;
}
