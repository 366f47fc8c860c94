/*
 * What the files of ngx_http_autoquic_module share.
 *
 * The way of a request: filter.c asks crates/policy what to say of HTTP/3 and sets Alt-Svc; sample.c, when the response
 * has been written, waits for the acknowledgement of its last byte, which over_tcp.c and over_quic.c can tell, and hands
 * crates/policy the time. Everything known of clients stands in a zone of shared memory (zone.c). A fault of this
 * module's own never fails a request: without memory or an answer, the response goes out as if the module were off.
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

/* Why a response that was being watched is no sample. Kept in step with autoquic_discards in metrics.c. */
typedef enum {
    AUTOQUIC_DISCARD_CLOSED = 0,   /* its connection ended first */
    AUTOQUIC_DISCARD_RESET,        /* the client didn't want the rest */
    AUTOQUIC_DISCARD_OVERTAKEN,    /* nginx used the stream's memory again before it was looked at */
    AUTOQUIC_DISCARD_UNREADABLE,   /* the kernel doesn't tell */
    AUTOQUIC_DISCARD_ENDLESS,      /* still going on after two minutes */
    AUTOQUIC_DISCARD_CROWDED,      /* not watched: this worker's share of samples was used up */
    AUTOQUIC_DISCARDS
} autoquic_discard_e;

/* In shared memory, before the table. Arrays of two: by protocol, PRONGHORN_TCP and PRONGHORN_QUIC. */
typedef struct {
    ngx_atomic_t        watched[2];
    ngx_atomic_t        acknowledged[2];
    ngx_atomic_t        stalled[2];
    ngx_atomic_t        discarded[AUTOQUIC_DISCARDS];
    ngx_atomic_t        looks;         /* at connections, for an acknowledgement */
    size_t              table_bytes;
    pronghorn_table    *table;
} autoquic_shared_t;

/* A zone as a configuration knows it: shm_zone->data. */
typedef struct {
    ngx_str_t           name;
    ngx_slab_pool_t    *pool;          /* its mutex guards the table */
    autoquic_shared_t  *shared;
} autoquic_zone_t;

typedef struct {
    ngx_array_t         quic_ports;        /* in_port_t: where HTTP/3 is listened for */
    ngx_uint_t          enabled;           /* somewhere autoquic is on */
} autoquic_main_conf_t;

typedef struct {
    ngx_flag_t          enable;
    ngx_flag_t          dry_run;
    ngx_uint_t          downgrade;         /* PRONGHORN_DOWNGRADE_* */
    time_t              max_age;           /* seconds; 0: the policy's */
    ngx_int_t           holdout;           /* millionths of the keys, to each arm; -1 and unset: the policy's */
    ngx_int_t           port;              /* 0: that of the server's QUIC socket */
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
    size_t              mtud;
    void               *path;
    unsigned            begun:1;
} autoquic_quic_loss_t;

/* The response of a connection that is being watched. */
typedef struct {
    uint64_t            bytes;
    ngx_msec_t          began;             /* the request, on ngx_current_msec's clock */
    ngx_msec_t          written;           /* the response */
    uint64_t            target;            /* TCP: bytes to be acknowledged; 0: not yet known */
    ngx_quic_stream_t  *stream;            /* QUIC; in the pool of the connection */
    uint64_t            stream_id;
    uint64_t            progress;          /* whatever grows with acknowledgements */
    ngx_msec_t          progressed;        /* when it last did */
} autoquic_watched_t;

/* What is kept of a client's connection, in its own pool. */
typedef struct autoquic_connection_s  autoquic_connection_t;

struct autoquic_connection_s {
    ngx_event_t         look;              /* first: the timer's handler finds the rest by it */
    autoquic_connection_t *next;           /* of the same connection, for another zone */
    ngx_connection_t   *connection;        /* the transport's: TCP's, or the parent of QUIC's streams */
    autoquic_zone_t    *zone;
    pronghorn_policy   *policy;
    pronghorn_keys      keys;
    uint8_t             protocol;          /* PRONGHORN_TCP or _QUIC */
    uint8_t             control;           /* PRONGHORN_CC_* of TCP; unknown over QUIC */

    autoquic_loc_conf_t *decided_by;       /* NULL: not yet */
    ngx_msec_t          decided;
    pronghorn_decision  decision;

    autoquic_counts_t   reported;
    autoquic_quic_loss_t quic_loss;
    ngx_msec_t          last_watched;
    autoquic_watched_t  watched;
    unsigned            watching:1;
    unsigned            watched_before:1;
    unsigned            keyed:1;
    unsigned            spared:1;
};

/* What is kept of a request. */
typedef struct {
    autoquic_connection_t *connection;
    pronghorn_decision     decision;
} autoquic_request_t;

typedef enum {
    AUTOQUIC_WAITING = 0,
    AUTOQUIC_ACKNOWLEDGED,
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

/* connection.c: what is kept of the connection that a request came by, made at its first request; NULL where there is
 * nothing to keep: no TLS, no IP, no memory. */
autoquic_connection_t *autoquic_connection_of(ngx_http_request_t *r, autoquic_loc_conf_t *conf);
/* Sets its keys, from the address that its packets come from. NGX_DECLINED: it has none. */
ngx_int_t autoquic_set_keys(autoquic_connection_t *a, autoquic_loc_conf_t *conf);
/* What is new since the last report to the policy, as a sample without an outcome. */
void autoquic_report(autoquic_connection_t *a, pronghorn_sample *sample);
ngx_int_t autoquic_connection_init_process(ngx_cycle_t *cycle);

/* over_tcp.c, over_quic.c */
ngx_int_t autoquic_tcp_counts(autoquic_connection_t *a, autoquic_counts_t *counts);
ngx_int_t autoquic_tcp_watch(autoquic_connection_t *a);
autoquic_seen_e autoquic_tcp_look(autoquic_connection_t *a, autoquic_discard_e *why);
uint8_t autoquic_tcp_control(ngx_connection_t *c);
ngx_int_t autoquic_quic_counts(autoquic_connection_t *a, autoquic_counts_t *counts);
ngx_int_t autoquic_quic_watch(autoquic_connection_t *a, ngx_connection_t *stream);
autoquic_seen_e autoquic_quic_look(autoquic_connection_t *a, autoquic_discard_e *why);

/* sample.c */
ngx_int_t autoquic_log_handler(ngx_http_request_t *r);
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
