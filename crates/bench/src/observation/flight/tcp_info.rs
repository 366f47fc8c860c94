//! `struct tcp_info` (`include/uapi/linux/tcp.h`), by its offsets. Kernels append to it: of what an older one doesn't have
//! nothing is known.

use pronghorn_flight::Sample;

/// The bytes as the kernel gave them.
#[derive(Clone, Copy)]
pub(crate) struct TcpInfo<'a>(pub(crate) &'a [u8]);

const SND_MSS: usize = 16;
const UNACKED: usize = 24;
const SACKED: usize = 28;
const LOST: usize = 32;
const RETRANS: usize = 36;
const RTT_US: usize = 68;
const RTTVAR_US: usize = 72;
const SND_CWND: usize = 80;
const TOTAL_RETRANS: usize = 100;
const PACING_RATE: usize = 104;
const BYTES_ACKED: usize = 120;
const MIN_RTT_US: usize = 148;
const DELIVERY_RATE: usize = 160;
/// Since Linux 6.7.
const TOTAL_RTO: usize = 240;

impl TcpInfo<'_> {
    /// Bytes of a full segment's payload.
    pub(crate) fn mss(self) -> Option<u64> {
        self.u32(SND_MSS)
    }

    /// What it says of the sending. What the kernel has marked as lost it tells only as long as that isn't sent again, so
    /// there are no losses since the beginning in it; and nothing of a round trip before the first one.
    pub(crate) fn sample(self) -> Sample {
        let bytes = |segments: Option<u64>| Some(segments? * self.mss()?);
        let rate = |at| {
            let bytes_per_s = self.u64(at).filter(|rate| !matches!(*rate, 0 | u64::MAX))?;
            bytes_per_s.checked_mul(8)
        };
        Sample {
            cwnd_bytes: bytes(self.u32(SND_CWND)),
            in_flight_bytes: bytes(self.in_flight()),
            srtt_s: self.seconds(RTT_US),
            rttvar_s: self.seconds(RTT_US).and(self.seconds(RTTVAR_US)),
            min_rtt_s: self.seconds(MIN_RTT_US),
            delivery_rate_bit_per_s: rate(DELIVERY_RATE),
            pacing_rate_bit_per_s: rate(PACING_RATE),
            lost_packets: None,
            retransmits: self.u32(TOTAL_RETRANS),
            timeouts: self.u16(TOTAL_RTO),
            acked_bytes: self.u64(BYTES_ACKED),
        }
    }

    /// Segments, as the kernel's `tcp_packets_in_flight` counts them.
    fn in_flight(self) -> Option<u64> {
        let gone = self.u32(SACKED)? + self.u32(LOST)?;
        Some((self.u32(UNACKED)? + self.u32(RETRANS)?).saturating_sub(gone))
    }

    /// A time in microseconds that is neither unknown (0) nor infinite.
    fn seconds(self, at: usize) -> Option<f64> {
        let us = u32::try_from(self.u32(at)?).ok()?;
        (us != 0 && us != u32::MAX).then(|| f64::from(us) / 1e6)
    }

    fn u16(self, at: usize) -> Option<u64> {
        let bytes = self.0.get(at..at + 2)?.try_into().ok()?;
        Some(u16::from_ne_bytes(bytes).into())
    }

    fn u32(self, at: usize) -> Option<u64> {
        let bytes = self.0.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_ne_bytes(bytes).into())
    }

    fn u64(self, at: usize) -> Option<u64> {
        let bytes = self.0.get(at..at + 8)?.try_into().ok()?;
        Some(u64::from_ne_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;

    use super::*;

    /// A sender in mid-transfer: 30 segments unacknowledged, 10 of them acknowledged selectively, 3 lost, 2 sent again.
    fn recorded() -> Vec<u8> {
        let mut bytes = vec![0; 248];
        for (at, value) in [
            (SND_MSS, 1448_u32),
            (UNACKED, 30),
            (SACKED, 10),
            (LOST, 3),
            (RETRANS, 2),
            (RTT_US, 40_250),
            (RTTVAR_US, 1_500),
            (SND_CWND, 21),
            (TOTAL_RETRANS, 7),
            (MIN_RTT_US, 40_010),
        ] {
            bytes[at..at + 4].copy_from_slice(&value.to_ne_bytes());
        }
        for (at, value) in [
            (PACING_RATE, u64::MAX),
            (BYTES_ACKED, 1_000_001),
            (DELIVERY_RATE, 6_000_000),
        ] {
            bytes[at..at + 8].copy_from_slice(&value.to_ne_bytes());
        }
        bytes[TOTAL_RTO..TOTAL_RTO + 2].copy_from_slice(&4_u16.to_ne_bytes());
        bytes
    }

    #[test]
    fn every_figure_stands_where_the_header_has_it() {
        let bytes = recorded();
        let info = TcpInfo(&bytes);
        assert_eq!(info.mss(), Some(1448));
        let expected = Sample {
            cwnd_bytes: Some(21 * 1448),
            in_flight_bytes: Some(19 * 1448),
            srtt_s: Some(0.04025),
            rttvar_s: Some(0.0015),
            min_rtt_s: Some(0.04001),
            delivery_rate_bit_per_s: Some(48_000_000),
            pacing_rate_bit_per_s: None,
            lost_packets: None,
            retransmits: Some(7),
            timeouts: Some(4),
            acked_bytes: Some(1_000_001),
        };
        assert_eq!(info.sample(), expected);
    }

    #[test]
    fn of_what_an_older_kernel_does_not_have_nothing_is_known() {
        let bytes = recorded();
        let linux_6_1 = TcpInfo(&bytes[..232]).sample();
        assert_eq!(linux_6_1.timeouts, None);
        assert_eq!(linux_6_1.acked_bytes, Some(1_000_001));
        let linux_2_6 = TcpInfo(&bytes[..104]).sample();
        assert_eq!(linux_2_6.retransmits, Some(7));
        assert_eq!(linux_2_6.min_rtt_s, None);
        for length in 0..bytes.len() {
            let sample = TcpInfo(&bytes[..length]).sample();
            assert_eq!(sample.timeouts.is_some(), length >= TOTAL_RTO + 2);
        }
    }

    #[test]
    fn before_the_first_round_trip_nothing_is_said_of_one() {
        let mut bytes = recorded();
        bytes[RTT_US..RTT_US + 4].fill(0);
        bytes[MIN_RTT_US..MIN_RTT_US + 4].fill(0xff);
        let sample = TcpInfo(&bytes).sample();
        assert_eq!(
            (sample.srtt_s, sample.rttvar_s, sample.min_rtt_s),
            (None, None, None)
        );
    }

    /// Where the kernel of this machine puts what a connection of known history has done.
    #[test]
    fn this_kernels_structure_is_read() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let at = listener.local_addr().expect("it is bound");
        let mut near = TcpStream::connect(at).expect("it listens");
        let (mut far, _) = listener.accept().expect("a connection came");
        near.write_all(&[7; 5000]).expect("there is room");
        far.read_exact(&mut [0; 5000]).expect("all arrives");
        far.write_all(b"done").expect("there is room");
        near.read_exact(&mut [0; 4]).expect("the answer arrives");
        let mut bytes = [0_u8; 512];
        let mut length = bytes.len() as libc::socklen_t;
        // SAFETY: the kernel writes at most `length` bytes.
        let done = unsafe {
            libc::getsockopt(
                near.as_raw_fd(),
                libc::IPPROTO_TCP,
                libc::TCP_INFO,
                bytes.as_mut_ptr().cast(),
                &raw mut length,
            )
        };
        assert_eq!(done, 0);
        let sample = TcpInfo(&bytes[..length as usize]).sample();
        // The kernel counts the SYN as a byte in some versions.
        assert!(
            matches!(sample.acked_bytes, Some(5000 | 5001)),
            "{sample:?}"
        );
        assert!(sample.cwnd_bytes > Some(0), "{sample:?}");
        assert_eq!(sample.in_flight_bytes, Some(0));
        assert!(sample.srtt_s.is_some_and(|srtt_s| srtt_s < 10.0));
        assert!(sample.min_rtt_s <= sample.srtt_s.map(|srtt_s| srtt_s + 1.0));
    }
}
