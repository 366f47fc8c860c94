//! Connections of s2n-quic's: how they begin and end. They stay on the path on which they began.

use std::cell::RefCell;
use std::rc::Rc;

use pronghorn_flight::End;
use pronghorn_http::h3::{ClientConnection, QuicConnection};
use pronghorn_http::{ClientTls, S2nClient, S2nConnection, Settings, TlsError};
use tokio::sync::watch;

use super::h3::{self, FAREWELL, Opened, enter_handshake, fetch};
use super::migration::local_address;
use super::multiplexed::Connector;
use super::{Context, Failure, Target, Wanted};

/// Opens connections over s2n-quic.
pub(crate) struct S2n {
    client: Rc<S2nClient>,
    local_port: u16,
    tls: ClientTls,
    opened: Connections,
}

/// Connections by their indices in the record.
type Connections = Rc<RefCell<Vec<(usize, S2nConnection)>>>;

impl S2n {
    /// Binds a socket. Must be called inside a tokio runtime.
    pub(super) fn new(tls: ClientTls, target: &Target) -> Result<S2n, TlsError> {
        let local = pronghorn_http::any_local(target.address);
        let socket = pronghorn_http::bind_udp(local, &target.knobs)?;
        let local_port = socket.local_addr()?.port();
        let client = S2nClient::new(tls.config.clone(), &target.quic_options(), socket)?;
        Ok(S2n {
            client: Rc::new(client),
            local_port,
            tls,
            opened: Rc::default(),
        })
    }

    /// What outlives the requests.
    pub(super) fn endpoint(&self) -> h3::Endpoint {
        h3::Endpoint::S2n(Endpoint {
            client: self.client.clone(),
            opened: self.opened.clone(),
        })
    }

    /// Keeps a connection, and records what it does where that is asked for.
    fn follow(&self, context: &Context, index: usize, connection: &S2nConnection) {
        let target = &context.target;
        // The socket is bound to no address of the host's.
        let ip = local_address(target.address);
        if let (Some(recorder), Some(ip)) = (&target.quic_watch.flight, ip) {
            let (connection, recorder) = (connection.clone(), recorder.clone());
            let local = (ip, self.local_port).into();
            let recording =
                pronghorn_http::record_s2n_flight(connection, local, End::Client, recorder);
            tokio::task::spawn_local(recording);
        }
        self.opened.borrow_mut().push((index, connection.clone()));
    }
}

impl Connector for S2n {
    type Connection = Opened<S2nConnection>;

    async fn open(&self, context: &Context) -> Result<(usize, Self::Connection), Failure> {
        let target = &context.target;
        let index = context.open_connection();
        context.update(index, |record| {
            record.udp_receive_buffer = Some(self.client.reader().receive_buffer());
        });
        let certificates = self.tls.certificates();
        let quic = self
            .client
            .connect(target.address, &target.host_name)
            .await?;
        self.follow(context, index, &quic);
        let resumed = self.tls.certificates() == certificates;
        let control = quic.told().congestion_control();
        enter_handshake(context, index, quic.alpn(), control, &self.tls, resumed);
        // Nothing goes before the handshake is done.
        let (_, settled) = watch::channel(true);
        let http = ClientConnection::start(quic);
        Ok((index, Opened { http, settled }))
    }

    async fn fetch(
        &self,
        context: &Context,
        index: usize,
        connection: Self::Connection,
        wanted: &Wanted,
    ) -> Result<(), Failure> {
        fetch(context, index, connection, wanted).await
    }
}

/// The socket and what goes over it.
pub(crate) struct Endpoint {
    client: Rc<S2nClient>,
    opened: Connections,
}

impl Endpoint {
    pub(super) fn read_settings(&self, context: &Context) {
        for (index, connection) in self.opened.borrow().iter() {
            let told = connection.told();
            let settings = Settings::Quic(self.client.reader().read(&told));
            // Its events may have come after the handshake.
            let control = told.congestion_control();
            context.update(*index, |record| {
                record.settings = settings;
                record.congestion_controller = control.map(|control| control.to_string());
            });
        }
    }

    pub(super) async fn close(&self) {
        for (_, connection) in self.opened.borrow_mut().drain(..) {
            connection.end();
        }
        // What isn't over by then ends with the socket.
        let _ = tokio::time::timeout(FAREWELL, self.client.idle()).await;
    }
}
