/*
 * What the files of ngx_http_autoquic_module share.
 *
 * The way of a request: filter.c asks crates/policy what to say of HTTP/3, and says it by Alt-Svc, where listeners.c knows
 * of a port; written.c sees when the response has been handed to the transport; sample.c waits for the acknowledgement of
 * its last byte, which over_tcp.c and over_quic.c can tell, and hands crates/policy the time. Everything known of clients
 * stands in a zone of shared memory (zone.c). A fault of this module's own never fails a request: without memory or an
 * answer, the response goes out as if the module were off.
 */
#ifndef AUTOQUIC_H
#define AUTOQUIC_H

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "pronghorn_policy.h"

#define AUTOQUIC_V4_BITS      24
#define AUTOQUIC_V6_BITS      56
#define AUTOQUIC_V4_PARENT    16
#define AUTOQUIC_V6_PARENT    40

/* Without any acknowledgement for so long, a response is stalled. */
#define AUTOQUIC_STALLED_MS   10000

/* autoquic off|on|withdraw */
enum { AUTOQUIC_OFF = 0, AUTOQUIC_ON, AUTOQUIC_WITHDRAW };

/* Why a response is no sample. Kept in step with autoquic_discards in metrics.c. */
typedef enum {
    AUTOQUIC_DISCARD_CLOSED = 0,   /* its connection ended first */
    AUTOQUIC_DISCARD_RESET,        /* the client wanted nothing of it, before anything had arrived */
    AUTOQUIC_DISCARD_OVERTAKEN,    /* nginx used the stream's memory again before it was looked at */
    AUTOQUIC_DISCARD_UNREADABLE,   /* the kernel doesn't tell */
    AUTOQUIC_DISCARD_ENDLESS,      /* still going on after two minutes */
    AUTOQUIC_DISCARD_WAITED,       /* an upstream took its time for the response's content, or waited for the client */
    AUTOQUIC_DISCARD_UNREAD,       /* stalled since the client doesn't read */
    AUTOQUIC_DISCARD_MOVED,        /* the client is at another address, or at one that isn't proved to be its own */
    AUTOQUIC_DISCARD_CROWDED,      /* not watched: this worker's share of samples was used up */
    AUTOQUIC_DISCARD_FREQUENT,     /* not watched: this key's share was */
    AUTOQUIC_DISCARDS
} autoquic_discard_e;

/* In shared memory, before the table. Arrays of two: by protocol, PRONGHORN_TCP and PRONGHORN_QUIC. */
typedef struct {
    uint64_t            layout;        /* AUTOQUIC_LAYOUT: a reload may bring another version of this module */
    ngx_atomic_t        watched[2];
    ngx_atomic_t        acknowledged[2];
    ngx_atomic_t        stalled[2];
    ngx_atomic_t        stopped[2];    /* by the client: what had arrived until then counts */
    ngx_atomic_t        bytes[2];      /* of acknowledged ones */
    ngx_atomic_t        ms[2];         /* that they took, all together */
    ngx_atomic_t        discarded[AUTOQUIC_DISCARDS];
    ngx_atomic_t        looks;         /* at connections, for an acknowledgement */
    size_t              table_bytes;
    pronghorn_table    *table;
} autoquic_shared_t;

#define AUTOQUIC_LAYOUT  (UINT64_C(0x6175746f71756900) + sizeof(autoquic_shared_t))

/* A zone as a configuration knows it: shm_zone->data. */
typedef struct {
    ngx_str_t           name;
    ngx_slab_pool_t    *pool;          /* its mutex guards the table */
    autoquic_shared_t  *shared;
    uint32_t            epoch_s;       /* of its policies; 0: none uses it yet */
    float               holdout;       /* the share that is pinned to each arm */
    uint32_t            leases_s;      /* for how long an offer holds at most */
    ngx_uint_t          v4_bits;       /* of an address, that are one client */
    ngx_uint_t          v6_bits;
} autoquic_zone_t;

/* Where a server block itself listens by QUIC (listeners.c). */
typedef struct {
    ngx_array_t         listeners;
    ngx_uint_t          enabled;       /* somewhere in it autoquic is on */
    ngx_uint_t          secured;       /* it listens by TLS over TCP */
} autoquic_srv_conf_t;

/* Of these, a location may set `mode` alone: Alt-Svc is of an origin, and so is the rest. */
typedef struct {
    ngx_uint_t          mode;          /* AUTOQUIC_OFF, _ON, _WITHDRAW */
    ngx_flag_t          dry_run;
    ngx_uint_t          downgrade;         /* PRONGHORN_DOWNGRADE_* */
    time_t              max_age;           /* seconds; 0: the policy's */
    ngx_int_t           holdout;           /* millionths of the keys, to each arm; -1 and unset: the policy's */
    ngx_int_t           port;              /* 0: that of the server's own QUIC socket */
    ngx_uint_t          v4_bits;
    ngx_uint_t          v6_bits;
    ngx_shm_zone_t     *zone;
    pronghorn_policy   *policy;
} autoquic_loc_conf_t;

/* What a connection's transport counted since it began. */
typedef struct {
    uint64_t            sent;              /* packets */
    uint64_t            lost;              /* of these, taken for lost */
    uint32_t            min_rtt_us;        /* 0: unknown */
    uint64_t            rate_bytes_per_s;  /* 0: unknown, or limited by the application */
} autoquic_counts_t;

/* How nginx's QUIC, which keeps no count of lost packets, is read (over_quic.c). */
typedef struct {
    int64_t             surplus_bytes;     /* sent beyond new data and headers, at the last look */
    int64_t             forgiven_bytes;    /* of these, what isn't loss */
    uint64_t            lost;
    ngx_uint_t          episodes;          /* of congestion control */
    ngx_msec_t          recovery_start;
    ngx_msec_t          looked;
    size_t              mtud;              /* the size that the search for the path's MTU tries */
    ngx_uint_t          probes;            /* of this size */
    uint64_t            path;              /* by which number nginx knows it */
    unsigned            begun:1;
} autoquic_quic_loss_t;

/* The response of a connection that is being watched. Times are on ngx_current_msec's clock, which is monotonic. */
typedef struct {
    pronghorn_keys      keys;              /* whose it was when it had been written */
    pronghorn_policy   *policy;            /* of the place that it is from */
    uint64_t            bytes;
    uint64_t            delivered;         /* bytes that its connection had been given to send, but for its own */
    ngx_msec_t          began;             /* its first byte was ready */
    uint64_t            target;            /* bytes, of the connection or of the stream, to be acknowledged */
    ngx_quic_stream_t  *stream;            /* QUIC; in the pool of the connection */
    uint64_t            stream_id;
    uint64_t            path;              /* QUIC: by which number nginx knows the path */
    uint64_t            rwnd_limited_us;   /* TCP: how long the client's window had held data back at the last progress */
    uint64_t            progress;          /* whatever grows with acknowledgements */
    ngx_msec_t          progressed;        /* when it last did */
    unsigned            roughly:1;         /* TCP: the target is an upper bound as long as TLS holds bytes back */
    unsigned            unread:1;          /* what isn't acknowledged waits for the client to read */
    unsigned            dry_run:1;
} autoquic_watched_t;

/* What is kept of a client's connection, in its own pool. */
typedef struct autoquic_connection_s  autoquic_connection_t;

struct autoquic_connection_s {
    /* First what every response needs, for the fewest lines of the processor's cache. */
    autoquic_zone_t    *zone;
    ngx_connection_t   *connection;        /* the transport's: TCP's, or the parent of QUIC's streams */
    autoquic_srv_conf_t *decided_by;       /* whose server block; NULL: not yet */
    ngx_msec_t          decided;
    uint64_t            decided_path;      /* QUIC: the path that it was decided for */
    ngx_msec_t          rests_since;
    uint32_t            said_to;           /* a hash of the host whose response has said it; 0: none has */
    in_port_t           port;              /* where it sends clients to */
    uint8_t             protocol;          /* PRONGHORN_TCP or _QUIC */
    uint8_t             control;           /* PRONGHORN_CC_* of TCP; unknown over QUIC */
    unsigned            watching:1;
    unsigned            rested:1;
    unsigned            keyed:1;
    unsigned            advertised:1;      /* HTTP/3 has been offered over this connection */
    pronghorn_keys      keys;
    pronghorn_policy   *policy;
    pronghorn_decision  decision;

    ngx_event_t         look;
    autoquic_connection_t *next;           /* of the same connection, for another zone */
    autoquic_counts_t   reported;
    autoquic_quic_loss_t quic_loss;
    autoquic_watched_t  watched;
    ngx_quic_stream_t  *spares;            /* QUIC; NULL: not yet needed */
    ngx_queue_t         kept_spares;       /* those that nginx neither uses nor may use */
};

/* What is kept of a request. */
typedef struct {
    autoquic_connection_t *connection;
    pronghorn_decision     decision;
    off_t                  sent;           /* by its connection, before it */
    ngx_msec_t             began;          /* its response's first byte was ready */
    off_t                  end;            /* HTTP/2: where it ends in what its connection sends; 0: not known */
    unsigned               dry_run:1;
    unsigned               whole:1;        /* the last of its content has come */
    unsigned               composed:1;     /* of several requests' content */
    unsigned               done:1;         /* handed to the transport, or given up */
} autoquic_request_t;

typedef enum {
    AUTOQUIC_WAITING = 0,
    AUTOQUIC_ACKNOWLEDGED,
    AUTOQUIC_STOPPED,                      /* the client wants no more; watched.bytes have arrived */
    AUTOQUIC_GONE                          /* and can't be told: *why says so */
} autoquic_seen_e;

extern ngx_module_t  ngx_http_autoquic_module;

/* layout.c: NGX_OK, or NGX_ERROR with a message: whether this nginx is the one that this module was built for. */
ngx_int_t autoquic_check_layout(ngx_conf_t *cf);

/* directives.c */
extern ngx_command_t  autoquic_commands[];

/* zone.c */
ngx_shm_zone_t *autoquic_zone_add(ngx_conf_t *cf, ngx_str_t *name, size_t size);
void autoquic_zone_lock(autoquic_zone_t *zone);
void autoquic_zone_unlock(autoquic_zone_t *zone);
/* Of all zones of this configuration, which a worker of its own has taken up. */
void autoquic_begin_holdouts(ngx_cycle_t *cycle);

/* listeners.c */
ngx_int_t autoquic_init_listeners(ngx_conf_t *cf, autoquic_srv_conf_t *ascf);
ngx_int_t autoquic_find_listeners(ngx_conf_t *cf);
/* The port that an offer to this client names; 0: its server block doesn't listen by QUIC where this client would come. */
in_port_t autoquic_port_of(ngx_http_request_t *r, autoquic_loc_conf_t *conf);

/* connection.c: what is kept of the connection that a request came by, made at its first request; NULL where there is
 * nothing to keep: no TLS, no IP, no memory. */
autoquic_connection_t *autoquic_connection_of(ngx_http_request_t *r, autoquic_loc_conf_t *conf);
/* The connection of the transport: TCP's, or the parent of QUIC's streams. */
ngx_connection_t *autoquic_transport_of(ngx_http_request_t *r);
/* Sets its keys, from the address that its packets come from and that is proved to be its own. NGX_DECLINED: it has none. */
ngx_int_t autoquic_set_keys(autoquic_connection_t *a, autoquic_loc_conf_t *conf);
/* What is new since the last report to the policy, as a sample without an outcome. */
void autoquic_report(autoquic_connection_t *a, pronghorn_sample *sample);
ngx_int_t autoquic_connection_init_process(ngx_cycle_t *cycle);

/* over_tcp.c, over_quic.c */
ngx_int_t autoquic_tcp_counts(autoquic_connection_t *a, autoquic_counts_t *counts);
/* `end`: where the response ends in what the connection sends, before TLS; 0: with all that was handed on until now. */
ngx_int_t autoquic_tcp_watch(autoquic_connection_t *a, off_t end);
/* Of what the connection sends, before TLS, how much TLS was handed. */
off_t autoquic_tcp_handed_on(ngx_connection_t *c);
autoquic_seen_e autoquic_tcp_look(autoquic_connection_t *a, autoquic_discard_e *why);
uint8_t autoquic_tcp_control(ngx_connection_t *c);
ngx_int_t autoquic_quic_counts(autoquic_connection_t *a, autoquic_counts_t *counts);
ngx_int_t autoquic_quic_watch(autoquic_connection_t *a, ngx_connection_t *stream);
void autoquic_quic_unwatch(autoquic_connection_t *a);
autoquic_seen_e autoquic_quic_look(autoquic_connection_t *a, autoquic_discard_e *why);
/* The path that packets go to, by nginx's number for it, and its address. NGX_DECLINED: the client may have made it up. */
ngx_int_t autoquic_quic_path(autoquic_connection_t *a, uint64_t *number, const struct sockaddr **address);

/* over_http2.c: where a response ends in what its connection sends, before TLS; 0: not known. */
off_t autoquic_http2_end(ngx_http_request_t *r);

/* written.c: calls autoquic_sample_begin() once all of a response has been handed to the transport. */
ngx_int_t autoquic_written_init(ngx_conf_t *cf);
/* The response's first byte is ready; its headers have been handed on. */
void autoquic_response_begins(ngx_http_request_t *r, autoquic_request_t *request);
void autoquic_headers_went(ngx_http_request_t *r, autoquic_request_t *request);

/* shares.c: NGX_OK; NGX_BUSY where this worker has enough samples, NGX_DECLINED where it has enough of this key. */
ngx_int_t autoquic_take_share(pronghorn_keys keys);

/* sample.c */
void autoquic_sample_begin(ngx_http_request_t *r, autoquic_request_t *request);
void autoquic_look_handler(ngx_event_t *ev);
/* The connection ends: `readable` where its socket can still be asked. */
void autoquic_last_look(autoquic_connection_t *a, ngx_uint_t readable);

/* filter.c */
ngx_int_t autoquic_filter_init(ngx_conf_t *cf);

/* variables.c */
ngx_int_t autoquic_add_variables(ngx_conf_t *cf);

/* status.c, metrics.c */
char *autoquic_status(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
u_char *autoquic_json(u_char *p, u_char *end, autoquic_zone_t *zone, const pronghorn_snapshot *seen);
u_char *autoquic_prometheus(u_char *p, u_char *end, autoquic_zone_t *zone, const pronghorn_snapshot *seen);

#endif
