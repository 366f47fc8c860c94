/*
 * When a response began, and when all of it had been handed to the transport.
 *
 * A response begins when its headers are ready, so that the time of whoever made it, a slow upstream's or a long poll's,
 * isn't counted as the network's. It has been written when the last of its content was handed on and nginx keeps nothing of
 * it back; what the request does afterwards (a mirror, the cache) doesn't matter.
 */
#include "autoquic.h"

/* nginx holds bytes back since the transport takes no more: TLS, HTTP/2, or the last of the filters. */
#define HELD_BACK  (NGX_LOWLEVEL_BUFFERED|NGX_HTTP_WRITE_BUFFERED)

static ngx_int_t body_filter(ngx_http_request_t *r, ngx_chain_t *in);
static ngx_uint_t ends(const ngx_chain_t *in);
static void went(ngx_http_request_t *r, autoquic_request_t *request);

static ngx_http_output_body_filter_pt  next_body_filter;


ngx_int_t
autoquic_written_init(ngx_conf_t *cf)
{
    next_body_filter = ngx_http_top_body_filter;
    ngx_http_top_body_filter = body_filter;

    return NGX_OK;
}


void
autoquic_response_begins(ngx_http_request_t *r, autoquic_request_t *request)
{
    request->began = ngx_current_msec;
    request->sent = r->connection->sent;
}


void
autoquic_headers_went(ngx_http_request_t *r, autoquic_request_t *request)
{
    request->whole = r->header_only;

    went(r, request);
}


static ngx_int_t
body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_int_t            rc;
    autoquic_request_t  *request;

    request = ngx_http_get_module_ctx(r->main, ngx_http_autoquic_module);

    if (request == NULL || request->done) {
        return next_body_filter(r, in);
    }

    if (r != r->main) {
        if (!r->background) {
            request->composed = 1;
        }

        return next_body_filter(r, in);
    }

    request->whole |= ends(in);

    rc = next_body_filter(r, in);

    if (rc == NGX_ERROR) {
        request->done = 1;
    } else {
        went(r, request);
    }

    return rc;
}


static ngx_uint_t
ends(const ngx_chain_t *in)
{
    for ( /* void */ ; in; in = in->next) {
        if (in->buf->last_buf) {
            return 1;
        }
    }

    return 0;
}


static void
went(ngx_http_request_t *r, autoquic_request_t *request)
{
    off_t  end;

    if (r->postponed) {
        request->composed = 1;
    }

    if (request->done || !request->whole) {
        return;
    }

    if (r->connection->buffered & HELD_BACK) {
        end = r->stream ? autoquic_http2_end(r) : 0;
        if (end) {
            request->end = end;
        }
        return;
    }

    request->done = 1;
    autoquic_sample_begin(r, request);
}
