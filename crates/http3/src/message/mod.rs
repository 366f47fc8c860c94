//! Messages: from field sections to requests and responses, and back (RFC 9114 §4).

mod encode;
mod fields;
mod reader;
mod request;
mod response;

pub use encode::{EncodeError, put_request, put_response, put_trailers};
pub use reader::{
    Event, RawResponse, Reader, Request, RequestReader, Response, ResponseReader, Role,
};
pub use response::ResponseHead;
