/* The module: its configurations, how they are inherited, and where it hooks into nginx. */
#include "autoquic.h"

static ngx_int_t preconfiguration(ngx_conf_t *cf);
static ngx_int_t postconfiguration(ngx_conf_t *cf);
static void *create_srv_conf(ngx_conf_t *cf);
static void *create_loc_conf(ngx_conf_t *cf);
static char *merge_loc_conf(ngx_conf_t *cf, void *parent, void *child);
static char *check_enabled(ngx_conf_t *cf, autoquic_loc_conf_t *conf);

static ngx_http_module_t  autoquic_module_ctx = {
    preconfiguration,
    postconfiguration,
    NULL,                              /* create main configuration */
    NULL,                              /* init main configuration */
    create_srv_conf,
    NULL,                              /* merge server configuration */
    create_loc_conf,
    merge_loc_conf
};

ngx_module_t  ngx_http_autoquic_module = {
    NGX_MODULE_V1,
    &autoquic_module_ctx,
    autoquic_commands,
    NGX_HTTP_MODULE,
    NULL,                              /* init master */
    NULL,                              /* init module */
    autoquic_connection_init_process,
    NULL,                              /* init thread */
    NULL,                              /* exit thread */
    NULL,                              /* exit process */
    NULL,                              /* exit master */
    NGX_MODULE_V1_PADDING
};


static ngx_int_t
preconfiguration(ngx_conf_t *cf)
{
    if (autoquic_check_layout(cf) != NGX_OK) {
        return NGX_ERROR;
    }

    return autoquic_add_variables(cf);
}


static void *
create_srv_conf(ngx_conf_t *cf)
{
    autoquic_srv_conf_t  *ascf;

    ascf = ngx_pcalloc(cf->pool, sizeof(autoquic_srv_conf_t));
    if (ascf == NULL) {
        return NULL;
    }

    if (autoquic_init_listeners(cf, ascf) != NGX_OK) {
        return NULL;
    }

    return ascf;
}


static void *
create_loc_conf(ngx_conf_t *cf)
{
    autoquic_loc_conf_t  *alcf;

    alcf = ngx_pcalloc(cf->pool, sizeof(autoquic_loc_conf_t));
    if (alcf == NULL) {
        return NULL;
    }

    alcf->mode = NGX_CONF_UNSET_UINT;
    alcf->dry_run = NGX_CONF_UNSET;
    alcf->downgrade = NGX_CONF_UNSET_UINT;
    alcf->max_age = NGX_CONF_UNSET;
    alcf->holdout = NGX_CONF_UNSET;
    alcf->port = NGX_CONF_UNSET;
    alcf->v4_bits = NGX_CONF_UNSET_UINT;
    alcf->v6_bits = NGX_CONF_UNSET_UINT;
    alcf->zone = NGX_CONF_UNSET_PTR;
    alcf->policy = NGX_CONF_UNSET_PTR;

    return alcf;
}


static char *
merge_loc_conf(ngx_conf_t *cf, void *parent, void *child)
{
    autoquic_loc_conf_t  *prev = parent;
    autoquic_loc_conf_t  *conf = child;

    /* Who withdraws wants it back from everybody: nothing within takes an exception to that. */
    if (prev->mode == AUTOQUIC_WITHDRAW) {
        conf->mode = AUTOQUIC_WITHDRAW;
    }

    ngx_conf_merge_uint_value(conf->mode, prev->mode, AUTOQUIC_OFF);
    ngx_conf_merge_value(conf->dry_run, prev->dry_run, 0);
    ngx_conf_merge_uint_value(conf->downgrade, prev->downgrade, PRONGHORN_DOWNGRADE_LEASE);
    ngx_conf_merge_sec_value(conf->max_age, prev->max_age, 0);
    ngx_conf_merge_value(conf->holdout, prev->holdout, -1);
    ngx_conf_merge_value(conf->port, prev->port, 0);
    ngx_conf_merge_uint_value(conf->v4_bits, prev->v4_bits, AUTOQUIC_V4_BITS);
    ngx_conf_merge_uint_value(conf->v6_bits, prev->v6_bits, AUTOQUIC_V6_BITS);
    ngx_conf_merge_ptr_value(conf->zone, prev->zone, NULL);
    ngx_conf_merge_ptr_value(conf->policy, prev->policy, NULL);

    return conf->mode == AUTOQUIC_ON ? check_enabled(cf, conf) : NGX_CONF_OK;
}


/* Whether a place where the module is on has what it needs. */
static char *
check_enabled(ngx_conf_t *cf, autoquic_loc_conf_t *conf)
{
    float                 holdout;
    uint32_t              epoch_s;
    autoquic_zone_t      *zone;
    autoquic_srv_conf_t  *ascf;

    if (conf->zone == NULL) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "\"autoquic\" is on, but what it learns has no place: \"autoquic_zone NAME:SIZE\" is missing");
        return NGX_CONF_ERROR;
    }

    if (conf->policy == NULL) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "\"autoquic\" is on, but has no policy: \"autoquic_policy FILE\" is missing");
        return NGX_CONF_ERROR;
    }

    zone = conf->zone->data;
    epoch_s = pronghorn_policy_epoch_s(conf->policy);

    if (zone->epoch_s != 0 && zone->epoch_s != epoch_s) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "the policies that share the zone \"%V\" have different epochs, %uD s and %uD s: give them the same "
                      "\"epoch_s\", or each a zone of its own", &zone->name, zone->epoch_s, epoch_s);
        return NGX_CONF_ERROR;
    }

    holdout = conf->holdout < 0 ? pronghorn_policy_holdout(conf->policy) : (float) conf->holdout / 1000000;

    if (zone->epoch_s != 0 && zone->holdout != holdout) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "places that share the zone \"%V\" have different holdouts, %.4f and %.4f, and what it is worth would be told of "
                      "different clients: give them the same \"autoquic_holdout\", or each a zone of its own",
                      &zone->name, (double) zone->holdout, (double) holdout);
        return NGX_CONF_ERROR;
    }

    if (zone->epoch_s != 0 && (zone->v4_bits != conf->v4_bits || zone->v6_bits != conf->v6_bits)) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "places that share the zone \"%V\" have different prefixes, %ui and %ui bits of IPv4, %ui and %ui of IPv6, and a client's "
                      "two transports could be told of different keys: give them the same \"autoquic_prefix\", or each a zone of its own",
                      &zone->name, zone->v4_bits, conf->v4_bits, zone->v6_bits, conf->v6_bits);
        return NGX_CONF_ERROR;
    }

    zone->epoch_s = epoch_s;
    zone->v4_bits = conf->v4_bits;
    zone->v6_bits = conf->v6_bits;
    zone->holdout = holdout;
    zone->leases_s = ngx_max(zone->leases_s, conf->max_age ? (uint32_t) conf->max_age
                                                           : pronghorn_policy_lease_most_s(conf->policy));

    ascf = ngx_http_conf_get_module_srv_conf(cf, ngx_http_autoquic_module);
    ascf->enabled = 1;

    return NGX_CONF_OK;
}


static ngx_int_t
postconfiguration(ngx_conf_t *cf)
{
    if (autoquic_find_listeners(cf) != NGX_OK || autoquic_filter_init(cf) != NGX_OK) {
        return NGX_ERROR;
    }

    return autoquic_written_init(cf);
}
