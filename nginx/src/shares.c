/*
 * How many responses a worker watches: at most some a second of each key, so that no client speaks for all, and of what is
 * left a share that is drawn at random, so that each response has the same chance, whenever in a second it comes.
 */
#include "autoquic.h"

#define MOST_A_SECOND      50       /* of a worker */
#define MOST_OF_A_KEY      5        /* a second */
#define RECENT_KEYS        1024     /* a power of 2; each place remembers the last key that fell to it */
#define CERTAIN            65536    /* odds of which every response is taken */

typedef struct {
    uint64_t    key;
    ngx_msec_t  since;
    ngx_uint_t  taken;
} recent_t;

static ngx_uint_t key_has_enough(uint64_t key);
static ngx_uint_t is_drawn(void);


ngx_int_t
autoquic_take_share(pronghorn_keys keys)
{
    if (key_has_enough(keys.own)) {
        return NGX_DECLINED;
    }

    return is_drawn() ? NGX_OK : NGX_BUSY;
}


static ngx_uint_t
key_has_enough(uint64_t key)
{
    recent_t  *place;

    static recent_t  recent[RECENT_KEYS];

    /* Keys are keyed hashes: nobody chooses which of them share a place. */
    place = &recent[key & (RECENT_KEYS - 1)];

    if (place->key != key || ngx_current_msec - place->since >= 1000) {
        place->key = key;
        place->since = ngx_current_msec;
        place->taken = 0;
    }

    return ++place->taken > MOST_OF_A_KEY;
}


/* The odds are those that would have been right for the second before. */
static ngx_uint_t
is_drawn(void)
{
    ngx_msec_t  passed;

    static ngx_msec_t  second;
    static ngx_uint_t  asked, taken, odds = CERTAIN;

    passed = ngx_current_msec - second;

    if (passed >= 1000) {
        odds = asked ? ngx_min(CERTAIN * (MOST_A_SECOND * passed / 1000) / asked, CERTAIN) : CERTAIN;
        second = ngx_current_msec;
        asked = 0;
        taken = 0;
    }

    asked++;

    if (taken >= 2 * MOST_A_SECOND || ((ngx_uint_t) ngx_random() & (CERTAIN - 1)) >= odds) {
        return 0;
    }

    taken++;

    return 1;
}
