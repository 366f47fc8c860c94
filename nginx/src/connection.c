/*
 * What is kept of a client's connection: in the pool of the transport's own connection, never of a stream or a request,
 * so that it lives exactly as long as what it reads.
 */
#include "autoquic.h"

static autoquic_connection_t *find(ngx_connection_t *c, autoquic_zone_t *zone);
static autoquic_connection_t *make(ngx_connection_t *c, ngx_http_request_t *r, autoquic_zone_t *zone);
static void cleanup(void *data);
static void before_ssl_is_freed(void *ssl, void *data, CRYPTO_EX_DATA *all, int index, long number, void *more);

static int  ssl_index = -1;


autoquic_connection_t *
autoquic_connection_of(ngx_http_request_t *r, autoquic_loc_conf_t *conf)
{
    ngx_connection_t       *c;
    autoquic_connection_t  *a;

    c = autoquic_transport_of(r);

    if (c->ssl == NULL) {
        return NULL;
    }

    a = find(c, conf->zone->data);
    if (a == NULL) {
        a = make(c, r, conf->zone->data);
    }

    if (a != NULL) {
        a->policy = conf->policy;
    }

    return a;
}


ngx_connection_t *
autoquic_transport_of(ngx_http_request_t *r)
{
    ngx_connection_t  *c = r->connection;

    if (r->stream) {
        return r->stream->connection->connection;
    }

    return c->quic ? c->quic->parent : c;
}


static autoquic_connection_t *
find(ngx_connection_t *c, autoquic_zone_t *zone)
{
    ngx_pool_cleanup_t     *cln;
    autoquic_connection_t  *a;

    for (cln = c->pool->cleanup; cln; cln = cln->next) {
        if (cln->handler != cleanup) {
            continue;
        }

        a = cln->data;
        if (a->zone == zone) {
            return a;
        }
    }

    return NULL;
}


static autoquic_connection_t *
make(ngx_connection_t *c, ngx_http_request_t *r, autoquic_zone_t *zone)
{
    ngx_pool_cleanup_t     *cln;
    autoquic_connection_t  *a;

    cln = ngx_pool_cleanup_add(c->pool, sizeof(autoquic_connection_t));
    if (cln == NULL) {
        return NULL;
    }

    a = cln->data;
    ngx_memzero(a, sizeof(autoquic_connection_t));

    a->connection = c;
    a->zone = zone;

    a->look.handler = autoquic_look_handler;
    a->look.data = c;
    a->look.log = ngx_cycle->log;
    a->look.cancelable = 1;

    if (r->connection->quic) {
        a->protocol = PRONGHORN_QUIC;
        (void) autoquic_quic_counts(a, &a->reported);

    } else {
        a->protocol = PRONGHORN_TCP;
        a->control = autoquic_tcp_control(c);

        if (ssl_index >= 0) {
            a->next = SSL_get_ex_data(c->ssl->connection, ssl_index);
            (void) SSL_set_ex_data(c->ssl->connection, ssl_index, a);
        }
    }

    /* The first report is of all that was since the connection began. */
    a->reported.sent = 0;
    a->reported.lost = 0;

    cln->handler = cleanup;

    return a;
}


/* Whatever a header or the PROXY protocol says: it is this connection that is measured. */
ngx_int_t
autoquic_set_keys(autoquic_connection_t *a, autoquic_loc_conf_t *conf)
{
    uint64_t                      path;
    socklen_t                     length;
    const uint8_t                *mapped;
    ngx_sockaddr_t                address;
    const struct sockaddr        *sa;
    const pronghorn_table        *table;
    const struct sockaddr_in     *sin;
    const struct sockaddr_in6    *sin6;

    table = a->zone->shared->table;

    if (a->protocol == PRONGHORN_QUIC) {
        if (autoquic_quic_path(a, &path, &sa) != NGX_OK) {
            return NGX_DECLINED;
        }

    } else {
        if (a->keyed) {
            return NGX_OK;
        }

        length = sizeof(ngx_sockaddr_t);
        if (getpeername(a->connection->fd, &address.sockaddr, &length) == -1) {
            return NGX_DECLINED;
        }
        sa = &address.sockaddr;
    }

    switch (sa->sa_family) {

    case AF_INET:
        sin = (const struct sockaddr_in *) sa;
        a->keys = pronghorn_keys_of(table, (const uint8_t *) &sin->sin_addr, 4, conf->v4_bits, AUTOQUIC_V4_PARENT);
        break;

    case AF_INET6:
        sin6 = (const struct sockaddr_in6 *) sa;
        mapped = (const uint8_t *) &sin6->sin6_addr;
        if (IN6_IS_ADDR_V4MAPPED(&sin6->sin6_addr)) {
            a->keys = pronghorn_keys_of(table, mapped + 12, 4, conf->v4_bits, AUTOQUIC_V4_PARENT);
        } else {
            a->keys = pronghorn_keys_of(table, mapped, 16, conf->v6_bits, AUTOQUIC_V6_PARENT);
        }
        break;

    default:
        return NGX_DECLINED;
    }

    a->keyed = 1;

    return NGX_OK;
}


void
autoquic_report(autoquic_connection_t *a, pronghorn_sample *sample)
{
    ngx_int_t          rc;
    autoquic_counts_t  now;

    ngx_memzero(sample, sizeof(pronghorn_sample));
    sample->tcp_control = a->control;

    if (a->protocol == PRONGHORN_QUIC) {
        rc = autoquic_quic_counts(a, &now);
    } else {
        rc = autoquic_tcp_counts(a, &now);
    }

    if (rc != NGX_OK) {
        return;
    }

    sample->min_rtt_us = now.min_rtt_us;
    sample->rate_bytes_per_s = now.rate_bytes_per_s;
    sample->sent = (uint32_t) ngx_min(now.sent - ngx_min(a->reported.sent, now.sent), UINT32_MAX);
    sample->lost = (uint32_t) ngx_min(now.lost - ngx_min(a->reported.lost, now.lost), sample->sent);

    a->reported = now;
}


/* OpenSSL's SSL is freed while its socket is still open; the pool, when that is closed. Each worker asks OpenSSL for
 * itself, since nginx's master may unload this module, and would leave OpenSSL a function that is gone. */
ngx_int_t
autoquic_connection_init_process(ngx_cycle_t *cycle)
{
    ssl_index = SSL_get_ex_new_index(0, NULL, NULL, NULL, before_ssl_is_freed);

    autoquic_begin_holdouts(cycle);

    return NGX_OK;
}


static void
before_ssl_is_freed(void *ssl, void *data, CRYPTO_EX_DATA *all, int index, long number, void *more)
{
    autoquic_connection_t  *a;

    for (a = data; a; a = a->next) {
        autoquic_last_look(a, 1);
    }
}


static void
cleanup(void *data)
{
    autoquic_connection_t  *a = data;

    autoquic_last_look(a, a->protocol == PRONGHORN_QUIC);

    if (a->look.timer_set) {
        ngx_del_timer(&a->look);
    }
}
