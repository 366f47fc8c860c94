/*
 * Where a response ends over HTTP/2, whose streams share a connection.
 *
 * nginx learns that a response's last frame has gone when it comes to that response again, and by then more of other
 * responses may have followed, as much as the socket had room for. So while that frame waits in the connection's queue, it
 * is reckoned how much will have been sent with it. Frames of more urgent streams that enter the queue before it move it;
 * that is seen where nginx comes to the response meanwhile, and else not.
 */
#include "autoquic.h"

static off_t bytes_of(const ngx_http_v2_out_frame_t *frame);


off_t
autoquic_http2_end(ngx_http_request_t *r)
{
    off_t                      end;
    ngx_http_v2_out_frame_t   *frame;
    ngx_http_v2_connection_t  *h2c = r->stream->connection;

    /* The queue is kept from its end to its beginning. */
    for (frame = h2c->last_out; frame; frame = frame->next) {
        if (frame->stream == r->stream && frame->fin) {
            break;
        }
    }

    if (frame == NULL) {
        return 0;
    }

    end = autoquic_tcp_handed_on(h2c->connection);

    for ( /* void */ ; frame; frame = frame->next) {
        end += bytes_of(frame);
    }

    return end;
}


/* What of it hasn't gone yet. */
static off_t
bytes_of(const ngx_http_v2_out_frame_t *frame)
{
    off_t         bytes;
    ngx_chain_t  *cl;

    bytes = 0;

    for (cl = frame->first; cl; cl = cl->next) {
        bytes += ngx_buf_size(cl->buf);

        if (cl == frame->last) {
            break;
        }
    }

    return bytes;
}
