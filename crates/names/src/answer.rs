//! What is answered to a message (RFC 1035), without I/O.

use hickory_proto::op::{Edns, Message, OpCode, Query, ResponseCode};
use hickory_proto::rr::{DNSClass, RecordType};

use crate::zone::{Zone, start_of_authority};

/// Bytes of a message over UDP that any client takes (RFC 1035, section 2.3.4).
const LEAST_UDP_BYTES: u16 = 512;

/// Bytes of a message over UDP that fit into one packet on any path (the DNS flag day of 2020).
const MOST_UDP_BYTES: u16 = 1232;

/// Where the identifier of a message stands, and the flag that says whether it is an answer.
const IDENTIFIER: std::ops::Range<usize> = 0..2;
const FLAGS: usize = 2;
const IS_ANSWER: u8 = 0x80;

/// By what a message came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A datagram; an answer that is too long for the client is cut off.
    Udp,
    /// A stream.
    Tcp,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The name, in small letters, without the last dot.
    pub name: String,
    /// The type of record, as `A` or, where it has no name here, `TYPE65400` (RFC 3597, section 5).
    pub kind: String,
}

/// An answer, and the question where the message had one.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The message.
    pub bytes: Vec<u8>,
    /// What it answers.
    pub question: Option<Question>,
}

/// Answers a message from anybody; `None` where it is none, or an answer itself.
#[must_use]
pub fn answer(zone: &Zone, message: &[u8], transport: Transport) -> Option<Answer> {
    let identifier = message.get(IDENTIFIER)?.try_into().ok()?;
    if message.get(FLAGS)? & IS_ANSWER != 0 {
        return None;
    }
    let Ok(asked) = Message::from_vec(message) else {
        let identifier = u16::from_be_bytes(identifier);
        let malformed = Message::error_msg(identifier, OpCode::Query, ResponseCode::FormErr);
        return Some(Answer {
            bytes: malformed.to_vec().ok()?,
            question: None,
        });
    };
    let reply = reply(zone, &asked);
    let mut bytes = reply.to_vec().ok()?;
    let most = asked.max_payload().clamp(LEAST_UDP_BYTES, MOST_UDP_BYTES);
    if transport == Transport::Udp && bytes.len() > usize::from(most) {
        bytes = reply.truncate().to_vec().ok()?;
    }
    Some(Answer {
        bytes,
        question: asked.queries().first().map(question),
    })
}

fn reply(zone: &Zone, asked: &Message) -> Message {
    let mut reply = Message::error_msg(asked.id(), asked.op_code(), ResponseCode::NoError);
    reply
        .set_recursion_desired(asked.recursion_desired())
        .add_queries(asked.queries().iter().cloned());
    if asked.extensions().is_some() {
        let mut own = Edns::new();
        own.set_max_payload(MOST_UDP_BYTES);
        reply.set_edns(own);
    }
    let refusal = match asked.queries() {
        _ if asked.version() > 0 => ResponseCode::BADVERS,
        _ if asked.op_code() != OpCode::Query => ResponseCode::NotImp,
        [query] if query.query_class() != DNSClass::IN => ResponseCode::Refused,
        [query] => {
            reply.set_authoritative(true);
            match zone.look_up(query.name(), query.query_type()) {
                Some(records) if !records.is_empty() => {
                    reply.add_answers(records);
                    return reply;
                }
                Some(_) => {
                    reply.add_name_server(start_of_authority());
                    return reply;
                }
                None => {
                    reply.add_name_server(start_of_authority());
                    ResponseCode::NXDomain
                }
            }
        }
        _ => ResponseCode::FormErr,
    };
    reply.set_response_code(refusal);
    reply
}

fn question(query: &Query) -> Question {
    let name = query.name().to_lowercase().to_ascii();
    Question {
        name: match name.strip_suffix('.') {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => name,
        },
        kind: match query.query_type() {
            RecordType::Unknown(number) => format!("TYPE{number}"),
            known => known.to_string(),
        },
    }
}
