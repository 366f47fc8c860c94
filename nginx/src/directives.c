/* The directives: what a configuration may say, and what is answered where it says something else. */
#include "autoquic.h"

#define POLICY_MOST_BYTES  (1024 * 1024)

static char *set_mode(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *set_policy(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *set_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *set_holdout(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *set_prefix(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static ngx_int_t read_file(ngx_conf_t *cf, ngx_str_t *name, ngx_str_t *text);
static void free_policy(void *data);

static ngx_conf_enum_t  downgrades[] = {
    { ngx_string("off"), PRONGHORN_DOWNGRADE_OFF },
    { ngx_string("lease"), PRONGHORN_DOWNGRADE_LEASE },
    { ngx_string("clear"), PRONGHORN_DOWNGRADE_CLEAR },
    { ngx_null_string, 0 }
};

static ngx_conf_num_bounds_t  max_age_bounds = { ngx_conf_check_num_bounds, 1, 604800 };
static ngx_conf_num_bounds_t  port_bounds = { ngx_conf_check_num_bounds, 1, 65535 };

/* Alt-Svc is of an origin, and so is what is learned of its clients: a location may only stay out of it. */
#define OF_A_SERVER  NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF
#define OFFSET(field)  NGX_HTTP_LOC_CONF_OFFSET, offsetof(autoquic_loc_conf_t, field)

ngx_command_t  autoquic_commands[] = {

    { ngx_string("autoquic"),
      OF_A_SERVER|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1, set_mode, OFFSET(mode), NULL },

    { ngx_string("autoquic_policy"),
      OF_A_SERVER|NGX_CONF_TAKE1, set_policy, OFFSET(policy), NULL },

    { ngx_string("autoquic_zone"),
      OF_A_SERVER|NGX_CONF_TAKE1, set_zone, OFFSET(zone), NULL },

    { ngx_string("autoquic_downgrade"),
      OF_A_SERVER|NGX_CONF_TAKE1, ngx_conf_set_enum_slot, OFFSET(downgrade), &downgrades },

    { ngx_string("autoquic_max_age"),
      OF_A_SERVER|NGX_CONF_TAKE1, ngx_conf_set_sec_slot, OFFSET(max_age), &max_age_bounds },

    { ngx_string("autoquic_holdout"),
      OF_A_SERVER|NGX_CONF_TAKE1, set_holdout, OFFSET(holdout), NULL },

    { ngx_string("autoquic_dry_run"),
      OF_A_SERVER|NGX_CONF_FLAG, ngx_conf_set_flag_slot, OFFSET(dry_run), NULL },

    { ngx_string("autoquic_port"),
      OF_A_SERVER|NGX_CONF_TAKE1, ngx_conf_set_num_slot, OFFSET(port), &port_bounds },

    { ngx_string("autoquic_prefix"),
      OF_A_SERVER|NGX_CONF_TAKE2, set_prefix, NGX_HTTP_LOC_CONF_OFFSET, 0, NULL },

    { ngx_string("autoquic_status"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS, autoquic_status, NGX_HTTP_LOC_CONF_OFFSET, 0, NULL },

      ngx_null_command
};


static char *
set_mode(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    autoquic_loc_conf_t  *alcf = conf;

    ngx_str_t            *value;
    ngx_uint_t            i;

    static const ngx_str_t  modes[] = { ngx_string("off"), ngx_string("on"), ngx_string("withdraw") };

    if (alcf->mode != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    value = cf->args->elts;

    for (i = AUTOQUIC_OFF; i <= AUTOQUIC_WITHDRAW; i++) {
        if (modes[i].len == value[1].len && ngx_strcasecmp(modes[i].data, value[1].data) == 0) {
            alcf->mode = i;
        }
    }

    if (alcf->mode == NGX_CONF_UNSET_UINT) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid value \"%V\": \"on\", \"off\" or \"withdraw\" is wanted",
                           &value[1]);
        return NGX_CONF_ERROR;
    }

    if (alcf->mode == AUTOQUIC_WITHDRAW && (cf->cmd_type & NGX_HTTP_LOC_CONF)) {
        return "withdraws for a whole server, not for a location of it";
    }

    return NGX_CONF_OK;
}


static char *
set_policy(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    autoquic_loc_conf_t  *alcf = conf;

    ngx_str_t            *value, name, text;
    pronghorn_error       error;
    ngx_pool_cleanup_t   *cln;

    if (alcf->policy != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    value = cf->args->elts;
    name = value[1];

    if (ngx_conf_full_name(cf->cycle, &name, 1) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    if (read_file(cf, &name, &text) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    cln = ngx_pool_cleanup_add(cf->cycle->pool, 0);
    if (cln == NULL) {
        return NGX_CONF_ERROR;
    }

    alcf->policy = pronghorn_policy_parse((const char *) text.data, text.len, &error);

    if (alcf->policy == NULL) {
        alcf->policy = NGX_CONF_UNSET_PTR;

        if (error.line) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "policy refused: %V:%uD: %s", &name, error.line, error.reason);
        } else {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "policy refused: %V: %s", &name, error.reason);
        }

        return NGX_CONF_ERROR;
    }

    cln->handler = free_policy;
    cln->data = alcf->policy;

    return NGX_CONF_OK;
}


static void
free_policy(void *data)
{
    pronghorn_policy_free(data);
}


static ngx_int_t
read_file(ngx_conf_t *cf, ngx_str_t *name, ngx_str_t *text)
{
    ssize_t          n;
    ngx_file_t       file;
    ngx_file_info_t  fi;

    ngx_memzero(&file, sizeof(ngx_file_t));
    file.name = *name;
    file.log = cf->log;

    file.fd = ngx_open_file(name->data, NGX_FILE_RDONLY, NGX_FILE_OPEN, 0);
    if (file.fd == NGX_INVALID_FILE) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno, ngx_open_file_n " \"%V\" failed", name);
        return NGX_ERROR;
    }

    if (ngx_fd_info(file.fd, &fi) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno, ngx_fd_info_n " \"%V\" failed", name);
        goto failed;
    }

    if (!ngx_is_file(&fi) || ngx_file_size(&fi) > POLICY_MOST_BYTES) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "policy refused: %V: no file, or one of more than 1 MB", name);
        goto failed;
    }

    text->len = ngx_file_size(&fi);
    text->data = ngx_pnalloc(cf->temp_pool, text->len + 1);
    if (text->data == NULL) {
        goto failed;
    }

    n = ngx_read_file(&file, text->data, text->len, 0);
    if (n == NGX_ERROR) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno, ngx_read_file_n " \"%V\" failed", name);
        goto failed;
    }

    text->len = n;
    (void) ngx_close_file(file.fd);

    return NGX_OK;

failed:

    (void) ngx_close_file(file.fd);

    return NGX_ERROR;
}


/* NAME:SIZE, as limit_req_zone has it. */
static char *
set_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    autoquic_loc_conf_t  *alcf = conf;

    u_char               *c, *colon;
    ssize_t               size;
    ngx_str_t            *value, name, s;

    if (alcf->zone != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    value = cf->args->elts;

    colon = ngx_strlchr(value[1].data, value[1].data + value[1].len, ':');
    if (colon == NULL || colon == value[1].data) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid zone \"%V\": NAME:SIZE is wanted, as in \"clients:32m\"",
                           &value[1]);
        return NGX_CONF_ERROR;
    }

    name.data = value[1].data;
    name.len = colon - name.data;
    s.data = colon + 1;
    s.len = value[1].data + value[1].len - s.data;

    for (c = name.data; c < colon; c++) {
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' || *c == '-')) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid zone name \"%V\": letters, digits, \"_\" and \"-\" are wanted",
                               &name);
            return NGX_CONF_ERROR;
        }
    }

    size = ngx_parse_size(&s);
    if (size == NGX_ERROR) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid zone size \"%V\"", &value[1]);
        return NGX_CONF_ERROR;
    }

    if (size < (ssize_t) (16 * ngx_pagesize)) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "zone \"%V\" is too small: at least %uz bytes", &value[1],
                           16 * ngx_pagesize);
        return NGX_CONF_ERROR;
    }

    alcf->zone = autoquic_zone_add(cf, &name, size);

    return alcf->zone ? NGX_CONF_OK : NGX_CONF_ERROR;
}


/* A share of the keys: 0.05 or 5%. */
static char *
set_holdout(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    autoquic_loc_conf_t  *alcf = conf;

    ngx_str_t             s, *value;
    ngx_int_t             millionths;

    if (alcf->holdout != NGX_CONF_UNSET) {
        return "is duplicate";
    }

    value = cf->args->elts;
    s = value[1];

    if (s.len > 1 && s.data[s.len - 1] == '%') {
        millionths = ngx_atofp(s.data, s.len - 1, 4);
    } else {
        millionths = ngx_atofp(s.data, s.len, 6);
    }

    if (millionths == NGX_ERROR || millionths > 500000) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid share \"%V\": 0 to 0.5, or 0%% to 50%%, is wanted", &value[1]);
        return NGX_CONF_ERROR;
    }

    alcf->holdout = millionths;

    return NGX_CONF_OK;
}


/* How many bits of an IPv4 and of an IPv6 address are one client. */
static char *
set_prefix(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    autoquic_loc_conf_t  *alcf = conf;

    ngx_int_t             v4, v6;
    ngx_str_t            *value;

    if (alcf->v4_bits != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    value = cf->args->elts;
    v4 = ngx_atoi(value[1].data, value[1].len);
    v6 = ngx_atoi(value[2].data, value[2].len);

    if (v4 == NGX_ERROR || v4 < AUTOQUIC_V4_PARENT || v4 > 32) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid IPv4 prefix \"%V\": 16 to 32 bits are wanted", &value[1]);
        return NGX_CONF_ERROR;
    }

    if (v6 == NGX_ERROR || v6 < AUTOQUIC_V6_PARENT || v6 > 128) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid IPv6 prefix \"%V\": 40 to 128 bits are wanted", &value[2]);
        return NGX_CONF_ERROR;
    }

    alcf->v4_bits = v4;
    alcf->v6_bits = v6;

    return NGX_CONF_OK;
}
