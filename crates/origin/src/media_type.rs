//! The media type of a file, by which browsers know what it is.

/// What any other file is.
pub(crate) const OTHER: &str = "application/octet-stream";

/// By its name's ending (IANA's registry); none where nothing is known by it. Documents, style sheets
/// and scripts go without a charset, which would overrule what the page itself says of its encoding.
pub(crate) fn of(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    let known = match ending.to_ascii_lowercase().as_str() {
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "js" | "mjs" => "text/javascript",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/vnd.microsoft.icon",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "txt" => "text/plain; charset=utf-8",
        "xml" => "application/xml",
        "pdf" => "application/pdf",
        "mp4" => "video/mp4",
        "wasm" => "application/wasm",
        _ => return None,
    };
    Some(known)
}
