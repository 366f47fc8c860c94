/*
 * Where a server block listens by QUIC: an offer may only send a client to where this very block answers it.
 *
 * Several server blocks may share an address, and some of them listen by QUIC on it while others don't. A client that such
 * a block sent there nevertheless would be answered by another one. So it would be where another block listens on the
 * client's address alone, and this one on all addresses: nginx, or the kernel, takes the listener that fits best.
 *
 * An IPv4 client of a socket of IPv6 (`[::]:443 ipv6only=off`) has come to an IPv4-mapped address: it counts as IPv4 here.
 */
#include "autoquic.h"

typedef struct {
    struct sockaddr    *sockaddr;
    in_port_t           port;
    unsigned            wildcard:1;
    unsigned            ipv6only:1;
    const ngx_array_t  *rivals;            /* listener_t: of the same port, in this or another server block */
} listener_t;

/* How well a listener fits an address that a client comes to, by the order in which Linux chooses among sockets. */
typedef enum {
    FITS_NOT = 0,
    FITS_AS_ANY_OF_BOTH,                   /* [::] ipv6only=off, of an IPv4 address */
    FITS_AS_ANY,
    FITS_EXACTLY
} fit_e;

static ngx_int_t add_to_servers(ngx_conf_t *cf, const ngx_http_conf_addr_t *at, const ngx_array_t *rivals);
static ngx_int_t add(ngx_array_t *listeners, const ngx_http_conf_addr_t *at, const ngx_array_t *rivals);
static const ngx_array_t *rivals_of(ngx_conf_t *cf, ngx_http_core_main_conf_t *cmcf, in_port_t number);
static void warn_of_those_without(ngx_conf_t *cf, ngx_http_core_main_conf_t *cmcf);
static ngx_uint_t reaches(const listener_t *listener, struct sockaddr *local);
static fit_e fits(const listener_t *listener, struct sockaddr *local);
static ngx_uint_t same_address(struct sockaddr *one, struct sockaddr *other);
static const uint8_t *ipv4_of(const struct sockaddr *address);


ngx_int_t
autoquic_init_listeners(ngx_conf_t *cf, autoquic_srv_conf_t *ascf)
{
    return ngx_array_init(&ascf->listeners, cf->pool, 1, sizeof(listener_t));
}


ngx_int_t
autoquic_find_listeners(ngx_conf_t *cf)
{
    ngx_uint_t                  i, j;
    const ngx_array_t          *rivals;
    ngx_http_conf_addr_t       *addr;
    ngx_http_conf_port_t       *port;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    if (cmcf->ports == NULL) {
        return NGX_OK;
    }

    port = cmcf->ports->elts;

    for (i = 0; i < cmcf->ports->nelts; i++) {
        rivals = rivals_of(cf, cmcf, port[i].port);
        if (rivals == NULL) {
            return NGX_ERROR;
        }

        addr = port[i].addrs.elts;

        for (j = 0; j < port[i].addrs.nelts; j++) {
            if (add_to_servers(cf, &addr[j], rivals) != NGX_OK) {
                return NGX_ERROR;
            }
        }
    }

    warn_of_those_without(cf, cmcf);

    return NGX_OK;
}


/* All listeners by QUIC of a port, whatever their address and family. */
static const ngx_array_t *
rivals_of(ngx_conf_t *cf, ngx_http_core_main_conf_t *cmcf, in_port_t number)
{
    ngx_uint_t             i, j;
    ngx_array_t           *rivals;
    ngx_http_conf_addr_t  *addr;
    ngx_http_conf_port_t  *port;

    rivals = ngx_array_create(cf->pool, 1, sizeof(listener_t));
    if (rivals == NULL) {
        return NULL;
    }

    port = cmcf->ports->elts;

    for (i = 0; i < cmcf->ports->nelts; i++) {
        if (port[i].port != number) {
            continue;
        }

        addr = port[i].addrs.elts;

        for (j = 0; j < port[i].addrs.nelts; j++) {
            if (addr[j].opt.quic && add(rivals, &addr[j], NULL) != NGX_OK) {
                return NULL;
            }
        }
    }

    return rivals;
}


static ngx_int_t
add_to_servers(ngx_conf_t *cf, const ngx_http_conf_addr_t *at, const ngx_array_t *rivals)
{
    ngx_uint_t                  i;
    autoquic_srv_conf_t        *ascf;
    ngx_http_core_srv_conf_t  **server;

    server = at->servers.elts;

    for (i = 0; i < at->servers.nelts; i++) {
        ascf = server[i]->ctx->srv_conf[ngx_http_autoquic_module.ctx_index];
        ascf->secured |= at->opt.ssl;

        if (at->opt.quic && add(&ascf->listeners, at, rivals) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
add(ngx_array_t *listeners, const ngx_http_conf_addr_t *at, const ngx_array_t *rivals)
{
    listener_t  *listener;

    listener = ngx_array_push(listeners);
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
    listener->rivals = rivals;

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
        if (!reaches(&listener[i], c->local_sockaddr)) {
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
reaches(const listener_t *listener, struct sockaddr *local)
{
    fit_e        fit;
    ngx_uint_t   i;
    listener_t  *rival;

    fit = fits(listener, local);
    rival = listener->rivals->elts;

    for (i = 0; i < listener->rivals->nelts; i++) {
        if (fits(&rival[i], local) > fit) {
            return 0;
        }
    }

    return fit != FITS_NOT;
}


static fit_e
fits(const listener_t *listener, struct sockaddr *local)
{
    if (!listener->wildcard) {
        return same_address(listener->sockaddr, local) ? FITS_EXACTLY : FITS_NOT;
    }

    if (ipv4_of(local) == NULL) {
        return listener->sockaddr->sa_family == local->sa_family ? FITS_AS_ANY : FITS_NOT;
    }

    if (listener->sockaddr->sa_family == AF_INET) {
        return FITS_AS_ANY;
    }

    return listener->ipv6only ? FITS_NOT : FITS_AS_ANY_OF_BOTH;
}


/* But for their ports. */
static ngx_uint_t
same_address(struct sockaddr *one, struct sockaddr *other)
{
    const uint8_t  *here = ipv4_of(one), *there = ipv4_of(other);

    if (here != NULL && there != NULL) {
        return ngx_memcmp(here, there, 4) == 0;
    }

#if (NGX_HAVE_INET6)
    if (one->sa_family == AF_INET6 && other->sa_family == AF_INET6) {
        return IN6_ARE_ADDR_EQUAL(&((struct sockaddr_in6 *) one)->sin6_addr, &((struct sockaddr_in6 *) other)->sin6_addr);
    }
#endif

    return 0;
}


/* The four bytes of an IPv4 address, which an IPv6 one may hold (RFC 4291, section 2.5.5.2); NULL: it is of another family. */
static const uint8_t *
ipv4_of(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        return (const uint8_t *) &((const struct sockaddr_in *) address)->sin_addr;
    }

#if (NGX_HAVE_INET6)
    if (address->sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&((const struct sockaddr_in6 *) address)->sin6_addr)) {
        return (const uint8_t *) &((const struct sockaddr_in6 *) address)->sin6_addr + 12;
    }
#endif

    return NULL;
}
