/* What the status page says, in either of its forms. All counts are since the zone was made. */
#include "autoquic.h"

#include <math.h>
#include <stdarg.h>

typedef struct {
    u_char  *p;          /* NULL: there was no more room */
    u_char  *end;
} page_t;

static void put(page_t *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_json_number(page_t *page, const char *name, double value);
static void put_json_group(page_t *page, const char *name, const pronghorn_group *group);
static void put_json_uplift(page_t *page, const char *name, const pronghorn_uplift *uplift);
static void put_json_estimate(page_t *page, const char *name, const pronghorn_group groups[3],
    const pronghorn_uplift *steered, const pronghorn_uplift *pinned);
static void put_metric(page_t *page, const char *name, const char *type, const char *help);
static void put_value(page_t *page, const autoquic_zone_t *zone, const char *name, const char *labels, double value);
static void put_uplift(page_t *page, const autoquic_zone_t *zone, const char *arm, const pronghorn_uplift *uplift);

static const char *const autoquic_discards[AUTOQUIC_DISCARDS] = {
    "closed", "reset", "overtaken", "unreadable", "endless", "waited", "unread", "moved", "crowded", "frequent"
};

static const char *const protocols[2] = { "tcp", "quic" };

/* Single numbers of a snapshot; {name, help, type} and where it stands. */
static const struct {
    const char  *name;
    const char  *type;
    const char  *help;
    size_t       at;
} numbers[] = {
    { "capacity", "gauge", "Keys and parents that fit", offsetof(pronghorn_snapshot, capacity) },
    { "keys", "gauge", "Clients' prefixes known", offsetof(pronghorn_snapshot, keys) },
    { "parents", "gauge", "Greater prefixes around them", offsetof(pronghorn_snapshot, parents) },
    { "keys_on", "gauge", "Keys that steering offers HTTP/3", offsetof(pronghorn_snapshot, keys_on) },
    { "keys_blocked", "gauge", "Keys taken for UDP-blocked", offsetof(pronghorn_snapshot, keys_blocked) },
    { "evicted", "counter", "Keys that made room for others", offsetof(pronghorn_snapshot, evicted) },
    { "mended", "counter", "Times that the table's links were rebuilt", offsetof(pronghorn_snapshot, mended) },
    { "emptied", "counter", "Times that the table was emptied, since it couldn't be mended",
      offsetof(pronghorn_snapshot, emptied) },
    { "refused", "counter", "Samples of which nothing could be believed", offsetof(pronghorn_snapshot, refused) },
    { "offers", "counter", "Offers over new connections", offsetof(pronghorn_snapshot, offers) },
    { "upgrades", "counter", "Keys turned on", offsetof(pronghorn_snapshot, upgrades) },
    { "downgrades", "counter", "Keys turned off for what was measured", offsetof(pronghorn_snapshot, downgrades) },
    { "blocks", "counter", "Keys turned off since no QUIC arrived", offsetof(pronghorn_snapshot, blocks) },
    { "epoch", "gauge", "Number of the current epoch of the holdout", offsetof(pronghorn_snapshot, epoch) },
};

#define NUMBERS  (sizeof(numbers) / sizeof(numbers[0]))


static double
number_at(const pronghorn_snapshot *seen, ngx_uint_t i)
{
    uint64_t  value;

    ngx_memcpy(&value, (const u_char *) seen + numbers[i].at, sizeof(uint64_t));

    return (double) value;
}


/* One JSON object; NULL where it has no room. */
u_char *
autoquic_json(u_char *p, u_char *end, autoquic_zone_t *zone, const pronghorn_snapshot *seen)
{
    page_t              page = { p, end };
    ngx_uint_t          i;
    autoquic_shared_t  *shared = zone->shared;

    put(&page, "{\"zone\": \"%.*s\"", (int) zone->name.len, (char *) zone->name.data);

    for (i = 0; i < NUMBERS; i++) {
        put(&page, ", \"%s\": %.0f", numbers[i].name, number_at(seen, i));
    }

    put(&page, ", \"decisions\": {");
    for (i = 0; i < 3; i++) {
        put(&page, "%s\"%s\": %llu", i ? ", " : "", pronghorn_action_name((uint8_t) i),
            (unsigned long long) seen->decisions[i]);
    }

    put(&page, "}, \"samples\": {");
    for (i = 0; i < 2; i++) {
        put(&page, "%s\"%s\": {\"watched\": %lu, \"acknowledged\": %lu, \"stalled\": %lu, \"stopped\": %lu",
            i ? ", " : "", protocols[i], shared->watched[i], shared->acknowledged[i], shared->stalled[i], shared->stopped[i]);
        put(&page, ", \"bytes\": %lu, \"seconds\": %.3f}", shared->bytes[i], (double) shared->ms[i] / 1000);
    }

    put(&page, "}, \"discarded\": {");
    for (i = 0; i < AUTOQUIC_DISCARDS; i++) {
        put(&page, "%s\"%s\": %lu", i ? ", " : "", autoquic_discards[i], shared->discarded[i]);
    }

    put(&page, "}, \"looks\": %lu, \"holdout\": {", shared->looks);
    put_json_estimate(&page, "all", seen->all, &seen->steered_all, &seen->pinned_h3_all);
    put(&page, ", ");
    put_json_estimate(&page, "epoch", seen->now, &seen->steered_now, &seen->pinned_h3_now);
    put(&page, "}}\n");

    return page.p;
}


static void
put_json_estimate(page_t *page, const char *name, const pronghorn_group groups[3], const pronghorn_uplift *steered,
    const pronghorn_uplift *pinned)
{
    ngx_uint_t  i;

    put(page, "\"%s\": {", name);

    for (i = 0; i < 3; i++) {
        put_json_group(page, pronghorn_arm_name((uint8_t) i), &groups[i]);
        put(page, ", ");
    }

    put_json_uplift(page, "steered_against_pinned_h2", steered);
    put(page, ", ");
    put_json_uplift(page, "pinned_h3_against_pinned_h2", pinned);
    put(page, "}");
}


static void
put_json_group(page_t *page, const char *name, const pronghorn_group *group)
{
    put(page, "\"%s\": {\"keys\": %llu, ", name, (unsigned long long) group->keys);
    put_json_number(page, "mean", group->mean);
    put(page, ", ");
    put_json_number(page, "sd", group->sd);
    put(page, "}");
}


static void
put_json_uplift(page_t *page, const char *name, const pronghorn_uplift *uplift)
{
    put(page, "\"%s\": {", name);
    put_json_number(page, "ratio", uplift->ratio);
    put(page, ", ");
    put_json_number(page, "low", uplift->low);
    put(page, ", ");
    put_json_number(page, "high", uplift->high);
    put(page, "}");
}


static void
put_json_number(page_t *page, const char *name, double value)
{
    if (isfinite(value)) {
        put(page, "\"%s\": %.5f", name, value);
    } else {
        put(page, "\"%s\": null", name);
    }
}


/* Prometheus' text format 0.0.4; NULL where it has no room. */
u_char *
autoquic_prometheus(u_char *p, u_char *end, autoquic_zone_t *zone, const pronghorn_snapshot *seen)
{
    page_t              page = { p, end };
    char                name[48], labels[64];
    ngx_uint_t          i;
    autoquic_shared_t  *shared = zone->shared;

    for (i = 0; i < NUMBERS; i++) {
        (void) snprintf(name, sizeof(name), "autoquic_%s%s", numbers[i].name,
                        numbers[i].type[0] == 'c' ? "_total" : "");
        put_metric(&page, name, numbers[i].type, numbers[i].help);
        put_value(&page, zone, name, "", number_at(seen, i));
    }

    put_metric(&page, "autoquic_decisions_total", "counter", "Decisions by what was said");
    for (i = 0; i < 3; i++) {
        (void) snprintf(labels, sizeof(labels), ",action=\"%s\"", pronghorn_action_name((uint8_t) i));
        put_value(&page, zone, "autoquic_decisions_total", labels, (double) seen->decisions[i]);
    }

    put_metric(&page, "autoquic_samples_total", "counter", "Responses watched to the acknowledgement of their last byte");
    for (i = 0; i < 2; i++) {
        (void) snprintf(labels, sizeof(labels), ",protocol=\"%s\",end=\"acknowledged\"", protocols[i]);
        put_value(&page, zone, "autoquic_samples_total", labels, (double) shared->acknowledged[i]);
        (void) snprintf(labels, sizeof(labels), ",protocol=\"%s\",end=\"stalled\"", protocols[i]);
        put_value(&page, zone, "autoquic_samples_total", labels, (double) shared->stalled[i]);
        (void) snprintf(labels, sizeof(labels), ",protocol=\"%s\",end=\"stopped\"", protocols[i]);
        put_value(&page, zone, "autoquic_samples_total", labels, (double) shared->stopped[i]);
    }

    put_metric(&page, "autoquic_sample_bytes_total", "counter", "Bytes of acknowledged responses");
    for (i = 0; i < 2; i++) {
        (void) snprintf(labels, sizeof(labels), ",protocol=\"%s\"", protocols[i]);
        put_value(&page, zone, "autoquic_sample_bytes_total", labels, (double) shared->bytes[i]);
    }

    put_metric(&page, "autoquic_sample_seconds_total", "counter", "Seconds that acknowledged responses took");
    for (i = 0; i < 2; i++) {
        (void) snprintf(labels, sizeof(labels), ",protocol=\"%s\"", protocols[i]);
        put_value(&page, zone, "autoquic_sample_seconds_total", labels, (double) shared->ms[i] / 1000);
    }

    put_metric(&page, "autoquic_discarded_total", "counter", "Responses that are no samples, by reason");
    for (i = 0; i < AUTOQUIC_DISCARDS; i++) {
        (void) snprintf(labels, sizeof(labels), ",reason=\"%s\"", autoquic_discards[i]);
        put_value(&page, zone, "autoquic_discarded_total", labels, (double) shared->discarded[i]);
    }

    put_metric(&page, "autoquic_looks_total", "counter", "Looks at connections for an acknowledgement");
    put_value(&page, zone, "autoquic_looks_total", "", (double) shared->looks);

    put_metric(&page, "autoquic_uplift_ratio", "gauge",
               "An arm's response times against pinned_h2's, with the bounds of the 95 % interval");
    put_uplift(&page, zone, "steered", &seen->steered_all);
    put_uplift(&page, zone, "pinned_h3", &seen->pinned_h3_all);

    return page.p;
}


static void
put_metric(page_t *page, const char *name, const char *type, const char *help)
{
    put(page, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}


static void
put_value(page_t *page, const autoquic_zone_t *zone, const char *name, const char *labels, double value)
{
    if (isnan(value)) {
        put(page, "%s{zone=\"%.*s\"%s} NaN\n", name, (int) zone->name.len, (char *) zone->name.data, labels);
    } else {
        put(page, "%s{zone=\"%.*s\"%s} %.15g\n", name, (int) zone->name.len, (char *) zone->name.data, labels, value);
    }
}


static void
put_uplift(page_t *page, const autoquic_zone_t *zone, const char *arm, const pronghorn_uplift *uplift)
{
    char        labels[64];
    ngx_uint_t  i;

    static const char *const bounds[3] = { "estimate", "low", "high" };
    const double             values[3] = { uplift->ratio, uplift->low, uplift->high };

    for (i = 0; i < 3; i++) {
        (void) snprintf(labels, sizeof(labels), ",arm=\"%s\",bound=\"%s\"", arm, bounds[i]);
        put_value(page, zone, "autoquic_uplift_ratio", labels, values[i]);
    }
}


static void
put(page_t *page, const char *format, ...)
{
    int      n;
    va_list  args;

    if (page->p == NULL) {
        return;
    }

    va_start(args, format);
    n = vsnprintf((char *) page->p, page->end - page->p, format, args);
    va_end(args);

    page->p = (n < 0 || n >= page->end - page->p) ? NULL : page->p + n;
}
