//! The congestion control that TCP sockets really use.

use std::ffi::OsString;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd};
use std::time::Duration;
use std::{fs, io};

use crate::transfer::listen;
use pronghorn_bench::{
    Bench, BenchError, BenchSpec, Program, Side, TcpCongestionControl,
    available_congestion_controls,
};
use pronghorn_path::PathSpec;

/// The argument that makes this program the foreign one.
pub(crate) const FOREIGN: &str = "--foreign-tcp-client";

pub(crate) fn is_locked() {
    let available = available_congestion_controls().expect("every kernel lists them");
    for algorithm in available {
        let spec = BenchSpec {
            path: PathSpec::default(),
            seed: 1,
            tcp_congestion_control: algorithm.as_str().into(),
            ..BenchSpec::default()
        };
        let bench = Bench::open(spec).expect("a listed algorithm can be had");
        let (listener, at) = listen(&bench);
        let accept = move || listener.accept().map(|(stream, _)| stream);
        let accepted = bench
            .host(Side::Server)
            .thread("accept", accept)
            .expect("a thread");

        let said =
            std::env::temp_dir().join(format!("pronghorn-{}-{algorithm}", std::process::id()));
        let program = Program {
            argv: vec![this_program(), FOREIGN.into(), at.to_string().into()],
            stdout: Some(said.clone()),
            ..Program::default()
        };
        let foreign = bench
            .host(Side::Client)
            .spawn(program)
            .expect("this program is executable");
        let status = foreign
            .wait(Some(Duration::from_secs(20)))
            .expect("it can be waited for");
        assert!(
            status.is_some_and(|status| status.success()),
            "{algorithm}: {status:?}"
        );
        let found = fs::read_to_string(&said).expect("it has written");
        fs::remove_file(&said).expect("it is ours");
        assert_eq!(found, format!("{algorithm}\nrefused\n{algorithm}\n"));

        let stream = accepted
            .join()
            .expect("the thread ends")
            .expect("a connection came");
        assert_eq!(
            congestion_control(&stream).expect("TCP has one"),
            algorithm,
            "accepted"
        );
        for other in ["reno", "cubic"] {
            let refused = set_congestion_control(&stream, other).expect_err("it is locked");
            assert_eq!(
                refused.raw_os_error(),
                Some(libc::EPERM),
                "accepted, {other}"
            );
        }
    }
}

pub(crate) fn a_preferred_one_may_be_asked_for() {
    let available = available_congestion_controls().expect("every kernel lists them");
    for algorithm in available {
        let spec = BenchSpec {
            tcp_congestion_control: TcpCongestionControl::Preferred(algorithm.clone()),
            ..BenchSpec::default()
        };
        let bench = Bench::open(spec).expect("a listed algorithm can be had");
        let (listener, at) = listen(&bench);
        let name = algorithm.clone();
        let connected = bench
            .host(Side::Client)
            .within(move || (TcpStream::connect(at), connect_asking_for(&name, at)));
        for connected in [connected.0, connected.1] {
            let connected = connected.expect("the server listens");
            let (accepted, _) = listener.accept().expect("a connection came");
            for end in [connected, accepted] {
                assert_eq!(congestion_control(&end).expect("TCP has one"), algorithm);
                set_congestion_control(&end, &algorithm).expect("it may be asked for");
                set_congestion_control(&end, "reno").expect("and so may another");
            }
        }
    }
}

pub(crate) fn an_unknown_one_names_the_known() {
    let spec = BenchSpec {
        path: PathSpec::default(),
        seed: 1,
        tcp_congestion_control: "vegan".into(),
        ..BenchSpec::default()
    };
    match Bench::open(spec) {
        Err(error @ BenchError::CongestionControl { .. }) => {
            let message = error.to_string();
            assert!(
                message.contains("`vegan`") && message.contains("cubic"),
                "{message}"
            );
        }
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("no kernel has this algorithm"),
    }
}

/// What a program that knows nothing of the bench finds: asks for another algorithm before it
/// connects, tells what it got, asks again, and tells again.
pub(crate) fn foreign_program() {
    let to: SocketAddr = std::env::args()
        .nth(2)
        .and_then(|address| address.parse().ok())
        .expect("the address stands in the command line");
    let stream = connect_asking_for("reno", to).expect("the server listens");
    println!("{}", congestion_control(&stream).expect("TCP has one"));
    let refused = ["reno", "cubic"].iter().all(|other| {
        set_congestion_control(&stream, other)
            .is_err_and(|error| error.raw_os_error() == Some(libc::EPERM))
    });
    println!("{}", if refused { "refused" } else { "granted" });
    println!("{}", congestion_control(&stream).expect("TCP has one"));
}

fn this_program() -> OsString {
    std::env::current_exe()
        .expect("this program has a file")
        .into_os_string()
}

fn connect_asking_for(algorithm: &str, to: SocketAddr) -> io::Result<TcpStream> {
    let SocketAddr::V4(to) = to else {
        return Err(io::ErrorKind::Unsupported.into());
    };
    let address = libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: to.port().to_be(),
        sin_addr: libc::in_addr {
            s_addr: u32::from_ne_bytes(to.ip().octets()),
        },
        sin_zero: [0; 8],
    };
    // SAFETY: plain system calls; the descriptor is the stream's alone, the address outlives them.
    unsafe {
        let fd = libc::socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let stream = TcpStream::from_raw_fd(fd);
        set_congestion_control(&stream, algorithm)?;
        let length = size_of::<libc::sockaddr_in>() as libc::socklen_t;
        if libc::connect(fd, (&raw const address).cast(), length) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(stream)
    }
}

fn congestion_control(stream: &TcpStream) -> io::Result<String> {
    let mut name = [0u8; 16];
    let mut length = name.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes.
    let done = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_CONGESTION,
            name.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if done < 0 {
        return Err(io::Error::last_os_error());
    }
    let text = name.split(|byte| *byte == 0).next().unwrap_or_default();
    Ok(String::from_utf8_lossy(text).into_owned())
}

fn set_congestion_control(stream: &TcpStream, name: &str) -> io::Result<()> {
    // SAFETY: the kernel reads as many bytes as said.
    let done = unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_CONGESTION,
            name.as_ptr().cast(),
            name.len() as libc::socklen_t,
        )
    };
    if done < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}
