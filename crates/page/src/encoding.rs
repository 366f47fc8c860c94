//! Text from bytes: which encoding a document or style sheet is in, and its characters while it arrives.

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Bytes in which a document must name its encoding (HTML, "Determining the character encoding").
const PRESCANNED: usize = 1024;

/// Decodes a document's bytes piece by piece.
pub(crate) struct TextDecoder {
    state: State,
}

enum State {
    /// Until the encoding is known; the transport's, where it told one.
    Waiting {
        told: Option<&'static Encoding>,
        bytes: Vec<u8>,
    },
    Decoding(Box<Decoder>, &'static Encoding),
}

impl TextDecoder {
    /// `content_type`: the header's value; empty where there is none.
    pub(crate) fn new(content_type: &str) -> TextDecoder {
        let told = charset(content_type).and_then(|label| Encoding::for_label(label.as_bytes()));
        TextDecoder {
            state: State::Waiting {
                told,
                bytes: Vec::new(),
            },
        }
    }

    /// The characters that these bytes complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        match &mut self.state {
            State::Waiting { told, bytes: held } => {
                held.extend_from_slice(bytes);
                let (held, told) = (std::mem::take(held), *told);
                self.begin(held, told, false)
            }
            State::Decoding(decoder, _) => decode(decoder, bytes, false),
        }
    }

    /// The characters that the document's end completes.
    pub(crate) fn end(&mut self) -> String {
        let mut text = String::new();
        if let State::Waiting { told, bytes } = &mut self.state {
            let (held, told) = (std::mem::take(bytes), *told);
            text = self.begin(held, told, true);
        }
        if let State::Decoding(decoder, _) = &mut self.state {
            text.push_str(&decode(decoder, &[], true));
        }
        text
    }

    /// The encoding of a URL's query; UTF-8 until another is known (URL, "get an output encoding").
    pub(crate) fn encoding(&self) -> &'static Encoding {
        match &self.state {
            State::Decoding(_, encoding) => encoding.output_encoding(),
            State::Waiting { .. } => UTF_8,
        }
    }

    fn begin(&mut self, held: Vec<u8>, told: Option<&'static Encoding>, all: bool) -> String {
        let marked = Encoding::for_bom(&held).map(|(encoding, _)| encoding);
        let known = marked
            .or(told.filter(|_| held.len() >= 3 || all))
            .or_else(|| {
                let head = &held[..held.len().min(PRESCANNED)];
                prescan(head).or_else(|| {
                    (all || held.len() >= PRESCANNED).then(|| guess(head, head.len() == PRESCANNED))
                })
            });
        match known {
            Some(encoding) => {
                let mut decoder = Box::new(encoding.new_decoder_with_bom_removal());
                let text = decode(&mut decoder, &held, false);
                self.state = State::Decoding(decoder, encoding);
                text
            }
            None => {
                self.state = State::Waiting { told, bytes: held };
                String::new()
            }
        }
    }
}

fn decode(decoder: &mut Decoder, bytes: &[u8], last: bool) -> String {
    let mut text = String::new();
    let mut read = 0;
    loop {
        let rest = &bytes[read..];
        let room = decoder
            .max_utf8_buffer_length(rest.len())
            .unwrap_or(rest.len());
        text.reserve(room.max(16));
        let (result, taken, _) = decoder.decode_to_string(rest, &mut text, last);
        read += taken;
        if result == CoderResult::InputEmpty {
            return text;
        }
    }
}

/// A style sheet's text, and the encoding of its URLs' queries: by its mark, else as the transport says, its `@charset`, or the document that asked for it.
pub(crate) fn sheet_text(
    bytes: &[u8],
    content_type: &str,
    document: &'static Encoding,
) -> (String, &'static Encoding) {
    let told = charset(content_type).or_else(|| {
        let rule = bytes.strip_prefix(b"@charset \"")?;
        let end = rule
            .iter()
            .take(PRESCANNED)
            .position(|byte| *byte == b'"')?;
        std::str::from_utf8(&rule[..end]).ok().map(str::to_owned)
    });
    let told = told.and_then(|label| Encoding::for_label(label.as_bytes()));
    // `decode` heeds a mark before all else.
    let (text, encoding, _) = told.map_or(document, sane).decode(bytes);
    (text.into_owned(), encoding.output_encoding())
}

/// What is named in ASCII can't be in UTF-16.
fn sane(encoding: &'static Encoding) -> &'static Encoding {
    match encoding {
        utf_16 if utf_16 == UTF_16LE || utf_16 == UTF_16BE => UTF_8,
        other => other,
    }
}

/// The parameter `charset` of a media type.
fn charset(content_type: &str) -> Option<String> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches('"');
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.to_owned())
    })
}

/// The encoding that a document's `meta` names.
fn prescan(head: &[u8]) -> Option<&'static Encoding> {
    let text: String = head
        .iter()
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = &comment[comment.find("-->")?..];
        } else if let Some(tag) = rest
            .strip_prefix("meta")
            .filter(|tag| tag.starts_with(|c: char| c.is_ascii_whitespace() || c == '/'))
        {
            let end = tag.find('>')?;
            if let Some(encoding) = named(&tag[..end]) {
                return Some(sane(encoding));
            }
            rest = &tag[end..];
        }
    }
    None
}

/// The encoding in a `meta` tag's attributes: `charset=X`, or `content="text/html; charset=X"`.
fn named(attributes: &str) -> Option<&'static Encoding> {
    let at = attributes.find("charset")? + "charset".len();
    let value = attributes[at..]
        .trim_start()
        .strip_prefix('=')?
        .trim_start();
    let value = value.trim_start_matches(['"', '\'']);
    let end = value.find(|c: char| c.is_ascii_whitespace() || "\"';>/".contains(c));
    Encoding::for_label(&value.as_bytes()[..end.unwrap_or(value.len())])
}

/// Of bytes that nobody described: UTF-8 where they can be, else what the Web was written in before.
fn guess(head: &[u8], cut: bool) -> &'static Encoding {
    match std::str::from_utf8(head) {
        Ok(_) => UTF_8,
        // The last character may be cut.
        Err(error) if cut && error.error_len().is_none() => UTF_8,
        Err(_) => WINDOWS_1252,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(content_type: &str, bytes: &[u8], piece: usize) -> String {
        let mut decoder = TextDecoder::new(content_type);
        let mut text: String = bytes
            .chunks(piece)
            .map(|piece| decoder.push(piece))
            .collect();
        text.push_str(&decoder.end());
        text
    }

    fn utf_16(little: bool) -> Vec<u8> {
        let units = "\u{feff}<img src=é>".encode_utf16();
        units
            .flat_map(|unit| {
                if little {
                    unit.to_le_bytes()
                } else {
                    unit.to_be_bytes()
                }
            })
            .collect()
    }

    #[test]
    fn mark_header_and_meta_say_what_the_bytes_are() {
        let long = [&b"<meta charset=iso-8859-2><p>\xb1"[..], &[b' '; 2000]].concat();
        for piece in [1, 5, 4096] {
            for (content_type, bytes, expected) in [
                ("text/html", utf_16(true), "<img src=é>"),
                ("text/html; charset=utf-8", utf_16(false), "<img src=é>"),
                (
                    "text/html; Charset=\"utf-16le\"",
                    utf_16(true)[2..].to_vec(),
                    "<img src=é>",
                ),
                ("text/html; charset=latin1", b"\xe9".to_vec(), "é"),
                (
                    "",
                    b"<meta charset=utf-8>\xc3\xa9".to_vec(),
                    "<meta charset=utf-8>é",
                ),
                (
                    "",
                    b"<!-- <meta charset=utf-8> --><p>\xe9".to_vec(),
                    "<!-- <meta charset=utf-8> --><p>é",
                ),
                (
                    "",
                    b"<meta charset='utf-16'>\xc3\xa9".to_vec(),
                    "<meta charset='utf-16'>é",
                ),
                ("", "é".as_bytes().to_vec(), "é"),
                ("", b"\xe9".to_vec(), "é"),
                (
                    "",
                    b"<META http-equiv=x content=\"text/html; charset=windows-1251\">\xe9".to_vec(),
                    "<META http-equiv=x content=\"text/html; charset=windows-1251\">й",
                ),
                ("text/html; charset=nonsense", "é".as_bytes().to_vec(), "é"),
            ] {
                assert_eq!(text(content_type, &bytes, piece), expected, "{piece}");
            }
            assert!(text("", &long, piece).contains('ą'));
        }
    }

    #[test]
    fn a_sheet_is_in_the_documents_encoding_unless_it_says_otherwise() {
        assert_eq!(sheet_text(b"\xe9", "text/css", WINDOWS_1252).0, "é");
        assert_eq!(
            sheet_text("é".as_bytes(), "text/css; charset=utf-8", WINDOWS_1252).0,
            "é"
        );
        let named = b"@charset \"windows-1251\";\xe9";
        assert!(sheet_text(named, "", UTF_8).0.ends_with('й'));
        assert_eq!(sheet_text("\u{feff}é".as_bytes(), "", WINDOWS_1252).0, "é");
    }
}
