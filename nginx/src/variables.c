/* Variables for the access log: what was decided on this request, why, in which arm of the experiment, and with what
 * chance. Not found ("-") where nothing was decided. In a dry run they say what would have been. */
#include "autoquic.h"

typedef enum { DECISION = 0, REASON, ARM, PROPENSITY, GAIN } what_e;

static ngx_int_t get(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data);
static const char *name_of(const pronghorn_decision *decision, what_e what);

static ngx_http_variable_t  variables[] = {
    { ngx_string("autoquic_decision"), NULL, get, DECISION, NGX_HTTP_VAR_NOCACHEABLE, 0 },
    { ngx_string("autoquic_reason"), NULL, get, REASON, NGX_HTTP_VAR_NOCACHEABLE, 0 },
    { ngx_string("autoquic_arm"), NULL, get, ARM, NGX_HTTP_VAR_NOCACHEABLE, 0 },
    { ngx_string("autoquic_propensity"), NULL, get, PROPENSITY, NGX_HTTP_VAR_NOCACHEABLE, 0 },
    { ngx_string("autoquic_gain"), NULL, get, GAIN, NGX_HTTP_VAR_NOCACHEABLE, 0 },
    ngx_http_null_variable
};


ngx_int_t
autoquic_add_variables(ngx_conf_t *cf)
{
    ngx_http_variable_t  *known, *v;

    for (v = variables; v->name.len; v++) {
        known = ngx_http_add_variable(cf, &v->name, v->flags);
        if (known == NULL) {
            return NGX_ERROR;
        }

        known->get_handler = v->get_handler;
        known->data = v->data;
    }

    return NGX_OK;
}


static ngx_int_t
get(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    int                  n;
    char                *number;
    double               value;
    autoquic_request_t  *request;

    request = ngx_http_get_module_ctx(r->main, ngx_http_autoquic_module);
    if (request == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;

    if (data != PROPENSITY && data != GAIN) {
        v->data = (u_char *) name_of(&request->decision, data);
        v->len = ngx_strlen(v->data);
        return NGX_OK;
    }

    value = data == PROPENSITY ? request->decision.propensity : request->decision.gain;

    number = ngx_pnalloc(r->pool, NGX_INT64_LEN);
    if (number == NULL) {
        return NGX_ERROR;
    }

    n = snprintf(number, NGX_INT64_LEN, "%.4f", value);
    if (n < 0 || n >= (int) NGX_INT64_LEN) {
        v->not_found = 1;
        return NGX_OK;
    }

    v->data = (u_char *) number;
    v->len = n;

    return NGX_OK;
}


static const char *
name_of(const pronghorn_decision *decision, what_e what)
{
    switch (what) {

    case DECISION:
        return pronghorn_action_name(decision->action);

    case REASON:
        return pronghorn_reason_name(decision->reason);

    default:
        return pronghorn_arm_name(decision->arm);
    }
}
