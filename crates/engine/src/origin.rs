//! The built-in origin on a thread of the server's host.

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use pronghorn_bench::Host;
use pronghorn_http::{QuicWatch, SecretLog};
use pronghorn_origin::{
    AccessLog, Application, Content, Face, Origin, OriginConfig, OriginError, ResponseHeaders, Site,
};
use tokio::sync::oneshot;
use tokio::task::LocalSet;

use crate::answer::Fault;
use crate::cpu::Watched;
use crate::request;

/// HTTPS's own port, which any process may bind on a host of its own.
const HTTPS: u16 = 443;

/// The most by which the time that recorded servers took can be multiplied.
const MOST_THINK: f64 = 1000.0;

/// An origin that serves until it is dropped.
pub(crate) struct Running {
    pub(crate) port: u16,
    pub(crate) clear_port: Option<u16>,
    pub(crate) log: AccessLog,
    pub(crate) serves: Watched,
    stop: Option<oneshot::Sender<Duration>>,
    thread: Option<JoinHandle<bool>>,
}

impl Running {
    /// Starts it and waits until it listens.
    pub(crate) fn start(
        host: &Host,
        request: request::Origin,
        content: Content,
        isolated: bool,
        secrets: Option<Arc<SecretLog>>,
        quic_watch: QuicWatch,
    ) -> Result<Running, Fault> {
        let headers = ResponseHeaders::new(&request.headers, &request.document_headers)
            .map_err(Fault::input)?;
        request
            .knobs
            .check_server(&request.congestion_control.tcp)
            .map_err(Fault::input)?;
        let (stack, control) = (request.quic_stack, request.congestion_control.quic);
        stack.check(control, &request.knobs).map_err(Fault::input)?;
        stack
            .check_sessions(request.early_data)
            .map_err(Fault::input)?;
        if isolated && request.address.is_some() {
            return Err(Fault::input(
                "on a bench the origin listens on its host's address; `address` is for loopback (`open` with `path` null)",
            ));
        }
        let faces = match request.recorded {
            None => vec![Face {
                address: request.address.unwrap_or(host.address().into()),
                certificate: request.certificate,
                key: request.key,
                h2: true,
                h3: true,
            }],
            Some(recorded) => faces(recorded, isolated)?,
        };
        let config = OriginConfig {
            content,
            faces,
            quic_stack: request.quic_stack,
            congestion_control: request.congestion_control,
            knobs: request.knobs,
            port: request.port.unwrap_or(if isolated { HTTPS } else { 0 }),
            clear_port: request.clear_port,
            headers,
            early_data: request.early_data,
            graceful: request.graceful,
            log: request.log,
            secrets,
            quic_watch,
        };
        let (ready, started) = mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let thread = host.thread("origin", move || serve(&config, &ready, stopped));
        let thread = thread.map_err(Fault::bench)?;
        let Listening {
            port,
            clear_port,
            log,
            serves,
        } = started
            .recv()
            .map_err(|_| Fault::bench("the origin ended before it listened"))??;
        Ok(Running {
            port,
            clear_port,
            log,
            serves,
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Running {
    /// Ends it; requests under way may take `within`. Whether all were answered.
    pub(crate) fn end(mut self, within: Duration) -> bool {
        self.stop_within(within)
    }

    fn stop_within(&mut self, within: Duration) -> bool {
        if let Some(stop) = self.stop.take() {
            // It may have ended by itself.
            let _ = stop.send(within);
        }
        let thread = self.thread.take();
        thread.is_some_and(|thread| thread.join().unwrap_or(false))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop_within(Duration::ZERO);
    }
}

/// What an application answers; nothing else that a request may say of content goes with it.
pub(crate) fn proxied(
    request: &request::Origin,
    proxied: &request::ProxiedOrigin,
) -> Result<Content, Fault> {
    if request.recorded.is_some() || request.clear_port.is_some() {
        return Err(Fault::input(
            "with `proxy` there is neither `recorded` nor `clear_port`: an application is served over TLS alone",
        ));
    }
    let application = Application::new(&proxied.url, proxied.limit_s);
    application.map(Content::Proxied).map_err(Fault::input)
}

/// Where a recorded site is served; each of its hosts has an address of a bench.
fn faces(recorded: request::RecordedOrigin, isolated: bool) -> Result<Vec<Face>, Fault> {
    if !isolated {
        return Err(Fault::input(
            "over loopback no recorded site can be served: its hosts need a bench's addresses",
        ));
    }
    if recorded.faces.is_empty() || !(0.0..=MOST_THINK).contains(&recorded.think) {
        return Err(Fault::input(format!(
            "a recorded site has at least one of `faces`, and `think` from 0 to {MOST_THINK}"
        )));
    }
    Ok(recorded.faces)
}

/// What an origin tells of itself once it listens.
struct Listening {
    port: u16,
    clear_port: Option<u16>,
    log: AccessLog,
    serves: Watched,
}

type Started = Result<Listening, Fault>;

/// Serves until it is told to end; whether all requests were answered then.
fn serve(
    config: &OriginConfig,
    ready: &mpsc::Sender<Started>,
    stopped: oneshot::Receiver<Duration>,
) -> bool {
    let serves = Watched::current();
    let runtime = match serves.runtime() {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = ready.send(Err(Fault::bench(error)));
            return false;
        }
    };
    LocalSet::new().block_on(&runtime, async {
        match Origin::bind(config) {
            Ok(origin) => {
                let _ = ready.send(Ok(Listening {
                    port: origin.port(),
                    clear_port: origin.clear_port(),
                    log: origin.log(),
                    serves,
                }));
                // Zero if whoever could say it is gone.
                let stop = async { stopped.await.unwrap_or_default() };
                origin.serve_until(stop).await
            }
            Err(error) => {
                drop(ready.send(Err(fault_of(&error))));
                false
            }
        }
    })
}

/// A socket that the kernel doesn't give as it was asked for is the host's lack.
fn fault_of(error: &OriginError) -> Fault {
    match error {
        OriginError::Udp(error) => Fault::udp(error),
        other => Fault::bench(other),
    }
}

/// The last site that was read, for as long as its folder stays as it was.
#[derive(Default)]
pub(crate) struct SiteCache(Option<(PathBuf, u64, Arc<Site>)>);

impl SiteCache {
    pub(crate) fn read(&mut self, root: &Path) -> Result<Arc<Site>, Fault> {
        let fingerprint = Site::fingerprint(root).map_err(Fault::input)?;
        match &self.0 {
            Some((known, when, site)) if known == root && *when == fingerprint => {
                return Ok(site.clone());
            }
            _ => {}
        }
        let site = Arc::new(Site::read(root).map_err(Fault::input)?);
        self.0 = Some((root.to_owned(), fingerprint, site.clone()));
        Ok(site)
    }
}
