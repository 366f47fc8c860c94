/*
 * replay POLICY SCRIPT: runs a golden script through the C ABI and prints it with the answers that come out.
 * replay layout: prints sizes and offsets of the header's structures.
 */
#include <arpa/inet.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pronghorn_policy.h"

#define SIZE(name) printf(#name " %zu\n", sizeof(pronghorn_##name))
#define FIELD(name, field) printf("  " #field " %zu\n", offsetof(pronghorn_##name, field))

static void fail(const char *what, const char *line) {
    fprintf(stderr, "replay: %s: %s\n", what, line);
    exit(1);
}

static void layout(void) {
    SIZE(error), FIELD(error, line), FIELD(error, reason);
    SIZE(keys), FIELD(keys, own), FIELD(keys, parent), FIELD(keys, client);
    SIZE(sample), FIELD(sample, bytes), FIELD(sample, time_us), FIELD(sample, rate_bytes_per_s);
    FIELD(sample, delivered), FIELD(sample, min_rtt_us), FIELD(sample, sent), FIELD(sample, lost), FIELD(sample, tcp_control);
    FIELD(sample, stalled), FIELD(sample, dry_run), FIELD(sample, reserved);
    SIZE(decision), FIELD(decision, action), FIELD(decision, reason), FIELD(decision, arm);
    FIELD(decision, reserved), FIELD(decision, max_age_s), FIELD(decision, propensity), FIELD(decision, gain);
    FIELD(decision, sd);
    SIZE(ask), FIELD(ask, holdout), FIELD(ask, max_age_s), FIELD(ask, downgrade), FIELD(ask, dry_run);
    FIELD(ask, new_connection), FIELD(ask, host);
    SIZE(group), FIELD(group, keys), FIELD(group, mean), FIELD(group, sd);
    SIZE(uplift), FIELD(uplift, ratio), FIELD(uplift, low), FIELD(uplift, high);
    SIZE(snapshot), FIELD(snapshot, capacity), FIELD(snapshot, keys), FIELD(snapshot, parents);
    FIELD(snapshot, keys_on), FIELD(snapshot, keys_blocked), FIELD(snapshot, evicted), FIELD(snapshot, mended);
    FIELD(snapshot, emptied), FIELD(snapshot, refused), FIELD(snapshot, samples), FIELD(snapshot, stalls);
    FIELD(snapshot, decisions), FIELD(snapshot, offers), FIELD(snapshot, upgrades), FIELD(snapshot, downgrades);
    FIELD(snapshot, blocks), FIELD(snapshot, epoch), FIELD(snapshot, all), FIELD(snapshot, now);
    FIELD(snapshot, steered_all), FIELD(snapshot, steered_now), FIELD(snapshot, pinned_h3_all);
    FIELD(snapshot, pinned_h3_now);
}

static char *whole(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    char *text = malloc(1 << 20);
    if (file == NULL || text == NULL) {
        fail("can't read", path);
    }
    *length = fread(text, 1, (1 << 20) - 1, file);
    text[*length] = '\0';
    fclose(file);
    return text;
}

static pronghorn_keys keys_of(const pronghorn_table *table, const char *address, unsigned own, unsigned parent) {
    uint8_t bytes[16];
    if (inet_pton(AF_INET, address, bytes) == 1) {
        return pronghorn_keys_of(table, bytes, 4, (uint8_t)own, (uint8_t)parent);
    }
    if (inet_pton(AF_INET6, address, bytes) == 1) {
        return pronghorn_keys_of(table, bytes, 16, (uint8_t)own, (uint8_t)parent);
    }
    fail("no address", address);
    return (pronghorn_keys){0, 0, 0};
}

static uint8_t protocol_of(const char *name) {
    return strcmp(name, "quic") == 0 ? PRONGHORN_QUIC : PRONGHORN_TCP;
}

static uint8_t one_of(const char *name, const char *const names[], unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            return (uint8_t)i;
        }
    }
    fail("no such name", name);
    return 0;
}

static void number(const char *name, double value) {
    if (isnan(value)) {
        printf(" %s=-", name);
    } else {
        printf(" %s=%.6f", name, value);
    }
}

static void tell_snapshot(const pronghorn_policy *policy, const pronghorn_table *table, uint64_t now_ms) {
    pronghorn_snapshot s;
    memset(&s, 0xff, sizeof s);
    pronghorn_snapshot_of(policy, table, now_ms, &s);
    printf("-> keys=%llu parents=%llu on=%llu blocked=%llu evicted=%llu refused=%llu samples=%llu,%llu stalls=%llu,%llu "
           "decisions=%llu,%llu,%llu offers=%llu upgrades=%llu downgrades=%llu blocks=%llu epoch=%llu\n",
           (unsigned long long)s.keys, (unsigned long long)s.parents, (unsigned long long)s.keys_on,
           (unsigned long long)s.keys_blocked, (unsigned long long)s.evicted, (unsigned long long)s.refused,
           (unsigned long long)s.samples[0], (unsigned long long)s.samples[1], (unsigned long long)s.stalls[0],
           (unsigned long long)s.stalls[1], (unsigned long long)s.decisions[0], (unsigned long long)s.decisions[1],
           (unsigned long long)s.decisions[2], (unsigned long long)s.offers, (unsigned long long)s.upgrades,
           (unsigned long long)s.downgrades, (unsigned long long)s.blocks, (unsigned long long)s.epoch);
    for (uint8_t arm = 0; arm < 3; arm++) {
        printf("-> %s keys=%llu", pronghorn_arm_name(arm), (unsigned long long)s.now[arm].keys);
        number("mean", s.now[arm].mean);
        number("sd", s.now[arm].sd);
        printf("\n");
    }
    printf("-> uplift");
    number("ratio", s.steered_now.ratio);
    number("low", s.steered_now.low);
    number("high", s.steered_now.high);
    printf("\n");
}

static void tell_decision(pronghorn_decision d) {
    printf("-> %s %s %s max_age=%u propensity=%.6f gain=%.6f sd=%.6f\n", pronghorn_action_name(d.action),
           pronghorn_reason_name(d.reason), pronghorn_arm_name(d.arm), d.max_age_s, (double)d.propensity, (double)d.gain,
           (double)d.sd);
}

int main(int count, char **arguments) {
    static const char *const controls[] = {"unknown", "cubic", "bbr", "reno"};
    static const char *const modes[] = {"off", "lease", "clear"};
    if (count == 2 && strcmp(arguments[1], "layout") == 0) {
        layout();
        return 0;
    }
    if (count != 3 || pronghorn_policy_abi() != PRONGHORN_POLICY_ABI) {
        fail("replay POLICY SCRIPT, with a library of this ABI", "");
    }
    size_t length;
    char *text = whole(arguments[1], &length);
    pronghorn_error error;
    pronghorn_policy *policy = pronghorn_policy_parse(text, length, &error);
    if (policy == NULL) {
        fail(error.reason, arguments[1]);
    }
    free(text);

    const size_t bytes = 1 << 18;
    const uint8_t secret[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    void *memory = malloc(bytes);
    if (memory == NULL || pronghorn_table_init(memory, bytes, secret, &error) != 0 ||
        pronghorn_table_check(memory, bytes) != 0 || pronghorn_table_check(memory, bytes / 2) == 0) {
        fail("no table", error.reason);
    }
    pronghorn_table *table = memory;

    char *script = whole(arguments[2], &length);
    uint64_t now_ms = 0;
    for (char *line = strtok(script, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char address[64], protocol[8], name[16];
        unsigned a, b, c, d, e;
        unsigned long long x, y, z;
        float holdout;
        if (strncmp(line, "-> ", 3) == 0) {
            continue;
        }
        printf("%s\n", line);
        if (line[0] == '#') {
            continue;
        } else if (sscanf(line, "at %llu", &x) == 1) {
            now_ms = x;
        } else if (sscanf(line, "after %llu", &x) == 1) {
            now_ms += x;
        } else if (sscanf(line, "keys %63s %u %u", address, &a, &b) == 3) {
            pronghorn_keys keys = keys_of(table, address, a, b);
            printf("-> %016llx %016llx %016llx\n", (unsigned long long)keys.own, (unsigned long long)keys.parent,
                   (unsigned long long)keys.client);
        } else if (sscanf(line, "observe %63s %7s bytes=%llu time_us=%llu rtt_us=%u sent=%u lost=%u rate=%llu cc=%15[a-z] stalled=%u",
                          address, protocol, &x, &y, &a, &b, &c, &z, name, &d) == 10) {
            const char *delivered = strstr(line, " delivered=");
            uint64_t before = delivered == NULL ? 0 : strtoull(delivered + strlen(" delivered="), NULL, 10);
            pronghorn_sample sample = {x, y, z, before, a, b, c, one_of(name, controls, 4), (uint8_t)d, 0, 0};
            pronghorn_observe(policy, table, keys_of(table, address, 0, 0), protocol_of(protocol), &sample, now_ms);
        } else if (sscanf(line, "decide %63s %7s holdout=%f max_age=%u downgrade=%15[a-z] dry_run=%u new=%u", address, protocol,
                          &holdout, &a, name, &d, &e) == 7) {
            pronghorn_ask ask = {holdout, a, one_of(name, modes, 3), (uint8_t)d, (uint8_t)e, 0};
            tell_decision(pronghorn_decide(policy, table, keys_of(table, address, 0, 0), protocol_of(protocol), &ask, now_ms));
        } else if (strcmp(line, "snapshot") == 0) {
            tell_snapshot(policy, table, now_ms);
        } else {
            fail("what is this", line);
        }
    }
    free(script);
    free(memory);
    pronghorn_policy_free(policy);
    return 0;
}
