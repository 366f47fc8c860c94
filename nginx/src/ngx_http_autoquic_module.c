/* The module: its configurations, how they are inherited, and where it hooks into nginx. */
#include "autoquic.h"

static ngx_int_t preconfiguration(ngx_conf_t *cf);
static ngx_int_t postconfiguration(ngx_conf_t *cf);
static void *create_main_conf(ngx_conf_t *cf);
static void *create_loc_conf(ngx_conf_t *cf);
static char *merge_loc_conf(ngx_conf_t *cf, void *parent, void *child);
static ngx_int_t find_quic_ports(ngx_conf_t *cf, autoquic_main_conf_t *amcf);

static ngx_http_module_t  autoquic_module_ctx = {
    preconfiguration,
    postconfiguration,
    create_main_conf,
    NULL,                              /* init main configuration */
    NULL,                              /* create server configuration */
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
create_main_conf(ngx_conf_t *cf)
{
    autoquic_main_conf_t  *amcf;

    amcf = ngx_pcalloc(cf->pool, sizeof(autoquic_main_conf_t));
    if (amcf == NULL) {
        return NULL;
    }

    if (ngx_array_init(&amcf->quic_ports, cf->pool, 2, sizeof(in_port_t)) != NGX_OK) {
        return NULL;
    }

    return amcf;
}


static void *
create_loc_conf(ngx_conf_t *cf)
{
    autoquic_loc_conf_t  *alcf;

    alcf = ngx_pcalloc(cf->pool, sizeof(autoquic_loc_conf_t));
    if (alcf == NULL) {
        return NULL;
    }

    alcf->enable = NGX_CONF_UNSET;
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
    autoquic_loc_conf_t   *prev = parent;
    autoquic_loc_conf_t   *conf = child;
    autoquic_main_conf_t  *amcf;

    ngx_conf_merge_value(conf->enable, prev->enable, 0);
    ngx_conf_merge_value(conf->dry_run, prev->dry_run, 0);
    ngx_conf_merge_uint_value(conf->downgrade, prev->downgrade, PRONGHORN_DOWNGRADE_LEASE);
    ngx_conf_merge_sec_value(conf->max_age, prev->max_age, 0);
    ngx_conf_merge_value(conf->holdout, prev->holdout, -1);
    ngx_conf_merge_value(conf->port, prev->port, 0);
    ngx_conf_merge_uint_value(conf->v4_bits, prev->v4_bits, AUTOQUIC_V4_BITS);
    ngx_conf_merge_uint_value(conf->v6_bits, prev->v6_bits, AUTOQUIC_V6_BITS);
    ngx_conf_merge_ptr_value(conf->zone, prev->zone, NULL);
    ngx_conf_merge_ptr_value(conf->policy, prev->policy, NULL);

    if (!conf->enable) {
        return NGX_CONF_OK;
    }

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

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_autoquic_module);
    amcf->enabled = 1;

    return NGX_CONF_OK;
}


static ngx_int_t
postconfiguration(ngx_conf_t *cf)
{
    ngx_http_handler_pt        *h;
    autoquic_main_conf_t       *amcf;
    ngx_http_core_main_conf_t  *cmcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_autoquic_module);

    if (find_quic_ports(cf, amcf) != NGX_OK) {
        return NGX_ERROR;
    }

    if (amcf->enabled && amcf->quic_ports.nelts == 0) {
        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "\"autoquic\" is on, but no server listens by QUIC (\"listen … quic\"): nobody will come by HTTP/3");
    }

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    h = ngx_array_push(&cmcf->phases[NGX_HTTP_LOG_PHASE].handlers);
    if (h == NULL) {
        return NGX_ERROR;
    }
    *h = autoquic_log_handler;

    return autoquic_filter_init(cf);
}


static ngx_int_t
find_quic_ports(ngx_conf_t *cf, autoquic_main_conf_t *amcf)
{
    in_port_t                  *port;
    ngx_uint_t                  i;
    ngx_http_conf_port_t       *ports;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    if (cmcf->ports == NULL) {
        return NGX_OK;
    }

    ports = cmcf->ports->elts;

    for (i = 0; i < cmcf->ports->nelts; i++) {
        if (ports[i].type != SOCK_DGRAM) {
            continue;
        }

        port = ngx_array_push(&amcf->quic_ports);
        if (port == NULL) {
            return NGX_ERROR;
        }
        *port = ports[i].port;
    }

    return NGX_OK;
}
