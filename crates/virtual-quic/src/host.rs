//! One end: an endpoint, its connection, and what goes in and out.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Endpoint, EndpointConfig,
    ServerConfig,
};

use crate::certificate::HOST_NAME;
use crate::clock::Clock;
use crate::datagram::Datagram;
use crate::error::TransferError;

const CLIENT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), 50_000);
const SERVER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2)), 443);

/// Datagrams that quinn builds at once: as many as its asynchronous part hands over to segmentation offload
/// (`MAX_TRANSMIT_SEGMENTS`, quinn's connection.rs).
const DATAGRAMS_AT_ONCE: usize = 10;

/// One end of a connection.
pub(crate) struct Host {
    clock: Clock,
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    peer: SocketAddr,
    buffer: Vec<u8>,
}

impl Host {
    /// A client that begins a connection at `now`.
    pub(crate) fn client(
        endpoint: Arc<EndpointConfig>,
        config: ClientConfig,
        clock: Clock,
        now: Instant,
    ) -> Result<Host, TransferError> {
        let mut endpoint = Endpoint::new(endpoint, None, true, None);
        let connection = endpoint.connect(now, config, SERVER, HOST_NAME)?;
        Ok(Host {
            clock,
            endpoint,
            connection: Some(connection),
            peer: SERVER,
            buffer: Vec::new(),
        })
    }

    /// A server, which waits for one.
    pub(crate) fn server(
        endpoint: Arc<EndpointConfig>,
        config: ServerConfig,
        clock: Clock,
    ) -> Host {
        Host {
            clock,
            endpoint: Endpoint::new(endpoint, Some(Arc::new(config)), true, None),
            connection: None,
            peer: CLIENT,
            buffer: Vec::new(),
        }
    }

    pub(crate) fn connection(&mut self) -> Option<&mut Connection> {
        self.connection.as_mut().map(|(_, connection)| connection)
    }

    /// Takes a datagram that came.
    pub(crate) fn receive(
        &mut self,
        now: Instant,
        datagram: Datagram,
    ) -> Result<(), TransferError> {
        if datagram.corrupted {
            return Ok(());
        }
        self.buffer.clear();
        let event = self.endpoint.handle(
            now,
            self.peer,
            None,
            datagram.ecn,
            datagram.payload,
            &mut self.buffer,
        );
        match event {
            None => {}
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) if self.connection.is_none() => {
                let accepted = self
                    .endpoint
                    .accept(incoming, now, &mut self.buffer, None)
                    .map_err(|error| TransferError::Refused(error.cause))?;
                self.connection = Some(accepted);
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.endpoint.ignore(incoming),
            Some(DatagramEvent::Response(_)) => {
                return Err(TransferError::Stray {
                    at: self.clock.since_zero(now),
                });
            }
        }
        self.forward();
        Ok(())
    }

    /// When a timer of quinn's is due.
    pub(crate) fn due(&mut self) -> Option<Instant> {
        self.connection()?.poll_timeout()
    }

    /// Lets the timers go off that are due by `now`.
    pub(crate) fn wake(&mut self, now: Instant) {
        if let Some(connection) = self.connection() {
            connection.handle_timeout(now);
        }
        self.forward();
    }

    /// Hands over every datagram that may be sent at `now`; gives how many these are.
    pub(crate) fn send(&mut self, now: Instant, mut send: impl FnMut(Datagram)) -> usize {
        let mut sent = 0;
        let Some((_, connection)) = &mut self.connection else {
            return sent;
        };
        self.buffer.clear();
        while let Some(transmit) =
            connection.poll_transmit(now, DATAGRAMS_AT_ONCE, &mut self.buffer)
        {
            let segment = transmit.segment_size.unwrap_or(transmit.size).max(1);
            for payload in self.buffer[..transmit.size].chunks(segment) {
                sent += 1;
                send(Datagram {
                    payload: payload.into(),
                    ecn: transmit.ecn,
                    corrupted: false,
                });
            }
            self.buffer.clear();
        }
        self.forward();
        sent
    }

    /// Carries what the connection has for its endpoint there, and the answers back.
    fn forward(&mut self) {
        let Some((handle, connection)) = &mut self.connection else {
            return;
        };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(answer) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(answer);
            }
        }
    }
}
