//! The streams that live as long as the connection: our own three, and the peer's.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use bytes::BytesMut;
use pronghorn_http3::connection::{Config, Connection, Event, UniStream};
use pronghorn_http3::{Code, Side};
use tokio::sync::Notify;

use super::error::close_if_fatal;
use super::transport::{QuicConnection, ReceiveStream, SendStream};
use super::{H3Error, MAX_FIELD_SECTION_SIZE};

/// Drives the control streams and keeps what was said on them. Lives on one thread.
///
/// PRIORITY_UPDATE (RFC 9218 §7) is checked and passed over: HTTP/2's implementation can't hear it,
/// and a scheduler that knows more on one protocol than on the other would be a hidden factor.
pub(super) struct Control<C> {
    quic: C,
    state: RefCell<Connection>,
    /// What the GOAWAY names that is to be sent.
    last: Cell<Option<u64>>,
    leaving: Notify,
}

impl<C: QuicConnection> Control<C> {
    /// Opens our streams and reads the peer's from now on. Must run inside a `LocalSet`.
    pub(super) fn start(quic: C, side: Side) -> Rc<Control<C>> {
        let config = Config {
            max_field_section_size: Some(MAX_FIELD_SECTION_SIZE),
            ..Config::default()
        };
        let control = Rc::new(Control {
            quic,
            state: RefCell::new(Connection::new(side, config)),
            last: Cell::new(None),
            leaving: Notify::new(),
        });
        tokio::task::spawn_local(hold_open(control.clone()));
        tokio::task::spawn_local(accept(control.clone()));
        if side == Side::Client {
            tokio::task::spawn_local(refuse_requests(control.clone()));
        }
        control
    }

    /// Opens our streams once more. Must run inside a `LocalSet`.
    pub(super) fn reopen(self: &Rc<Self>) {
        tokio::task::spawn_local(hold_open(self.clone()));
    }

    /// Tells the peer that no request stream from the ID `last` on is processed.
    pub(super) fn go_away(&self, last: u64) {
        self.last.set(Some(last));
        self.leaving.notify_one();
    }

    /// Whether the peer said that it takes no further requests.
    pub(super) fn peer_goes_away(&self) -> bool {
        self.state.borrow().peer_goaway().is_some()
    }
}

/// Opens our three streams and keeps them until the connection ends: their closing would be an
/// error (RFC 9114 §6.2.1).
async fn hold_open<C: QuicConnection>(control: Rc<Control<C>>) {
    let opening = control.state.borrow().opening();
    let mut streams = Vec::new();
    for first in [
        opening.control,
        opening.qpack_encoder,
        opening.qpack_decoder,
    ] {
        let Ok(mut stream) = control.quic.open_uni().await else {
            return;
        };
        // Ahead of every response: nothing can be understood before SETTINGS.
        stream.hasten();
        if stream.write(&mut [first]).await.is_err() {
            return;
        }
        streams.push(stream);
    }
    tokio::select! {
        () = control.quic.closed() => return,
        () = control.leaving.notified() => {}
    }
    let mut goaway = BytesMut::new();
    let last = control.last.get().unwrap_or_default();
    control.state.borrow_mut().put_goaway(last, &mut goaway);
    if streams[0].write(&mut [goaway.freeze()]).await.is_ok() {
        control.quic.closed().await;
    }
}

async fn accept<C: QuicConnection>(control: Rc<Control<C>>) {
    while let Ok(stream) = control.quic.accept_uni().await {
        tokio::task::spawn_local(read(control.clone(), stream));
    }
}

/// A server must not make requests (RFC 9114 §6.1).
async fn refuse_requests<C: QuicConnection>(control: Rc<Control<C>>) {
    if control.quic.accept_bi().await.is_err() {
        return;
    }
    if let Err(error) = control.state.borrow().accept_bidi() {
        close_if_fatal(&control.quic, &error);
    }
}

async fn read<C: QuicConnection>(control: Rc<Control<C>>, mut stream: C::Receive) {
    let mut uni = UniStream::new();
    loop {
        let outcome = match stream.read().await {
            Ok(Some(mut input)) => drain(&control, &mut uni, &mut input),
            // A reset closes a critical stream as much as its end does.
            Ok(None) | Err(H3Error::Reset(_)) => {
                if let Err(error) = control.state.borrow().finish_uni(&uni) {
                    close_if_fatal(&control.quic, &error);
                }
                return;
            }
            Err(_) => return,
        };
        match outcome {
            Ok(true) => {}
            Ok(false) => {
                stream.stop(Code::StreamCreationError);
                return;
            }
            Err(error) => {
                close_if_fatal(&control.quic, &error);
                return;
            }
        }
    }
}

/// Takes in all that the bytes say; whether to go on reading.
fn drain<C>(
    control: &Control<C>,
    uni: &mut UniStream,
    input: &mut bytes::Bytes,
) -> Result<bool, pronghorn_http3::Error> {
    loop {
        match control.state.borrow_mut().read_uni(uni, input)? {
            None => return Ok(true),
            Some(Event::UnknownStream) => return Ok(false),
            Some(Event::Settings(_) | Event::Goaway(_) | Event::PriorityUpdate { .. }) => {}
        }
    }
}
