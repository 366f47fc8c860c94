//! What these devices carry at best: two network namespaces, a TUN device with segmentation offload in
//! each, and two threads that hand whole super-packets from one to the other. They decide nothing,
//! time nothing and look at nothing, so that no path over such devices is faster.
//!
//! `forwarder [--ordinary] SERVER-COMMAND… -- CLIENT-COMMAND…` runs one program on each host and ends
//! with the client's status. The client's host is 198.18.0.1, the server's 198.18.0.2; the client
//! starts when something listens on the server's. The threads have the priority that a path's
//! threads ask for, unless `--ordinary` is given. `benches/path_speed.py` sets the path beside it.

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use pronghorn_bench::enter;

const CLIENT: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
const SERVER: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 2);
const NETMASK: Ipv4Addr = Ipv4Addr::new(255, 254, 0, 0);

const DEVICE: &[u8] = b"bare0";
const MTU: libc::c_int = 1500;

/// As deep as the rings of a path's own devices.
const RING_PACKETS: libc::c_int = 16_384;

/// A `virtio_net_hdr` and the longest IP packet.
const CAPACITY: usize = 10 + 65_535;

const TSO: libc::c_uint = libc::TUN_F_TSO4 | libc::TUN_F_TSO6;
const USO: libc::c_uint = 0x20 | 0x40; // TUN_F_USO4 and 6 of linux/if_tun.h, since Linux 6.2

/// What a device may be asked to leave to its reader, the most first.
const OFFLOADS: [(&str, libc::c_uint); 3] = [
    ("csum, tso, uso", libc::TUN_F_CSUM | TSO | USO),
    ("csum, tso", libc::TUN_F_CSUM | TSO),
    ("csum", libc::TUN_F_CSUM),
];

const PATIENCE: Duration = Duration::from_secs(10);

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let isolation = enter();
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let ordinary = words.first().is_some_and(|word| word == "--ordinary");
    words.drain(..usize::from(ordinary));
    let mut sides = words.split(|word| word == "--").map(command);
    let (Some(Some(mut server)), Some(Some(mut client)), None) =
        (sides.next(), sides.next(), sides.next())
    else {
        return Err("usage: forwarder [--ordinary] SERVER-COMMAND… -- CLIENT-COMMAND…".into());
    };
    if let Some(reason) = isolation.reason() {
        return Err(reason.into());
    }

    let (tell, told) = channel();
    let (ready, listening) = channel();
    let (stop, stopped) = channel::<()>();
    let serving = thread::spawn(move || -> io::Result<()> {
        let _ = tell.send(new_host(SERVER)?);
        let mut running = server.stdout(Stdio::null()).spawn()?;
        let waited = wait_for_listener();
        let _ = ready.send(());
        let _ = stopped.recv();
        running.kill()?;
        running.wait()?;
        waited
    });
    if let Ok((far, offloads)) = told.recv() {
        let (near, _) = new_host(CLIENT)?;
        let (near, far) = (Arc::new(near), Arc::new(far));
        eprintln!("forwarding with {offloads}");
        for (from, to) in [(&near, &far), (&far, &near)] {
            let (from, to) = (Arc::clone(from), Arc::clone(to));
            thread::spawn(move || forward(&from, &to, ordinary));
        }
        if listening.recv().is_ok() {
            let status = client.status()?;
            drop(stop);
            serving
                .join()
                .map_err(|_| "the server's thread panicked")??;
            return Ok(status.code().map_or(ExitCode::FAILURE, |code| {
                ExitCode::from(u8::try_from(code).unwrap_or(1))
            }));
        }
    }
    serving
        .join()
        .map_err(|_| "the server's thread panicked")??;
    Err("the server's host ended early".into())
}

fn command(words: &[String]) -> Option<Command> {
    let (program, arguments) = words.split_first()?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    Some(command)
}

/// Hands over what comes, until a device is gone. A packet that the other host refuses is lost.
fn forward(mut from: &File, mut to: &File, ordinary: bool) {
    if !ordinary {
        let lowest = libc::sched_param { sched_priority: 1 };
        // SAFETY: plain system calls about the calling thread; the parameter outlives its call.
        unsafe {
            if libc::sched_setscheduler(0, libc::SCHED_RR, &raw const lowest) != 0 {
                libc::setpriority(libc::PRIO_PROCESS, 0, -10);
            }
        }
    }
    let mut buffer = vec![0; CAPACITY];
    loop {
        match from.read(&mut buffer) {
            Ok(length) => drop(to.write(&buffer[..length])),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Moves the calling thread to a new network namespace with a device of this address, whose
/// descriptor and offloads it returns.
fn new_host(address: Ipv4Addr) -> io::Result<(File, &'static str)> {
    unshare(CloneFlags::CLONE_NEWNET)?;
    let tun = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/net/tun")?;
    let flags = libc::IFF_TUN | libc::IFF_NO_PI | libc::IFF_VNET_HDR;
    let mut request = named();
    request.ifr_ifru.ifru_flags = flags as libc::c_short;
    ask(tun.as_raw_fd(), libc::TUNSETIFF, &mut request)?;
    let granted = OFFLOADS.iter().find(|(_, bits)| {
        // SAFETY: TUNSETOFFLOAD takes a number.
        unsafe { libc::ioctl(tun.as_raw_fd(), libc::TUNSETOFFLOAD as _, *bits) == 0 }
    });
    let (offloads, _) = granted.ok_or_else(io::Error::last_os_error)?;

    let configurator = socket(
        AddressFamily::Inet,
        SockType::Datagram,
        SockFlag::SOCK_CLOEXEC,
        None,
    )?;
    let device = configurator.as_raw_fd();
    let number = |value| {
        let mut request = named();
        request.ifr_ifru.ifru_metric = value;
        request
    };
    ask(device, libc::SIOCSIFMTU as _, &mut number(MTU))?;
    ask(device, libc::SIOCSIFTXQLEN as _, &mut number(RING_PACKETS))?;
    ask(device, libc::SIOCSIFADDR as _, &mut addressed(address))?;
    ask(device, libc::SIOCSIFNETMASK as _, &mut addressed(NETMASK))?;
    let mut up = named();
    up.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    ask(device, libc::SIOCSIFFLAGS as _, &mut up)?;
    Ok((tun, offloads))
}

fn named() -> libc::ifreq {
    // SAFETY: an all-zero ifreq is valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(DEVICE) {
        *to = *from as libc::c_char;
    }
    request
}

fn addressed(address: Ipv4Addr) -> libc::ifreq {
    let mut request = named();
    let internet = libc::sockaddr_in {
        sin_family: libc::AF_INET as _,
        sin_port: 0,
        sin_addr: libc::in_addr {
            s_addr: u32::from(address).to_be(),
        },
        sin_zero: [0; 8],
    };
    // SAFETY: a sockaddr_in is as long as the sockaddr that stands for it (ip(7)).
    request.ifr_ifru.ifru_addr =
        unsafe { std::mem::transmute::<libc::sockaddr_in, libc::sockaddr>(internet) };
    request
}

fn ask(fd: libc::c_int, what: libc::Ioctl, request: &mut libc::ifreq) -> io::Result<()> {
    // SAFETY: every request that is made here reads or writes one ifreq.
    let answer = unsafe { libc::ioctl(fd, what, &raw mut *request) };
    Errno::result(answer)?;
    Ok(())
}

/// Waits until a TCP socket of the calling thread's namespace listens (proc(5), `/proc/net/tcp`).
fn wait_for_listener() -> io::Result<()> {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        let mut sockets = fs::read_to_string("/proc/thread-self/net/tcp")?;
        sockets += &fs::read_to_string("/proc/thread-self/net/tcp6").unwrap_or_default();
        if sockets
            .lines()
            .any(|line| line.split_whitespace().nth(3) == Some("0A"))
        {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(5));
    }
    Err(io::Error::other("the server didn't listen in time"))
}
