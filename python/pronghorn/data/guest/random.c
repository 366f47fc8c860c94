/* The random numbers that a guest's kernel takes from the machine, by a seed: SplitMix64 (Steele, Lea and Flood 2014).
 *
 * Put before the C library of User Mode Linux by LD_PRELOAD; everything random in the guest follows from these. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static uint64_t state;
static int begun;

static uint64_t next(void)
{
    if (!begun) {
        const char *seed = getenv("PRONGHORN_GUEST_SEED");
        state = seed ? strtoull(seed, 0, 10) : 0;
        begun = 1;
    }
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

ssize_t getrandom(void *to, size_t size, unsigned int flags)
{
    unsigned char *at = to;
    (void)flags;
    for (size_t left = size; left > 0;) {
        uint64_t value = next();
        size_t taken = left < sizeof value ? left : sizeof value;
        memcpy(at, &value, taken);
        at += taken;
        left -= taken;
    }
    return (ssize_t)size;
}
