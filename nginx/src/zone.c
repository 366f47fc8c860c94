/*
 * The zone of shared memory in which crates/policy keeps its table, for all workers and across reloads.
 *
 * One block, given out once: the table's bound is the zone's size. The slab pool's mutex guards it, which nginx's master
 * opens where a worker died with it closed; crates/policy notes of itself that a call was not ended, and mends.
 */
#include "autoquic.h"

#include <sys/random.h>

static ngx_int_t init_zone(ngx_shm_zone_t *shm_zone, void *data);
static ngx_int_t keep_table(ngx_shm_zone_t *shm_zone, autoquic_zone_t *zone);
static ngx_int_t make_table(ngx_shm_zone_t *shm_zone, autoquic_zone_t *zone);


/* The zone of this name, made at its first mention. NULL, with a message, where it has another size or owner. */
ngx_shm_zone_t *
autoquic_zone_add(ngx_conf_t *cf, ngx_str_t *name, size_t size)
{
    ngx_shm_zone_t   *shm_zone;
    autoquic_zone_t  *zone;

    shm_zone = ngx_shared_memory_add(cf, name, size, &ngx_http_autoquic_module);
    if (shm_zone == NULL || shm_zone->data != NULL) {
        return shm_zone;
    }

    zone = ngx_pcalloc(cf->pool, sizeof(autoquic_zone_t));
    if (zone == NULL) {
        return NULL;
    }

    zone->name = *name;
    shm_zone->init = init_zone;
    shm_zone->data = zone;

    return shm_zone;
}


void
autoquic_zone_lock(autoquic_zone_t *zone)
{
    ngx_shmtx_lock(&zone->pool->mutex);
}


void
autoquic_zone_unlock(autoquic_zone_t *zone)
{
    ngx_shmtx_unlock(&zone->pool->mutex);
}


/* Not before a worker runs by the configuration: until then it may still be refused. */
void
autoquic_begin_holdouts(ngx_cycle_t *cycle)
{
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_shm_zone_t   *shm_zone;
    autoquic_zone_t  *zone;

    part = &cycle->shared_memory.part;
    shm_zone = part->elts;

    for (i = 0; /* void */ ; i++) {

        if (i >= part->nelts) {
            if (part->next == NULL) {
                return;
            }
            part = part->next;
            shm_zone = part->elts;
            i = 0;
        }

        if (shm_zone[i].tag != &ngx_http_autoquic_module) {
            continue;
        }

        zone = shm_zone[i].data;
        if (zone->epoch_s == 0) {
            continue;
        }

        autoquic_zone_lock(zone);
        pronghorn_table_begin_holdout(zone->shared->table, zone->holdout, zone->leases_s, ngx_current_msec);
        autoquic_zone_unlock(zone);
    }
}


/* `data`: the zone as the configuration before this one knew it, where its memory is the same. */
static ngx_int_t
init_zone(ngx_shm_zone_t *shm_zone, void *data)
{
    autoquic_zone_t  *zone = shm_zone->data;

    zone->pool = (ngx_slab_pool_t *) shm_zone->shm.addr;

    if (data != NULL || shm_zone->shm.exists) {
        return keep_table(shm_zone, zone);
    }

    return make_table(shm_zone, zone);
}


static ngx_int_t
keep_table(ngx_shm_zone_t *shm_zone, autoquic_zone_t *zone)
{
    zone->shared = zone->pool->data;

    if (zone->shared->layout == AUTOQUIC_LAYOUT
        && pronghorn_table_check(zone->shared->table, zone->shared->table_bytes) == 0)
    {
        return NGX_OK;
    }

    ngx_log_error(NGX_LOG_EMERG, shm_zone->shm.log, 0,
                  "zone \"%V\" holds what another version of this module left: give it another name, or restart nginx",
                  &zone->name);

    return NGX_ERROR;
}


static ngx_int_t
make_table(ngx_shm_zone_t *shm_zone, autoquic_zone_t *zone)
{
    uint8_t             secret[16];
    pronghorn_error     error;
    autoquic_shared_t  *shared;

    shared = ngx_slab_calloc(zone->pool, sizeof(autoquic_shared_t));
    if (shared == NULL) {
        return NGX_ERROR;
    }

    shared->layout = AUTOQUIC_LAYOUT;
    shared->table_bytes = zone->pool->pfree * ngx_pagesize;
    shared->table = ngx_slab_alloc(zone->pool, shared->table_bytes);

    if (shared->table == NULL) {
        ngx_log_error(NGX_LOG_EMERG, shm_zone->shm.log, 0, "zone \"%V\" can't be given out in one piece", &zone->name);
        return NGX_ERROR;
    }

    if (getrandom(secret, sizeof(secret), 0) != (ssize_t) sizeof(secret)) {
        ngx_log_error(NGX_LOG_EMERG, shm_zone->shm.log, ngx_errno, "getrandom() failed");
        return NGX_ERROR;
    }

    if (pronghorn_table_init(shared->table, shared->table_bytes, secret, &error) != 0) {
        ngx_log_error(NGX_LOG_EMERG, shm_zone->shm.log, 0, "zone \"%V\": %s", &zone->name, error.reason);
        return NGX_ERROR;
    }

    ngx_explicit_memzero(secret, sizeof(secret));

    zone->shared = shared;
    zone->pool->data = shared;

    return NGX_OK;
}
