/*
 * Where a server block listens by QUIC: an offer may only send a client to where this very block answers it.
 *
 * Several server blocks may share an address, and some of them listen by QUIC on it while others don't. A client that such
 * a block sent there nevertheless would be answered by another one.
 */
#include "autoquic.h"

typedef struct {
    struct sockaddr    *sockaddr;
    in_port_t           port;
    unsigned            wildcard:1;
    unsigned            ipv6only:1;
} listener_t;

static ngx_int_t add_to_servers(ngx_conf_t *cf, const ngx_http_conf_addr_t *at);
static ngx_int_t add(autoquic_srv_conf_t *ascf, const ngx_http_conf_addr_t *at);
static void warn_of_those_without(ngx_conf_t *cf, ngx_http_core_main_conf_t *cmcf);
static ngx_uint_t reaches(const listener_t *listener, struct sockaddr *local, socklen_t length);


ngx_int_t
autoquic_init_listeners(ngx_conf_t *cf, autoquic_srv_conf_t *ascf)
{
    return ngx_array_init(&ascf->listeners, cf->pool, 1, sizeof(listener_t));
}


ngx_int_t
autoquic_find_listeners(ngx_conf_t *cf)
{
    ngx_uint_t                  i, j;
    ngx_http_conf_addr_t       *addr;
    ngx_http_conf_port_t       *port;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    if (cmcf->ports == NULL) {
        return NGX_OK;
    }

    port = cmcf->ports->elts;

    for (i = 0; i < cmcf->ports->nelts; i++) {
        addr = port[i].addrs.elts;

        for (j = 0; j < port[i].addrs.nelts; j++) {
            if (add_to_servers(cf, &addr[j]) != NGX_OK) {
                return NGX_ERROR;
            }
        }
    }

    warn_of_those_without(cf, cmcf);

    return NGX_OK;
}


static ngx_int_t
add_to_servers(ngx_conf_t *cf, const ngx_http_conf_addr_t *at)
{
    ngx_uint_t                  i;
    autoquic_srv_conf_t        *ascf;
    ngx_http_core_srv_conf_t  **server;

    server = at->servers.elts;

    for (i = 0; i < at->servers.nelts; i++) {
        ascf = server[i]->ctx->srv_conf[ngx_http_autoquic_module.ctx_index];
        ascf->secured |= at->opt.ssl;

        if (at->opt.quic && add(ascf, at) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
add(autoquic_srv_conf_t *ascf, const ngx_http_conf_addr_t *at)
{
    listener_t  *listener;

    listener = ngx_array_push(&ascf->listeners);
    if (listener == NULL) {
        return NGX_ERROR;
    }

    listener->sockaddr = at->opt.sockaddr;
    listener->port = ngx_inet_get_port(at->opt.sockaddr);
    listener->wildcard = at->opt.wildcard;
#if (NGX_HAVE_INET6)
    listener->ipv6only = at->opt.ipv6only;
#else
    listener->ipv6only = 1;
#endif

    return NGX_OK;
}


/* Of blocks without TLS nobody expects it: they have it inherited. */
static void
warn_of_those_without(ngx_conf_t *cf, ngx_http_core_main_conf_t *cmcf)
{
    ngx_uint_t                   i;
    autoquic_srv_conf_t         *ascf;
    ngx_http_core_srv_conf_t   **server;

    server = cmcf->servers.elts;

    for (i = 0; i < cmcf->servers.nelts; i++) {
        ascf = server[i]->ctx->srv_conf[ngx_http_autoquic_module.ctx_index];

        if (ascf->enabled && ascf->secured && ascf->listeners.nelts == 0) {
            ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                          "\"autoquic\" is on in the server block at %s:%ui, which does not listen by QUIC "
                          "(\"listen … quic\"): it offers HTTP/3 to nobody",
                          server[i]->file_name, server[i]->line);
        }
    }
}


in_port_t
autoquic_port_of(ngx_http_request_t *r, autoquic_loc_conf_t *conf)
{
    in_port_t             port, here;
    ngx_uint_t            i;
    listener_t           *listener;
    ngx_connection_t     *c;
    autoquic_srv_conf_t  *ascf;

    ascf = ngx_http_get_module_srv_conf(r, ngx_http_autoquic_module);

    if (ascf->listeners.nelts == 0) {
        return 0;
    }

    if (conf->port) {
        return (in_port_t) conf->port;
    }

    /* Asked of the transport's connection, so that nginx asks the kernel but once. */
    c = autoquic_transport_of(r);

    if (ngx_connection_local_sockaddr(c, NULL, 0) != NGX_OK) {
        return 0;
    }

    here = ngx_inet_get_port(c->local_sockaddr);
    listener = ascf->listeners.elts;
    port = 0;

    for (i = 0; i < ascf->listeners.nelts; i++) {
        if (!reaches(&listener[i], c->local_sockaddr, c->local_socklen)) {
            continue;
        }

        if (listener[i].port == here) {
            return here;
        }

        if (port == 0) {
            port = listener[i].port;
        }
    }

    return port;
}


/* Whether a client that came to this local address would come to that listener, by its port. */
static ngx_uint_t
reaches(const listener_t *listener, struct sockaddr *local, socklen_t length)
{
    sa_family_t  family = local->sa_family;

    if (!listener->wildcard) {
        return ngx_cmp_sockaddr(listener->sockaddr, length, local, length, 0) == NGX_OK;
    }

    if (family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&((struct sockaddr_in6 *) local)->sin6_addr)) {
        family = AF_INET;
    }

    return listener->sockaddr->sa_family == family
           || (family == AF_INET && listener->sockaddr->sa_family == AF_INET6 && !listener->ipv6only);
}
