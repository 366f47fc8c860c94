//! One host's TCP connections under way, each looked up by its ends at every look.

use std::time::{Duration, Instant};

use nix::errno::Errno;
use pronghorn_flight::{End, Key, Reading, Recorder, Transport};
use pronghorn_path::Family;

use super::handshakes::Handshakes;
use super::tcp_info::TcpInfo;
use crate::network::netlink::Socket;
use crate::network::sock_diag::{CONGESTION_CONTROL, Ends, INFO, Message, list, look_up};

/// The connections of a host that are known, and where others are learnt of.
pub(crate) struct Sockets {
    end: End,
    diag: Socket,
    handshakes: Handshakes,
    known: Vec<Known>,
}

/// A connection whose handshake was seen.
struct Known {
    ends: Ends,
    /// The kernel's number of the socket, once it was found.
    cookie: Option<u64>,
    seen: Instant,
}

/// How long a handshake may take, with its packets lost again and again.
const HANDSHAKE: Duration = Duration::from_secs(70);

/// So many handshakes between two looks may have been more than their socket holds.
const PLENTY: usize = 64;

impl Sockets {
    /// Those of the calling thread's network namespace over `family`, from now on. The error is the kernel's.
    pub(crate) fn here(end: End, family: Family) -> Result<Sockets, Errno> {
        let mut sockets = Sockets {
            end,
            diag: Socket::of_sockets()?,
            handshakes: Handshakes::watch(family)?,
            known: Vec::new(),
        };
        sockets.list(Instant::now())?;
        Ok(sockets)
    }

    /// Learns of new connections without looking at any. The error is the kernel's.
    pub(crate) fn learn(&mut self, now: Instant) -> Result<(), Errno> {
        let new = self.handshakes.take();
        let plenty = new.len() >= PLENTY;
        for ends in new {
            let waits = |known: &Known| known.ends == ends && known.cookie.is_none();
            if !self.known.iter().any(waits) {
                self.known.push(Known {
                    ends,
                    cookie: None,
                    seen: now,
                });
            }
        }
        if plenty { self.list(now) } else { Ok(()) }
    }

    /// Looks at every connection, and forgets those that have ended. What the kernel can't tell now it may tell at the next
    /// look.
    pub(crate) fn look(&mut self, recorder: &Recorder) {
        let mut still: Vec<Known> = Vec::with_capacity(self.known.len());
        for mut known in self.known.drain(..) {
            let wanted = [INFO, CONGESTION_CONTROL];
            let Ok(found) = look_up(&self.diag, known.ends, known.cookie, &wanted) else {
                still.push(known);
                continue;
            };
            let now = Instant::now();
            let cookie = found.and_then(|message| read(&message, self.end, now, recorder));
            let keep = match cookie {
                // A packet of a handshake that came again leads to a connection that is known.
                Some(_) => !still.iter().any(|other| other.cookie == cookie),
                None => {
                    known.cookie.is_none() && now.saturating_duration_since(known.seen) < HANDSHAKE
                }
            };
            if keep {
                known.cookie = cookie;
                still.push(known);
            }
        }
        self.known = still;
    }

    /// Learns of the connections that there are. The error is the kernel's.
    fn list(&mut self, now: Instant) -> Result<(), Errno> {
        for message in list(&self.diag, &[])? {
            let (Some(ends), cookie) = (message.ends(), message.cookie()) else {
                continue;
            };
            if !self.known.iter().any(|known| known.cookie == cookie) {
                self.known.push(Known {
                    ends,
                    cookie,
                    seen: now,
                });
            }
        }
        Ok(())
    }
}

/// Hands on what is told of a connection; its cookie, or none of a socket that is no connection yet or any more.
fn read(message: &Message, end: End, at: Instant, recorder: &Recorder) -> Option<u64> {
    message.state()?;
    let (ends, cookie) = (message.ends()?, message.cookie()?);
    let info = TcpInfo(message.attribute(INFO)?);
    let reading = Reading {
        local: ends.local,
        peer: ends.peer,
        program: "linux",
        congestion_controller: message.congestion_control(),
        mss: info.mss(),
        black_holes: None,
        sample: info.sample(),
    };
    let key = Key {
        end,
        transport: Transport::Tcp,
        number: cookie,
    };
    recorder.take(key, at, &reading);
    Some(cookie)
}
