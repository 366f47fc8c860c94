/*
 * autoquic_status: the page that tells what the gateway does and what it is worth. JSON; Prometheus' text format where
 * ?format=prometheus or the Accept header asks for it, as Prometheus does.
 */
#include "autoquic.h"

#define PAGE_BYTES  16384

static ngx_int_t handler(ngx_http_request_t *r);
static ngx_uint_t wants_prometheus(ngx_http_request_t *r);


char *
autoquic_status(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    if (clcf->handler != NULL) {
        return clcf->handler == handler ? "is duplicate" : "does not go with another handler in this location";
    }
    clcf->handler = handler;

    return NGX_CONF_OK;
}


static ngx_int_t
handler(ngx_http_request_t *r)
{
    u_char               *end;
    ngx_int_t             rc;
    ngx_buf_t            *b;
    ngx_uint_t            prometheus;
    ngx_chain_t           out;
    autoquic_zone_t      *zone;
    pronghorn_snapshot    seen;
    autoquic_loc_conf_t  *conf;

    if (!(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))) {
        return NGX_HTTP_NOT_ALLOWED;
    }

    rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK) {
        return rc;
    }

    conf = ngx_http_get_module_loc_conf(r, ngx_http_autoquic_module);
    if (conf->zone == NULL || conf->policy == NULL) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "autoquic_status: no \"autoquic_zone\" or no \"autoquic_policy\" holds here");
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    b = ngx_create_temp_buf(r->pool, PAGE_BYTES);
    if (b == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    zone = conf->zone->data;
    ngx_memzero(&seen, sizeof(pronghorn_snapshot));

    autoquic_zone_lock(zone);
    pronghorn_snapshot_of(conf->policy, zone->shared->table, ngx_current_msec, &seen);
    autoquic_zone_unlock(zone);

    prometheus = wants_prometheus(r);
    end = prometheus ? autoquic_prometheus(b->last, b->end, zone, &seen) : autoquic_json(b->last, b->end, zone, &seen);
    if (end == NULL) {
        ngx_log_error(NGX_LOG_ALERT, r->connection->log, 0, "autoquic_status: the page has no room");
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
    b->last = end;
    b->last_buf = r == r->main;
    b->last_in_chain = 1;

    r->headers_out.status = NGX_HTTP_OK;
    r->headers_out.content_length_n = b->last - b->pos;
    if (prometheus) {
        ngx_str_set(&r->headers_out.content_type, "text/plain; version=0.0.4");
    } else {
        ngx_str_set(&r->headers_out.content_type, "application/json");
    }
    r->headers_out.content_type_len = r->headers_out.content_type.len;

    rc = ngx_http_send_header(r);
    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    out.buf = b;
    out.next = NULL;

    return ngx_http_output_filter(r, &out);
}


static ngx_uint_t
wants_prometheus(ngx_http_request_t *r)
{
    ngx_str_t         format;
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    if (ngx_http_arg(r, (u_char *) "format", sizeof("format") - 1, &format) == NGX_OK) {
        return format.len == sizeof("prometheus") - 1
               && ngx_strncmp(format.data, "prometheus", sizeof("prometheus") - 1) == 0;
    }

    part = &r->headers_in.headers.part;
    h = part->elts;

    for (i = 0; /* void */ ; i++) {

        if (i >= part->nelts) {
            if (part->next == NULL) {
                return 0;
            }
            part = part->next;
            h = part->elts;
            i = 0;
        }

        if (h[i].key.len == sizeof("Accept") - 1
            && ngx_strncasecmp(h[i].key.data, (u_char *) "Accept", sizeof("Accept") - 1) == 0)
        {
            return ngx_strstrn(h[i].value.data, "openmetrics-text", sizeof("openmetrics-text") - 2) != NULL
                   || ngx_strstrn(h[i].value.data, "text/plain", sizeof("text/plain") - 2) != NULL;
        }
    }
}
