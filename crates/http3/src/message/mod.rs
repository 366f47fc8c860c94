//! Messages: from field sections to requests and responses, and back (RFC 9114 §4).

mod brief;
mod encode;
mod fields;
mod reader;
mod request;
mod response;
mod role;

pub use brief::{BriefHead, KnownHeads};
pub use encode::{EncodeError, put_request, put_response, put_trailers};
pub use reader::{Event, Reader, RequestReader, ResponseReader};
pub use response::ResponseHead;
pub use role::{BriefResponse, RawResponse, Request, Response, Role};
