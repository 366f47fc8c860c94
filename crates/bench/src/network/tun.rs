//! A TUN device: what a host sends comes out of it as IP packets, and what goes in the host receives
//! (Linux `Documentation/networking/tuntap.rst`).

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

use nix::errno::Errno;

/// `TUN_F_USO4` and `TUN_F_USO6` of linux/if_tun.h, which the libc crate doesn't hold.
const UDP_SEGMENTS: libc::c_uint = 0x20 | 0x40;

/// The descriptor of a TUN device, non-blocking. Dropping it removes the device, which takes the
/// kernel some tens of milliseconds.
pub(crate) struct Tun(File);

impl Tun {
    /// Opens `/dev/net/tun`, as yet without a device.
    pub(crate) fn open() -> Result<Tun, Errno> {
        OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC)
            .open("/dev/net/tun")
            .map(Tun)
            .map_err(|error| Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO)))
    }

    /// Creates the device `name` in the calling thread's network namespace: IP packets, each after
    /// a `virtio_net_hdr` of ten bytes; tells what the kernel leaves to the reader, `most` or less. Names longer than
    /// 15 bytes are cut.
    pub(crate) fn create(&self, name: &str, most: Offloads) -> Result<Offloads, Errno> {
        // SAFETY: an all-zero ifreq is valid.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        for (to, from) in request
            .ifr_name
            .iter_mut()
            .take(libc::IFNAMSIZ - 1)
            .zip(name.bytes())
        {
            *to = from as libc::c_char;
        }
        let flags = libc::IFF_TUN | libc::IFF_NO_PI | libc::IFF_VNET_HDR;
        request.ifr_ifru.ifru_flags = flags as libc::c_short;
        // SAFETY: TUNSETIFF reads and writes one ifreq.
        Errno::result(unsafe {
            libc::ioctl(self.0.as_raw_fd(), libc::TUNSETIFF as _, &raw mut request)
        })?;
        self.offload(most)
    }

    /// Asks for `most` offloads, and for fewer where the kernel hasn't got them.
    fn offload(&self, most: Offloads) -> Result<Offloads, Errno> {
        let mut refusal = Errno::EINVAL;
        let all = [Offloads::Datagrams, Offloads::Segments, Offloads::Checksums];
        for offloads in all.into_iter().filter(|offloads| *offloads <= most) {
            // SAFETY: TUNSETOFFLOAD takes a number.
            let asked = unsafe {
                libc::ioctl(
                    self.0.as_raw_fd(),
                    libc::TUNSETOFFLOAD as _,
                    offloads.flags(),
                )
            };
            match Errno::result(asked) {
                Ok(_) => return Ok(offloads),
                Err(errno) => refusal = errno,
            }
        }
        Err(refusal)
    }

    /// A stand-in for a device: one end of a pair of sockets that keep packets apart.
    #[cfg(test)]
    pub(crate) fn stand_in(end: std::os::fd::OwnedFd) -> Tun {
        Tun(end.into())
    }

    /// Takes what the host has sent, a packet or a super-packet, after its header; the length of both. `WouldBlock` where there is none.
    pub(crate) fn receive(&self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.0).read(buffer)
    }

    /// Gives the host one packet or super-packet, after its header. The host's network stack processes it within this call.
    pub(crate) fn send(&self, packet: &[u8]) -> io::Result<()> {
        (&self.0).write(packet).map(drop)
    }

    /// Gives the host one packet or super-packet that stands in several places.
    pub(crate) fn send_pieces(&self, pieces: &[IoSlice<'_>]) -> io::Result<()> {
        (&self.0).write_vectored(pieces).map(drop)
    }
}

/// What the kernel leaves to the reader of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Offloads {
    /// Checksums.
    Checksums,
    /// Also TCP's segmentation.
    Segments,
    /// Also UDP's, since Linux 6.2.
    Datagrams,
}

impl Offloads {
    /// Their names, as the engine's protocol has them.
    pub(crate) fn names(self) -> &'static [&'static str] {
        match self {
            Offloads::Checksums => &["csum"],
            Offloads::Segments => &["csum", "tso"],
            Offloads::Datagrams => &["csum", "tso", "uso"],
        }
    }

    fn flags(self) -> libc::c_uint {
        let tcp = libc::TUN_F_TSO4 | libc::TUN_F_TSO6 | libc::TUN_F_TSO_ECN;
        match self {
            Offloads::Checksums => libc::TUN_F_CSUM,
            Offloads::Segments => libc::TUN_F_CSUM | tcp,
            Offloads::Datagrams => libc::TUN_F_CSUM | tcp | UDP_SEGMENTS,
        }
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
