//! The name server on a thread of the server's host.

use std::io;
use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread::JoinHandle;

use pronghorn_bench::Side;
use pronghorn_names::{NameRecords, NameServer, PORT, QueryLog, Zone};
use tokio::sync::oneshot;
use tokio::task::LocalSet;

use crate::answer::Fault;
use crate::hosts::Hosts;

/// A name server that answers until it is dropped.
pub(crate) struct Answering {
    pub(crate) address: SocketAddr,
    pub(crate) log: QueryLog,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Answering {
    /// Starts it and waits until it is bound. On loopback it is refused: the port is the machine's.
    pub(crate) fn start(hosts: &Hosts, records: &[NameRecords]) -> Result<Answering, Fault> {
        if matches!(hosts, Hosts::Direct(_)) {
            return Err(Fault::input(
                "over loopback there is no name server of a bench's own: port 53 is the machine's",
            ));
        }
        let zone = Zone::new(records).map_err(Fault::input)?;
        let host = hosts.get(Side::Server);
        let address = SocketAddr::from((host.address(), PORT));
        let (ready, bound) = mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let thread = host.thread("names", move || serve(zone, address, &ready, stopped));
        let thread = thread.map_err(Fault::bench)?;
        let (address, log) = bound
            .recv()
            .map_err(|_| Fault::bench("the name server ended before it was bound"))?
            .map_err(|error| Fault::bench(format!("a name server at {address}: {error}")))?;
        Ok(Answering {
            address,
            log,
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // It may have ended by itself.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

type Bound = io::Result<(SocketAddr, QueryLog)>;

fn serve(
    zone: Zone,
    address: SocketAddr,
    ready: &mpsc::Sender<Bound>,
    stopped: oneshot::Receiver<()>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return drop(ready.send(Err(error))),
    };
    LocalSet::new().block_on(&runtime, async {
        let server = match NameServer::bind(zone, address).await {
            Ok(server) => server,
            Err(error) => return drop(ready.send(Err(error))),
        };
        let bound = server.address().map(|address| (address, server.log()));
        let _ = ready.send(bound);
        tokio::select! {
            () = server.serve() => {}
            _ = stopped => {}
        }
    });
}
