/*
 * pronghorn_policy.h - the gateway's decision core: which clients are offered HTTP/3.
 *
 * Link with libpronghorn_policy.a (cargo build --release -p pronghorn-policy --features ffi) and with
 * what Rust's standard library needs (on Linux: -lpthread -ldl -lm -lgcc_s).
 *
 * The core has no clock, no random generator, no lock and no thread. The caller holds one lock around
 * each call that takes a table, passes the time, and owns the table's memory, which may be shared by
 * processes that see it at different addresses. No function but pronghorn_policy_parse allocates.
 *
 * now_ms is milliseconds of any clock that the processes share and that rarely goes back. A step back
 * of up to a minute is taken for none; after a greater one, what was to last on a key lasts as long
 * from the new time on.
 */
#ifndef PRONGHORN_POLICY_H
#define PRONGHORN_POLICY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PRONGHORN_POLICY_ABI 7

/* A parsed policy file: immutable, on the heap. */
typedef struct pronghorn_policy pronghorn_policy;

/* The keys and all that is known of them: begins the caller's memory, which is aligned to 8 bytes. */
typedef struct pronghorn_table pronghorn_table;

/* Why something was refused: the line of the policy file (from 1; 0 where none is to blame) and a sentence. */
typedef struct {
    uint32_t line;
    char reason[240];
} pronghorn_error;

/* A client's prefix, the greater one around it, and the client itself (its address; of IPv6 its /64, or its own prefix where that is longer), as
 * keyed hashes. */
typedef struct {
    uint64_t own;
    uint64_t parent;
    uint64_t client;
} pronghorn_keys;

enum { PRONGHORN_TCP = 0, PRONGHORN_QUIC = 1 };

enum { PRONGHORN_CC_UNKNOWN = 0, PRONGHORN_CC_CUBIC = 1, PRONGHORN_CC_BBR = 2, PRONGHORN_CC_RENO = 3 };

/*
 * One response whose last byte was acknowledged, or that its connection's death left unacknowledged (stalled).
 * A sample without bytes or time is no outcome, but what it says of the network counts all the same.
 */
typedef struct {
    uint64_t bytes;            /* of the response: head and body */
    uint64_t time_us;          /* from the response's first byte being ready to the last byte's acknowledgement; stalled: to the death */
    uint64_t rate_bytes_per_s; /* delivery rate; 0: unknown, or limited by the application */
    uint64_t delivered;        /* bytes that the connection had delivered before the response began: is its window warm? */
    uint32_t min_rtt_us;       /* the smallest of the connection; 0: unknown */
    uint32_t sent;             /* packets, on the connection since its last sample */
    uint32_t lost;             /* of these, those that the sender took for lost */
    uint8_t tcp_control;       /* PRONGHORN_CC_*: what TCP connections are controlled by, whatever this sample's protocol */
    uint8_t stalled;           /* 1: the connection died with bytes of the response unacknowledged */
    uint8_t dry_run;           /* 1: it came about in a dry run, so that it counts for no arm of the holdout */
    uint8_t reserved;          /* 0 */
} pronghorn_sample;

enum { PRONGHORN_NOTHING = 0, PRONGHORN_ADVERTISE = 1, PRONGHORN_CLEAR = 2 };

enum { PRONGHORN_STEERED = 0, PRONGHORN_PINNED_H2 = 1, PRONGHORN_PINNED_H3 = 2 };

enum {
    PRONGHORN_REASON_UNDECIDED = 0,     /* neither is expected to be faster: it stays as it is */
    PRONGHORN_REASON_H3_FASTER = 1,     /* offered */
    PRONGHORN_REASON_H3_SLOWER = 2,     /* not offered */
    PRONGHORN_REASON_DWELLING = 3,      /* would change, but changed too short a time ago */
    PRONGHORN_REASON_COOLING_DOWN = 4,  /* would be offered, but was let go too short a time ago */
    PRONGHORN_REASON_UDP_BLOCKED = 5,   /* was offered, and nothing came by QUIC */
    PRONGHORN_REASON_PINNED = 6,        /* belongs to the holdout */
    PRONGHORN_REASON_DOWNGRADE_OFF = 7, /* would be let go, but none is */
    PRONGHORN_REASON_NO_TABLE = 8,      /* the memory holds no table, or one that can't be mended */
    PRONGHORN_REASON_EXPLORING = 9      /* offered: h3 isn't expected to be faster, and trying it is worth what it costs */
};

typedef struct {
    uint8_t action;     /* PRONGHORN_NOTHING: no Alt-Svc; _ADVERTISE: Alt-Svc with ma=max_age_s; _CLEAR: Alt-Svc: clear */
    uint8_t reason;     /* PRONGHORN_REASON_* */
    uint8_t arm;        /* PRONGHORN_STEERED, _PINNED_H2, _PINNED_H3 */
    uint8_t reserved;   /* 0 */
    uint32_t max_age_s; /* of the offer; 0 where there is none */
    float propensity;   /* the chance with which a key belongs to this arm, in this epoch */
    float gain;         /* expected ln(mean time with h3 / mean time with h2) of this key's responses: below 0, h3 is faster */
    float sd;           /* its standard deviation */
} pronghorn_decision;

enum { PRONGHORN_DOWNGRADE_OFF = 0, PRONGHORN_DOWNGRADE_LEASE = 1, PRONGHORN_DOWNGRADE_CLEAR = 2 };

typedef struct {
    float holdout;          /* share of keys pinned to each arm, 0 to 0.5; below 0: the file's */
    uint32_t max_age_s;     /* of an offer; 0: the file's lease_s, or its lease_most_s where h3 is expected to be faster and another look at
                               h2 isn't worth what it costs */
    uint8_t downgrade;      /* PRONGHORN_DOWNGRADE_*; PRONGHORN_CLEAR may be the answer whichever it is: over QUIC to a key pinned to h2,
                               over either protocol to one that is let go while an offer holds for longer than the file's lease_s */
    uint8_t dry_run;        /* 1: the answer says what would be done, the caller doesn't do it, and no offer is counted; what is measured
                               then is to say so itself */
    uint8_t new_connection; /* 1: nothing was advertised over this connection yet */
    uint8_t host;           /* a hash of whom the client asks for: an offer is of one host alone, and goes unanswered by those alone who
                               come to that one */
} pronghorn_ask;

/* The keys of one arm: each key's mean of ln(time / a reference for the size), one number a key and epoch. */
typedef struct {
    uint64_t keys; /* numbers: a key counts once an epoch */
    double mean;
    double sd;
} pronghorn_group;

/* One arm's times against pinned_h2's, as the ratio of geometric means over keys. NaN where a group has too few keys. */
typedef struct {
    double ratio; /* below 1: faster than with h2 alone */
    double low;   /* its 95 % interval (Welch) */
    double high;
} pronghorn_uplift;

typedef struct {
    uint64_t capacity;       /* keys and parents that fit */
    uint64_t keys;           /* held now */
    uint64_t parents;        /* held now */
    uint64_t keys_on;        /* of the keys, those that steering offers h3 */
    uint64_t keys_blocked;   /* of the keys, those of which all or some clients are taken for UDP-blocked */
    uint64_t evicted;        /* counts from here on, since the table was made */
    uint64_t mended;         /* times that links were rebuilt: a process died inside, or memory was scribbled on */
    uint64_t emptied;        /* times that this was of no use */
    uint64_t refused;        /* samples of which nothing could be believed */
    uint64_t samples[2];     /* outcomes by protocol */
    uint64_t stalls[2];      /* of these, stalled ones */
    uint64_t decisions[3];   /* by action */
    uint64_t offers;         /* over new connections, outside dry runs */
    uint64_t upgrades;       /* steering turned on */
    uint64_t downgrades;     /* steering turned off for what was measured */
    uint64_t blocks;         /* times that a key or a client of one was taken for UDP-blocked */
    uint64_t epoch;          /* number of the current one */
    pronghorn_group all[3];  /* by arm, all epochs */
    pronghorn_group now[3];  /* the current epoch alone */
    pronghorn_uplift steered_all;   /* steered against pinned_h2 */
    pronghorn_uplift steered_now;
    pronghorn_uplift pinned_h3_all; /* pinned_h3 against pinned_h2: what offering it to all would bring */
    pronghorn_uplift pinned_h3_now;
} pronghorn_snapshot;

/* The library's PRONGHORN_POLICY_ABI: compare before anything else. */
uint32_t pronghorn_policy_abi(void);

/* Reads a policy file's text (UTF-8, no end mark needed). NULL: refused, *error says why. error may be NULL. */
pronghorn_policy *pronghorn_policy_parse(const char *text, size_t length, pronghorn_error *error);
void pronghorn_policy_free(pronghorn_policy *policy);
/* Its epoch_s: all policies that are used with one table must agree on it. 0: no policy. */
uint32_t pronghorn_policy_epoch_s(const pronghorn_policy *policy);
/* For how many seconds its offers hold at most; 0: no policy. */
uint32_t pronghorn_policy_lease_most_s(const pronghorn_policy *policy);
/* The share of keys that it pins to each arm; 0: no policy. */
float pronghorn_policy_holdout(const pronghorn_policy *policy);

/* Makes an empty table of `bytes` bytes of memory. -1: too small or not aligned, *error says why. The secret keys all
 * hashes: draw it at random, once. */
int pronghorn_table_init(void *memory, size_t bytes, const uint8_t secret[16], pronghorn_error *error);
/* 0: the memory holds a table of this ABI and size, which may be used as it is (after a reload). -1: it doesn't. */
int pronghorn_table_check(const void *memory, size_t bytes);
/*
 * From now on this share of the keys, 0 to 0.5, is pinned to each arm, and nothing counts for the holdout in the next leases_s seconds: for so
 * long offers may hold that were made before it. Groups that were drawn with different chances are of different keys and times, so what counted with
 * another share counts no more, and of a key that is asked about with another share nothing does. Does nothing where the share is that already.
 */
void pronghorn_table_begin_holdout(pronghorn_table *table, float holdout, uint32_t leases_s, uint64_t now_ms);
/* Keys and parents that fit into so many bytes; 0: too few bytes for a table. */
size_t pronghorn_table_capacity(size_t bytes);

/*
 * The keys of a client: 4 bytes of IPv4 or 16 of IPv6, in network order. An IPv4-mapped address counts as IPv4.
 * own_bits and parent_bits are of the family that the address counts as; 0, or more than it has: /24 in /16, or /56 in /40.
 */
pronghorn_keys pronghorn_keys_of(const pronghorn_table *table, const uint8_t *address, size_t length, uint8_t own_bits,
                                 uint8_t parent_bits);

/* Takes a sample of a key in. Does nothing where the memory holds no table. */
void pronghorn_observe(const pronghorn_policy *policy, pronghorn_table *table, pronghorn_keys keys, uint8_t protocol,
                       const pronghorn_sample *sample, uint64_t now_ms);

/* What to say to a client that asks by `protocol`. Never fails: where the memory holds no table, nothing is to be said. */
pronghorn_decision pronghorn_decide(const pronghorn_policy *policy, pronghorn_table *table, pronghorn_keys keys,
                                    uint8_t protocol, const pronghorn_ask *ask, uint64_t now_ms);

/* Counters, gauges and the holdout's estimate. All 0 where the memory holds no table. */
void pronghorn_snapshot_of(const pronghorn_policy *policy, const pronghorn_table *table, uint64_t now_ms,
                           pronghorn_snapshot *snapshot);

/* Short names for logs and labels (static; "unknown" for others): "h3_faster", "pinned_h2", "advertise". */
const char *pronghorn_reason_name(uint8_t reason);
const char *pronghorn_arm_name(uint8_t arm);
const char *pronghorn_action_name(uint8_t action);

#ifdef __cplusplus
}
#endif

#endif
