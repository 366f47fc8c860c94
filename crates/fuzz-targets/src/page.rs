//! What a page brings: documents, style sheets, module scripts, choices of images, content codings.

use std::rc::Rc;

use pronghorn_page::{Decoder, Document, Found, foreign};
use url::Url;

/// No input of the fuzzer's names more than it has bytes.
const MOST_DECODED: usize = 1 << 20;

fn address() -> Option<Url> {
    Url::parse("https://page.test/folder/").ok()
}

/// Reads a document at once and in pieces, with the media type in its first line; both come to the same.
pub fn page_document(bytes: &[u8]) {
    let Some(url) = address() else { return };
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (content_type, body) = (String::from_utf8_lossy(&bytes[..end]), &bytes[end..]);
    let read = |size: usize| -> Vec<Found> {
        let mut document = Document::new(url.clone(), &content_type);
        let mut found = document.headers(&content_type, &content_type, &content_type);
        for piece in body.chunks(size) {
            found.extend(document.push(piece));
        }
        found.extend(document.end());
        let _ = document.style();
        found
    };
    assert_eq!(read(body.len().max(1)), read(7));
}

/// Reads a style sheet and applies it to a document.
pub fn page_sheet(bytes: &[u8]) {
    let Some(url) = address() else { return };
    let mut document = Document::new(url.clone(), "text/html");
    document
        .push(b"<!doctype html><p class=a id=b style='color: red'>text <b>bold</b> <i>slanted</i>");
    document.end();
    let sheet = Rc::new(document.sheet(bytes, "", &url));
    let imports = sheet.imports(false).len();
    assert!(imports <= bytes.len());
    document.apply(0, sheet);
    assert!(document.style().len() <= bytes.len());
}

/// Chooses among candidates: `srcset`, `sizes` and `src` are lines.
pub fn page_image(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.splitn(3, '\n');
    let srcset = lines.next().unwrap_or("");
    let (sizes, src) = (lines.next().unwrap_or(""), lines.next());
    if let Some(chosen) = foreign::image(srcset, sizes, src) {
        assert!(srcset.contains(chosen) || src == Some(chosen));
    }
    let _ = foreign::media(sizes);
}

/// Reads a module script.
pub fn page_module(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for name in foreign::imports(&text) {
        assert!(text.contains(name));
    }
}

/// Decodes a body whose codings stand in its first line, at once and byte by byte.
pub fn page_coding(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let codings = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let body = bytes.get(end + 1..).unwrap_or_default();
    let decode = |size: usize| {
        let mut decoder = Decoder::new(&codings, MOST_DECODED).ok()?;
        let mut content = Vec::new();
        for piece in body.chunks(size) {
            content.extend(decoder.push(piece).ok()?);
        }
        content.extend(decoder.end().ok()?);
        Some(content)
    };
    let whole = decode(body.len().max(1));
    assert!(
        whole
            .as_ref()
            .is_none_or(|content| content.len() <= MOST_DECODED)
    );
    assert_eq!(whole, decode(1));
}
