//! Reads foreign bytes from the front; whatever is missing is `None`.

use pronghorn_http_wire::varint;

/// What is left to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u24(&mut self) -> Option<u32> {
        let [a, b, c] = self.array()?;
        Some(u32::from_be_bytes([0, a, b, c]))
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// QUIC's variable-length integer (RFC 9000 §16).
    pub(crate) fn varint(&mut self) -> Option<u64> {
        let (value, size) = varint::decode(self.0)?;
        self.0 = &self.0[size..];
        Some(value)
    }

    /// As many bytes as the varint before them says.
    pub(crate) fn varint_bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.varint()?).ok()?;
        self.take(length)
    }

    /// As many bytes as the byte before them says.
    pub(crate) fn bytes_8(&mut self) -> Option<&'a [u8]> {
        let length = self.u8()?.into();
        self.take(length)
    }

    /// As many bytes as the two bytes before them say.
    pub(crate) fn bytes_16(&mut self) -> Option<&'a [u8]> {
        let length = self.u16()?.into();
        self.take(length)
    }
}
