//! A TUN device: what a host sends comes out of it as IP packets, and what goes in the host receives
//! (Linux `Documentation/networking/tuntap.rst`).

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

use nix::errno::Errno;

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
    /// a `virtio_net_hdr` of ten bytes, and checksums left to the reader ([`crate::checksum`]); no
    /// segmentation offload. Names longer than 15 bytes are cut.
    pub(crate) fn create(&self, name: &str) -> Result<(), Errno> {
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
        let fd = self.0.as_raw_fd();
        // SAFETY: TUNSETIFF reads and writes one ifreq; TUNSETOFFLOAD takes a number.
        unsafe {
            Errno::result(libc::ioctl(fd, libc::TUNSETIFF as _, &raw mut request))?;
            Errno::result(libc::ioctl(fd, libc::TUNSETOFFLOAD as _, libc::TUN_F_CSUM))?;
        }
        Ok(())
    }

    /// Takes one packet that the host has sent, after its header; the length of both. `WouldBlock` where there is none.
    pub(crate) fn receive(&self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.0).read(buffer)
    }

    /// Gives the host one packet, after its header. The host's network stack processes it within this call.
    pub(crate) fn send(&self, packet: &[u8]) -> io::Result<()> {
        (&self.0).write(packet).map(drop)
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
