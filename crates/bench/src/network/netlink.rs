//! As much of netlink as a bench needs: one request and one acknowledgement or one list (RFC 3549; `netlink(7)`).
//!
//! Built by hand, since route metrics that hold a name (`RTAX_CC_ALGO`) and the address generation
//! mode of a link are beyond the typed messages of the usual crates.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use nix::errno::Errno;

const HEADER: usize = 16;

/// A request: a netlink header, a family header and attributes.
pub(crate) struct Request(Vec<u8>);

impl Request {
    /// A request of type `kind` (`RTM_*`) with `flags` (`NLM_F_*`) beyond those that every request
    /// has, and the family header's bytes.
    pub(crate) fn new(kind: u16, flags: i32, family_header: &[u8]) -> Request {
        let flags = (libc::NLM_F_REQUEST | libc::NLM_F_ACK | flags) as u16;
        let mut bytes = vec![0; HEADER];
        bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
        bytes[6..8].copy_from_slice(&flags.to_ne_bytes());
        bytes.extend_from_slice(family_header);
        Request(bytes).padded()
    }

    /// Appends an attribute.
    pub(crate) fn attribute(mut self, kind: u16, value: &[u8]) -> Request {
        self.0
            .extend_from_slice(&(4 + value.len() as u16).to_ne_bytes());
        self.0.extend_from_slice(&kind.to_ne_bytes());
        self.0.extend_from_slice(value);
        self.padded()
    }

    /// Appends bytes that are no attribute.
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Request {
        self.0.extend_from_slice(bytes);
        self.padded()
    }

    /// Appends an attribute that holds the attributes which `fill` appends.
    pub(crate) fn nest(mut self, kind: u16, fill: impl FnOnce(Request) -> Request) -> Request {
        let start = self.0.len();
        self.0.extend_from_slice(&[0; 4]);
        let mut filled = fill(self);
        let length = (filled.0.len() - start) as u16;
        filled.0[start..start + 2].copy_from_slice(&length.to_ne_bytes());
        filled.0[start + 2..start + 4].copy_from_slice(&kind.to_ne_bytes());
        filled
    }

    fn unacknowledged(mut self) -> Request {
        let flags = libc::NLM_F_REQUEST as u16;
        self.0[6..8].copy_from_slice(&flags.to_ne_bytes());
        self
    }

    fn unacknowledged_dump(mut self) -> Request {
        let flags = (libc::NLM_F_REQUEST | libc::NLM_F_DUMP) as u16;
        self.0[6..8].copy_from_slice(&flags.to_ne_bytes());
        self
    }

    fn padded(mut self) -> Request {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }

    /// The message's bytes.
    pub(crate) fn finished(mut self) -> Vec<u8> {
        let length = self.0.len() as u32;
        self.0[..4].copy_from_slice(&length.to_ne_bytes());
        self.0
    }
}

/// Requests between the two that mark their beginning and end.
pub(crate) struct Batch {
    pub(crate) begin: Request,
    pub(crate) requests: Vec<Request>,
    pub(crate) end: Request,
}

/// A netlink socket in the network namespace of the thread that opened it.
pub(crate) struct Socket(OwnedFd);

impl Socket {
    pub(crate) fn open() -> Result<Socket, Errno> {
        Socket::of(libc::NETLINK_ROUTE)
    }

    /// A socket of netlink's packet filters (`nftables`).
    pub(crate) fn of_netfilter() -> Result<Socket, Errno> {
        Socket::of(libc::NETLINK_NETFILTER)
    }

    /// A socket that tells of other sockets (`sock_diag(7)`).
    pub(crate) fn of_sockets() -> Result<Socket, Errno> {
        Socket::of(libc::NETLINK_SOCK_DIAG)
    }

    fn of(family: i32) -> Result<Socket, Errno> {
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
        // SAFETY: a plain system call; the descriptor it returns is ours alone.
        unsafe {
            let fd = Errno::result(libc::socket(libc::AF_NETLINK, kind, family))?;
            Ok(Socket(OwnedFd::from_raw_fd(fd)))
        }
    }

    /// Sends a request and waits for the kernel's acknowledgement, which comes at once. The error
    /// is the kernel's.
    pub(crate) fn ask(&self, request: Request) -> Result<(), Errno> {
        self.send(&request.finished())?;
        self.acknowledgement()
    }

    /// Sends requests that the kernel performs all or none, between its two marks of a batch, which
    /// it acknowledges only where it can't take them. The error is that of the first it refuses.
    pub(crate) fn ask_all(&self, batch: Batch) -> Result<(), Errno> {
        let acknowledged = batch.requests.len();
        let all = std::iter::once(batch.begin.unacknowledged())
            .chain(batch.requests)
            .chain([batch.end.unacknowledged()]);
        self.send(&all.flat_map(Request::finished).collect::<Vec<u8>>())?;
        (0..acknowledged).try_for_each(|_| self.acknowledgement())
    }

    /// Asks for all there is of something (`NLM_F_DUMP`), and gives what is in each of the answer's messages. The error
    /// is the kernel's.
    pub(crate) fn list(&self, request: Request) -> Result<Vec<Vec<u8>>, Errno> {
        self.send(&request.unacknowledged_dump().finished())?;
        let mut found = Vec::new();
        let mut datagram = vec![0u8; 65_536];
        loop {
            let fd = self.0.as_raw_fd();
            // SAFETY: the buffer outlives the call and is as long as said.
            let received =
                unsafe { libc::recv(fd, datagram.as_mut_ptr().cast(), datagram.len(), 0) };
            let received = Errno::result(received)?;
            let datagram = datagram.get(..received as usize).unwrap_or_default();
            if take_messages(datagram, &mut found)? {
                return Ok(found);
            }
        }
    }

    /// Asks for one thing, and gives what is in the message that answers. The error is the kernel's.
    pub(crate) fn get(&self, request: Request) -> Result<Vec<u8>, Errno> {
        self.send(&request.unacknowledged().finished())?;
        let mut answer = [0_u8; 4096];
        let fd = self.0.as_raw_fd();
        // SAFETY: the buffer outlives the call and is as long as said.
        let received = unsafe { libc::recv(fd, answer.as_mut_ptr().cast(), answer.len(), 0) };
        let received = Errno::result(received)?;
        let mut found = Vec::with_capacity(1);
        take_messages(
            answer.get(..received as usize).unwrap_or_default(),
            &mut found,
        )?;
        found.pop().ok_or(Errno::EBADMSG)
    }

    fn send(&self, bytes: &[u8]) -> Result<(), Errno> {
        let fd = self.0.as_raw_fd();
        // SAFETY: the buffer outlives the call and is as long as said.
        let sent = unsafe { libc::send(fd, bytes.as_ptr().cast(), bytes.len(), 0) };
        Errno::result(sent).map(drop)
    }

    /// The next answer, of which the kernel has sent one a datagram.
    fn acknowledgement(&self) -> Result<(), Errno> {
        let mut answer = [0u8; 4096];
        let fd = self.0.as_raw_fd();
        // SAFETY: the buffer outlives the call and is as long as said.
        let received = unsafe { libc::recv(fd, answer.as_mut_ptr().cast(), answer.len(), 0) };
        let received = Errno::result(received)?;
        parse_acknowledgement(answer.get(..received as usize).unwrap_or_default())
    }
}

/// Appends what is in each message of a datagram to `found`; whether the list ends with it.
fn take_messages(mut datagram: &[u8], found: &mut Vec<Vec<u8>>) -> Result<bool, Errno> {
    while !datagram.is_empty() {
        let length = datagram.get(..4).and_then(|b| b.try_into().ok());
        let length = length.map_or(0, u32::from_ne_bytes) as usize;
        let kind = datagram.get(4..6).and_then(|b| b.try_into().ok());
        let message = datagram.get(..length).ok_or(Errno::EBADMSG)?;
        let body = message.get(HEADER..).ok_or(Errno::EBADMSG)?;
        match kind.map(u16::from_ne_bytes).map(i32::from) {
            Some(libc::NLMSG_DONE) => return Ok(true),
            Some(libc::NLMSG_ERROR) => return parse_acknowledgement(message).map(|()| true),
            _ => found.push(body.to_vec()),
        }
        datagram = datagram
            .get(length.next_multiple_of(4)..)
            .unwrap_or_default();
    }
    Ok(false)
}

/// The value of the attribute `kind` among those in `bytes`.
pub(crate) fn attribute(mut bytes: &[u8], kind: u16) -> Option<&[u8]> {
    loop {
        let length = usize::from(u16::from_ne_bytes(bytes.get(..2)?.try_into().ok()?));
        let found = u16::from_ne_bytes(bytes.get(2..4)?.try_into().ok()?);
        let value = bytes.get(4..length)?;
        if found == kind {
            return Some(value);
        }
        bytes = bytes.get(length.next_multiple_of(4)..)?;
    }
}

fn parse_acknowledgement(message: &[u8]) -> Result<(), Errno> {
    let kind = message
        .get(4..6)
        .and_then(|b| b.try_into().ok())
        .map(u16::from_ne_bytes);
    let code = message
        .get(HEADER..HEADER + 4)
        .and_then(|b| b.try_into().ok());
    match (kind.map(i32::from), code.map(i32::from_ne_bytes)) {
        (Some(libc::NLMSG_ERROR), Some(0)) => Ok(()),
        (Some(libc::NLMSG_ERROR), Some(code)) => Err(Errno::from_raw(-code)),
        _ => Err(Errno::EBADMSG),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_padded_to_four_bytes_and_nests_hold_them() {
        let bytes = Request::new(24, libc::NLM_F_CREATE, &[9; 12])
            .nest(8, |metrics| metrics.attribute(16, b"cubic\0"))
            .finished();
        let nest = [&16u16.to_ne_bytes()[..], &8u16.to_ne_bytes()].concat();
        let name = [
            &10u16.to_ne_bytes()[..],
            &16u16.to_ne_bytes(),
            b"cubic\0\0\0",
        ]
        .concat();
        assert_eq!(bytes[..4], 44u32.to_ne_bytes());
        assert_eq!(bytes[16..28], [9; 12]);
        assert_eq!(bytes[28..32], nest);
        assert_eq!(bytes[32..], name);
    }

    #[test]
    fn a_list_is_all_messages_until_it_is_said_to_be_done() {
        let message = |kind: i32, body: &[u8]| {
            let mut bytes = ((HEADER + body.len()) as u32).to_ne_bytes().to_vec();
            bytes.extend((kind as u16).to_ne_bytes());
            bytes.resize(HEADER, 0);
            bytes.extend(body);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes
        };
        let mut found = Vec::new();
        let first = [message(20, b"odd"), message(20, b"even")].concat();
        assert_eq!(take_messages(&first, &mut found), Ok(false));
        let done = message(libc::NLMSG_DONE, &[0; 4]);
        assert_eq!(take_messages(&done, &mut found), Ok(true));
        assert_eq!(found, [b"odd".to_vec(), b"even".to_vec()]);
        let refused = message(libc::NLMSG_ERROR, &(-libc::EPERM).to_ne_bytes());
        assert_eq!(take_messages(&refused, &mut found), Err(Errno::EPERM));
        assert_eq!(take_messages(&first[..18], &mut found), Err(Errno::EBADMSG));
        assert_eq!(take_messages(&[0; 16], &mut found), Err(Errno::EBADMSG));
    }

    #[test]
    fn an_attribute_is_found_among_others() {
        let bytes = Request::new(0, 0, &[])
            .attribute(2, b"odd")
            .attribute(4, b"cubic\0")
            .finished();
        let attributes = &bytes[HEADER..];
        assert_eq!(attribute(attributes, 4), Some(&b"cubic\0"[..]));
        assert_eq!(attribute(attributes, 5), None);
        assert_eq!(attribute(&[0; 4], 5), None);
        assert_eq!(attribute(&attributes[..6], 2), None);
    }

    #[test]
    fn an_acknowledgement_is_an_error_of_zero() {
        let mut message = vec![0; 36];
        message[4..6].copy_from_slice(&(libc::NLMSG_ERROR as u16).to_ne_bytes());
        assert_eq!(parse_acknowledgement(&message), Ok(()));
        message[16..20].copy_from_slice(&(-libc::EINVAL).to_ne_bytes());
        assert_eq!(parse_acknowledgement(&message), Err(Errno::EINVAL));
        assert_eq!(parse_acknowledgement(&message[..10]), Err(Errno::EBADMSG));
    }
}
