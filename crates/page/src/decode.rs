//! Content codings (RFC 9110 §8.4.1) undone while the bytes arrive: gzip, deflate, br and zstd.
//!
//! Bytes after a coding's end are passed over, as browsers do.

use std::io::{self, Write};

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::write::{DeflateDecoder, GzDecoder, ZlibDecoder};
use zstd::stream::raw::{DParameter, InBuffer, Operation, OutBuffer};

/// Codings of one body on top of each other; nobody applies more.
const MOST_CODINGS: usize = 3;
/// Of zstd's window, as browsers bound it (RFC 9659 §3): 8 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;
/// What a zstd frame begins with, and a skippable one but for the low half of its first byte.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const ZSTD_SKIPPABLE: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];
/// Bytes that a decoder without a writer of its own gives at once.
const PIECE: usize = 8192;

/// Why a body could not be decoded.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// A coding that nobody asked for.
    #[error("its content coding `{0}` is none of gzip, deflate, br and zstd")]
    Unknown(String),
    /// Bytes that are not what the coding defines.
    #[error("its body is no {coding}: {source}")]
    Broken {
        /// The coding.
        coding: &'static str,
        /// What the decoder said.
        source: io::Error,
    },
    /// More decoded bytes than the bound.
    #[error("its body has more than {0} bytes decoded")]
    TooLarge(usize),
}

/// Takes an encoded body piece by piece and gives back its content.
pub struct Decoder {
    /// In the order in which they are undone.
    decodings: Vec<Decoding>,
    most: usize,
    decoded: usize,
}

impl Decoder {
    /// A decoder for the value of a `content-encoding` header (empty: none), which gives at most `most` bytes.
    ///
    /// Fails with `Unknown` for any coding that browsers don't ask for.
    pub fn new(codings: &str, most: usize) -> Result<Decoder, DecodeError> {
        let mut decodings = Vec::new();
        for name in codings.split(',').rev().map(str::trim) {
            if name.is_empty() || name.eq_ignore_ascii_case("identity") {
                continue;
            }
            if decodings.len() == MOST_CODINGS {
                return Err(DecodeError::Unknown(codings.to_owned()));
            }
            decodings.push(Decoding::new(name, most)?);
        }
        Ok(Decoder {
            decodings,
            most,
            decoded: 0,
        })
    }

    /// The content that these bytes complete.
    ///
    /// Fails with `Broken` or `TooLarge`, after which nothing more can be decoded.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<u8>, DecodeError> {
        let mut content = bytes.to_vec();
        for decoding in &mut self.decodings {
            content = decoding.push(&content)?;
        }
        self.count(content)
    }

    /// The content that the body's end completes.
    ///
    /// Fails with `Broken` where the coding says that more was to come.
    pub fn end(&mut self) -> Result<Vec<u8>, DecodeError> {
        let mut content = Vec::new();
        for mut decoding in std::mem::take(&mut self.decodings) {
            let mut all = decoding.push(&content)?;
            all.extend(decoding.end()?);
            content = all;
        }
        self.count(content)
    }

    fn count(&mut self, content: Vec<u8>) -> Result<Vec<u8>, DecodeError> {
        self.decoded = self.decoded.saturating_add(content.len());
        if self.decoded > self.most {
            return Err(DecodeError::TooLarge(self.most));
        }
        Ok(content)
    }
}

/// One coding.
struct Decoding {
    coding: &'static str,
    most: usize,
    /// Whether any byte came: an empty body is no fault of its coding.
    begun: bool,
    codec: Codec,
}

enum Codec {
    Gzip(GzDecoder<Bounded>),
    /// Until the first byte tells whether the zlib format is there, which some servers leave out.
    Deflate(Bounded),
    Zlib(ZlibDecoder<Bounded>),
    Raw(DeflateDecoder<Bounded>),
    Brotli(Box<Brotli>),
    Zstd(Box<Zstd>),
}

impl Decoding {
    fn new(name: &str, most: usize) -> Result<Decoding, DecodeError> {
        let sink = Bounded::new(most);
        let (coding, codec) = match name.to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => ("gzip", Codec::Gzip(GzDecoder::new(sink))),
            "deflate" => ("deflate", Codec::Deflate(sink)),
            "br" => ("br", Codec::Brotli(Box::new(Brotli::new(sink)))),
            "zstd" => {
                let zstd = Zstd::new(sink).map_err(|source| DecodeError::Broken {
                    coding: "zstd",
                    source,
                })?;
                ("zstd", Codec::Zstd(Box::new(zstd)))
            }
            _ => return Err(DecodeError::Unknown(name.to_owned())),
        };
        Ok(Decoding {
            coding,
            most,
            begun: false,
            codec,
        })
    }

    fn push(&mut self, bytes: &[u8]) -> Result<Vec<u8>, DecodeError> {
        let Some(first) = bytes.first() else {
            return Ok(Vec::new());
        };
        self.begun = true;
        if let Codec::Deflate(sink) = &mut self.codec {
            // A zlib header's first byte has the method 8 and a window of at most 2^15 (RFC 1950 §2.2).
            let sink = std::mem::take(sink);
            self.codec = match first & 0x0f == 8 && first >> 4 <= 7 {
                true => Codec::Zlib(ZlibDecoder::new(sink)),
                false => Codec::Raw(DeflateDecoder::new(sink)),
            };
        }
        let written = match &mut self.codec {
            Codec::Gzip(decoder) => write(decoder, bytes),
            Codec::Deflate(sink) => sink.write_all(bytes),
            Codec::Zlib(decoder) => write(decoder, bytes),
            Codec::Raw(decoder) => write(decoder, bytes),
            Codec::Brotli(decoder) => decoder.write(bytes),
            Codec::Zstd(decoder) => decoder.write(bytes),
        };
        self.result(written)
    }

    fn end(&mut self) -> Result<Vec<u8>, DecodeError> {
        if !self.begun {
            return Ok(Vec::new());
        }
        let finished = match &mut self.codec {
            Codec::Gzip(decoder) => decoder.try_finish(),
            Codec::Deflate(_) => Ok(()),
            Codec::Zlib(decoder) => decoder.try_finish(),
            Codec::Raw(decoder) => decoder.try_finish(),
            Codec::Brotli(decoder) => whole(decoder.whole),
            Codec::Zstd(decoder) => whole(decoder.whole),
        };
        self.result(finished)
    }

    fn result(&mut self, done: io::Result<()>) -> Result<Vec<u8>, DecodeError> {
        let (coding, most) = (self.coding, self.most);
        let sink = self.sink();
        if sink.over {
            return Err(DecodeError::TooLarge(most));
        }
        let content = std::mem::take(&mut sink.bytes);
        done.map_err(|source| DecodeError::Broken { coding, source })?;
        Ok(content)
    }

    fn sink(&mut self) -> &mut Bounded {
        match &mut self.codec {
            Codec::Gzip(decoder) => decoder.get_mut(),
            Codec::Deflate(sink) => sink,
            Codec::Zlib(decoder) => decoder.get_mut(),
            Codec::Raw(decoder) => decoder.get_mut(),
            Codec::Brotli(decoder) => &mut decoder.sink,
            Codec::Zstd(decoder) => &mut decoder.sink,
        }
    }
}

/// Writes to one of flate2's decoders, which take nothing more once their stream has ended.
fn write(decoder: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match decoder.write(bytes)? {
            0 => break,
            taken => bytes = &bytes[taken..],
        }
    }
    decoder.flush()
}

fn whole(whole: bool) -> io::Result<()> {
    match whole {
        true => Ok(()),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

struct Brotli {
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    sink: Bounded,
    total: usize,
    whole: bool,
}

impl Brotli {
    fn new(sink: Bounded) -> Brotli {
        let alloc = StandardAlloc::default;
        Brotli {
            state: BrotliState::new(alloc(), alloc(), alloc()),
            sink,
            total: 0,
            whole: false,
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (mut available, mut read) = (bytes.len(), 0);
        let mut piece = [0; PIECE];
        while !self.whole {
            let (mut room, mut written) = (PIECE, 0);
            let result = BrotliDecompressStream(
                &mut available,
                &mut read,
                bytes,
                &mut room,
                &mut written,
                &mut piece,
                &mut self.total,
                &mut self.state,
            );
            self.sink.write_all(&piece[..written])?;
            match result {
                BrotliResult::ResultSuccess => self.whole = true,
                BrotliResult::NeedsMoreOutput => {}
                // What filled the piece may not be all.
                BrotliResult::NeedsMoreInput if room == 0 => {}
                BrotliResult::NeedsMoreInput => return Ok(()),
                BrotliResult::ResultFailure => return Err(io::ErrorKind::InvalidData.into()),
            }
        }
        Ok(())
    }
}

struct Zstd {
    decoder: zstd::stream::raw::Decoder<'static>,
    sink: Bounded,
    /// Whether the last frame has ended.
    whole: bool,
    /// What came after a frame's end, while it may begin another.
    start: Vec<u8>,
    /// Whether something came that begins no frame.
    over: bool,
}

impl Zstd {
    fn new(sink: Bounded) -> io::Result<Zstd> {
        let mut decoder = zstd::stream::raw::Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG))?;
        Ok(Zstd {
            decoder,
            sink,
            whole: false,
            start: Vec::new(),
            over: false,
        })
    }

    /// Decodes frame after frame (RFC 8878 §3) up to what is none.
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while let Some((first, rest)) = bytes.split_first() {
            if self.over {
                break;
            }
            if !self.whole {
                let taken = self.frame(bytes)?;
                bytes = &bytes[taken..];
                continue;
            }
            bytes = rest;
            self.start.push(*first);
            self.over = !may_begin_frame(&self.start);
            if !self.over && self.start.len() == ZSTD_MAGIC.len() {
                self.whole = false;
                let start = std::mem::take(&mut self.start);
                self.frame(&start)?;
            }
        }
        Ok(())
    }

    /// Decodes up to the frame's end; how many bytes it took.
    fn frame(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut input = InBuffer::around(bytes);
        let mut piece = [0; PIECE];
        loop {
            let mut output = OutBuffer::around(&mut piece[..]);
            let before = input.pos();
            let left = self.decoder.run(&mut input, &mut output)?;
            let written = output.as_slice();
            let idle = written.is_empty() && input.pos() == before;
            let full = written.len() == PIECE;
            self.sink.write_all(written)?;
            self.whole = left == 0;
            if self.whole || (input.pos() == bytes.len() && (idle || !full)) {
                return Ok(input.pos());
            }
            if idle {
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
    }
}

/// Whether these bytes, at most four, begin a frame or a skippable frame (RFC 8878 §3.1).
fn may_begin_frame(start: &[u8]) -> bool {
    let skippable = start.iter().enumerate().all(|(at, byte)| match at {
        0 => byte >> 4 == 5,
        at => *byte == ZSTD_SKIPPABLE[at],
    });
    skippable || ZSTD_MAGIC.starts_with(start)
}

/// Where decoders write to: it takes no more than it may.
#[derive(Default)]
struct Bounded {
    bytes: Vec<u8>,
    left: usize,
    over: bool,
}

impl Bounded {
    fn new(most: usize) -> Bounded {
        Bounded {
            left: most,
            ..Bounded::default()
        }
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.left.checked_sub(bytes.len()) {
            Some(left) => self.left = left,
            None => {
                self.over = true;
                return Err(io::Error::other("more than the bound"));
            }
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
