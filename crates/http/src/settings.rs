//! How a connection's transport is set up at one end, read back as far as kernel and library tell.

use std::io;
use std::mem::zeroed;
use std::os::fd::AsRawFd;

use nix::libc;
use schemars::JsonSchema;
use serde::Serialize;
use socket2::SockRef;

use crate::knobs::paces;
use crate::tcp::{congestion_control_of, is_bounded};
use crate::{QuicSocket, QuicStack, TransportKnobs};

/// How one end of a connection is set up. Null where nobody tells.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum Settings {
    /// Of a connection that never was.
    Unknown {},
    /// Of kernel TCP, and of HTTP/2 over it.
    Tcp(TcpSettings),
    /// Of QUIC.
    Quic(QuicSettings),
}

impl Default for Settings {
    fn default() -> Self {
        Settings::Unknown {}
    }
}

/// TCP's settings, as the kernel tells when the connection was made (at the origin: accepted).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct TcpSettings {
    /// The initial congestion window in bytes: `snd_cwnd` × `snd_mss`.
    pub initial_window: Option<u64>,
    /// Bytes of a full segment's payload.
    pub mss: Option<u32>,
    /// Bytes of the send buffer, before it grows (`SO_SNDBUF`).
    pub send_buffer: Option<usize>,
    /// Bytes of the receive buffer, before it grows (`SO_RCVBUF`).
    pub receive_buffer: Option<usize>,
    /// Whether the kernel paces: `SO_MAX_PACING_RATE` is set, or it runs BBR.
    pub pacing: Option<bool>,
    /// Bytes that this end announced as HTTP/2's stream window. Null over HTTP/1.1.
    pub stream_window: Option<u32>,
    /// Bytes that it announced as HTTP/2's connection window, likewise.
    pub connection_window: Option<u32>,
}

impl TcpSettings {
    /// Those of a socket whose handshake is done and that has sent nothing else yet.
    pub fn of<'s>(socket: impl Into<SockRef<'s>>) -> TcpSettings {
        let socket: SockRef<'s> = socket.into();
        let info = tcp_info(&socket).ok();
        let window =
            |info: libc::tcp_info| u64::from(info.tcpi_snd_cwnd) * u64::from(info.tcpi_snd_mss);
        TcpSettings {
            initial_window: info.map(window),
            mss: info.map(|info| info.tcpi_snd_mss),
            send_buffer: socket.send_buffer_size().ok(),
            receive_buffer: socket.recv_buffer_size().ok(),
            pacing: is_paced(&socket).ok(),
            stream_window: None,
            connection_window: None,
        }
    }

    /// These, of a connection of HTTP/2 with such windows.
    #[must_use]
    pub fn with_windows(self, stream: u32, connection: u32) -> TcpSettings {
        TcpSettings {
            stream_window: Some(stream),
            connection_window: Some(connection),
            ..self
        }
    }
}

fn is_paced(socket: &SockRef<'_>) -> io::Result<bool> {
    Ok(is_bounded(&**socket)? || paces(&congestion_control_of(&**socket)?))
}

fn tcp_info(socket: &SockRef<'_>) -> io::Result<libc::tcp_info> {
    // SAFETY: all zeroes are a valid value of this structure of numbers.
    let mut info: libc::tcp_info = unsafe { zeroed() };
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes, into a structure of that size.
    let done = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            (&raw mut info).cast(),
            &raw mut length,
        )
    };
    match done {
        0 => Ok(info),
        _ => Err(io::Error::last_os_error()),
    }
}

/// QUIC's settings: at the end of a load, of an origin now or when the connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
pub struct QuicSettings {
    /// The stack whose connection it is.
    pub stack: QuicStack,
    /// The congestion controller's first window, in bytes.
    pub initial_window: u64,
    /// Whether sending is paced. Always true: no stack's pacing can be turned off.
    pub pacing: bool,
    /// Bytes of the stream window that the stack was given; by default quinn's 1 250 000 or s2n-quic's 3 750 000.
    pub stream_window: u64,
    /// Bytes of the connection window that the stack was given; by default quinn's 2^62 − 1 or s2n-quic's 3 750 000.
    pub connection_window: u64,
    /// The largest UDP payload now, in bytes.
    pub udp_payload: u16,
    /// Whether the stack was told to look for larger payloads.
    pub mtu_discovery: bool,
    /// Bytes of the socket's receive buffer as the kernel tells: twice those asked for.
    pub udp_receive_buffer: usize,
    /// Bytes of the socket's send buffer, likewise.
    pub udp_send_buffer: usize,
    /// Whether several datagrams are handed to the kernel at once: it is allowed, and the kernel hasn't refused.
    pub segmentation_offload: bool,
    /// The `ack_frequency` that the peer was told. Null where it was told none.
    pub ack_frequency: Option<u32>,
}

impl QuicSettings {
    /// Those of a connection of quinn-proto's now, which was asked to be so, over a socket that takes several datagrams at
    /// once or not. Buffers that the socket doesn't tell are 0.
    #[must_use]
    pub fn of(
        connection: &quinn_proto::Connection,
        knobs: &TransportKnobs,
        socket: &std::net::UdpSocket,
        takes_several_at_once: bool,
    ) -> QuicSettings {
        let socket = SockRef::from(socket);
        settings(
            knobs,
            &connection.stats(),
            connection.congestion_state().initial_window(),
            [
                socket.recv_buffer_size().unwrap_or_default(),
                socket.send_buffer_size().unwrap_or_default(),
            ],
            takes_several_at_once,
        )
    }
}

fn settings(
    knobs: &TransportKnobs,
    stats: &quinn::ConnectionStats,
    initial_window: u64,
    [udp_receive_buffer, udp_send_buffer]: [usize; 2],
    takes_several_at_once: bool,
) -> QuicSettings {
    let told = stats.frame_tx.ack_frequency > 0;
    QuicSettings {
        stack: QuicStack::Quinn,
        initial_window,
        pacing: true,
        stream_window: knobs.stream_window.map_or(STREAM_WINDOW, u64::from),
        connection_window: knobs.connection_window.map_or(CONNECTION_WINDOW, u64::from),
        udp_payload: stats.path.current_mtu,
        mtu_discovery: knobs.mtu_discovery.unwrap_or(true),
        udp_receive_buffer,
        udp_send_buffer,
        segmentation_offload: knobs.segmentation_offload.unwrap_or(true) && takes_several_at_once,
        ack_frequency: knobs.ack_frequency.filter(|_| told),
    }
}

/// quinn's windows where none are asked for: for 100 Mbit/s over 100 ms.
pub(crate) const STREAM_WINDOW: u64 = 1_250_000;
pub(crate) const CONNECTION_WINDOW: u64 = quinn::VarInt::MAX.into_inner();

/// Reads back the settings of connections over one socket.
#[derive(Debug, Clone)]
pub struct QuicReader {
    knobs: TransportKnobs,
    socket: QuicSocket,
}

impl QuicReader {
    /// Of connections that were asked to be so.
    pub fn new(knobs: TransportKnobs, socket: QuicSocket) -> QuicReader {
        QuicReader { knobs, socket }
    }

    /// Those of a connection now.
    #[must_use]
    pub fn read(&self, connection: &quinn::Connection) -> QuicSettings {
        let QuicReader { knobs, socket } = self;
        settings(
            knobs,
            &connection.stats(),
            connection.congestion_state().initial_window(),
            [socket.receive_buffer(), socket.send_buffer()],
            socket.takes_several_at_once(),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use serde_json::{json, to_value};

    use super::*;

    #[test]
    fn a_connection_that_never_was_has_no_settings() {
        let told = to_value(Settings::default()).expect("it is plain data");
        assert_eq!(told, json!({}));
    }

    #[test]
    fn a_socket_tells_its_first_window_in_whole_segments() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let at = listener.local_addr().expect("it is bound");
        let stream = TcpStream::connect(at).expect("it listens");
        let settings = TcpSettings::of(&stream);
        let (window, mss) = (settings.initial_window, settings.mss.map(u64::from));
        let (window, mss) = (window.expect("Linux tells"), mss.expect("Linux tells"));
        assert!(mss > 0 && window > 0 && window % mss == 0, "{settings:?}");
        assert!(settings.send_buffer > Some(0) && settings.receive_buffer > Some(0));
        assert!(settings.pacing.is_some());
        let told = to_value(Settings::Tcp(settings.with_windows(7, 9))).expect("plain data");
        assert_eq!(
            (&told["stream_window"], &told["connection_window"]),
            (&json!(7), &json!(9))
        );
    }
}
