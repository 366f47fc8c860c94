//! What each element asks for.

use super::{Attributes, Found, Page, Spot, is_javascript};
use crate::css::values::is_image_type;
use crate::reference::{Kind, Place, Reference, Role};
use crate::srcset;

/// The elements around that decide what one means.
#[derive(Debug, Default)]
pub(super) struct Around {
    /// Within `picture`: the image that a `source` has settled, once one has.
    pub(super) picture: Option<Option<String>>,
    /// Within `audio` or `video` that has no address yet and wants to load.
    pub(super) media_wanting: bool,
}

/// Heeds a start tag.
pub(super) fn start(
    page: &mut Page,
    around: &mut Around,
    name: &str,
    attributes: &Attributes,
    spot: Spot,
) {
    // What is hidden gets no images and no fonts.
    if !spot.hidden {
        let (id, classes) = (attributes.get("id"), attributes.text("class"));
        page.elements.add(name, id, classes, spot.child);
        if let Some(style) = attributes.get("style") {
            page.style_attribute(style);
        }
    }
    for script in attributes.handlers() {
        page.script(script);
    }
    let address = attributes
        .get("href")
        .or_else(|| attributes.get("xlink:href"));
    match name {
        "base" => {
            if let Some(href) = attributes.get("href") {
                page.set_base(href);
            }
        }
        "body" | "table" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th" => {
            page.plain(attributes.get("background"), Kind::Image);
        }
        "link" => link(page, attributes),
        "meta" => meta(page, attributes),
        "script" => script(page, attributes),
        "img" => image(page, around, attributes),
        "picture" => around.picture = Some(None),
        "source" => source(page, around, attributes),
        "input" if attributes.is("type", "image") => page.plain(attributes.get("src"), Kind::Image),
        "video" | "audio" => media(page, around, attributes, name == "video"),
        "track" if attributes.has("default") => page.plain(attributes.get("src"), Kind::Other),
        "iframe" | "frame" => frame(page, attributes),
        "object" => embedded(page, attributes.get("data"), attributes.text("type")),
        "embed" => embedded(page, attributes.get("src"), attributes.text("type")),
        "image" if address.is_none() => image(page, around, attributes),
        "image" | "feimage" => within(page, address, Kind::Image),
        "use" => within(page, address, Kind::Other),
        _ => {}
    }
}

/// An SVG element's address; a fragment alone is in the document.
fn within(page: &mut Page, address: Option<&str>, kind: Kind) {
    page.plain(
        address.filter(|address| !address.trim().starts_with('#')),
        kind,
    );
}

/// A `link` element, or a `Link` header's.
pub(crate) fn link(page: &mut Page, attributes: &Attributes) {
    let href = attributes.get("href");
    let fit = attributes.media_fit();
    if attributes.lists("rel", "stylesheet") {
        let css = attributes
            .text("type")
            .split(';')
            .next()
            .unwrap_or("")
            .trim();
        if attributes.has("disabled") || !(css.is_empty() || css.eq_ignore_ascii_case("text/css")) {
            return;
        }
        let alternate =
            attributes.lists("rel", "alternate") && !attributes.text("title").is_empty();
        let applied = fit && !alternate;
        let place = if applied {
            page.blocking()
        } else {
            Place::Idle
        };
        page.add(href, Kind::Style, place, Role::Sheet { applied });
    } else if attributes.lists("rel", "modulepreload") && fit {
        let role = Role::Module { run: false };
        page.add(href, Kind::Script, Place::BlockingInHead, role);
    } else if attributes.lists("rel", "preload") && fit {
        preload(page, attributes);
    } else if attributes.lists("rel", "prefetch") {
        page.add(href, Kind::Other, Place::Idle, Role::Plain);
    } else if attributes.lists("rel", "manifest") {
        page.plain(href, Kind::Other);
    }
}

fn preload(page: &mut Page, attributes: &Attributes) {
    let (href, given) = (attributes.get("href"), attributes.text("type").trim());
    match attributes.text("as").to_ascii_lowercase().as_str() {
        "script" if given.is_empty() || is_javascript(given) => {
            let role = Role::Module { run: false };
            page.add(href, Kind::Script, Place::BlockingInHead, role);
        }
        "style" if given.is_empty() || given.eq_ignore_ascii_case("text/css") => {
            page.add(href, Kind::Style, Place::BlockingInHead, Role::Plain);
        }
        "image" if given.is_empty() || is_image_type(given) => {
            let set = attributes.text("imagesrcset");
            let chosen = srcset::choose(set, attributes.text("imagesizes"), href);
            page.plain(chosen, Kind::Image);
        }
        "font" if given.is_empty() || is_font_type(given) => page.plain(href, Kind::Font),
        "fetch" => page.add(href, Kind::Other, Place::BlockingInHead, Role::Plain),
        "track" => page.plain(href, Kind::Other),
        _ => {}
    }
}

fn is_font_type(media_type: &str) -> bool {
    let media_type = media_type.to_ascii_lowercase();
    media_type.starts_with("font/")
        || media_type.starts_with("application/font")
        || media_type.starts_with("application/x-font")
}

/// The longest delay, in seconds, after which the page that is navigated to is what the user came for.
const SOON_S: f64 = 1.0;

/// `meta http-equiv`: a stub before another page, or a policy.
fn meta(page: &mut Page, attributes: &Attributes) {
    if attributes.is("http-equiv", "refresh") {
        refresh_to(page, attributes.text("content"));
    } else if attributes.is("http-equiv", "content-security-policy") {
        page.policies.add(attributes.text("content"));
    }
}

/// What `refresh` says, be it in a `meta` element or a header: another page follows when this one is there, at once or
/// after a delay that this loader doesn't wait for.
pub(crate) fn refresh_to(page: &mut Page, content: &str) {
    let content = content.trim();
    let end = content
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(content.len());
    let delay_s: f64 = content[..end].parse().unwrap_or(f64::INFINITY);
    let rest =
        content[end..].trim_start_matches(|c: char| c.is_whitespace() || c == ';' || c == ',');
    let address = match rest.get(..3) {
        Some(url) if url.eq_ignore_ascii_case("url") => {
            let value = rest[3..].trim_start();
            value.strip_prefix('=').map_or(rest, str::trim_start)
        }
        _ => rest,
    };
    let address = match address.chars().next() {
        Some(quote @ ('"' | '\'')) => address[1..].split(quote).next().unwrap_or(""),
        _ => address,
    };
    if address.is_empty() || delay_s > SOON_S {
        return;
    }
    if delay_s > 0.0 {
        return page.unsupported(Some(address), Kind::Document);
    }
    if let Some(url) = page.resolve(address) {
        page.next.get_or_insert(Reference {
            role: Role::Frame,
            ..Reference::plain(url, Kind::Document)
        });
    }
}

fn script(page: &mut Page, attributes: &Attributes) {
    let src = attributes
        .get("src")
        .or_else(|| attributes.get("href"))
        .or_else(|| attributes.get("xlink:href"));
    match script_type(attributes) {
        ScriptType::Module => page.add(
            src,
            Kind::Script,
            Place::BlockingInHead,
            Role::Module { run: true },
        ),
        ScriptType::Classic if !attributes.has("nomodule") => {
            let free = attributes.has("async") || attributes.has("defer");
            let place = if free { Place::Free } else { page.blocking() };
            page.add(src, Kind::Script, place, Role::Plain);
        }
        _ => {}
    }
}

/// What a `script` element holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScriptType {
    Classic,
    Module,
    ImportMap,
    Data,
}

pub(super) fn script_type(attributes: &Attributes) -> ScriptType {
    let Some(given) = attributes.get("type") else {
        let language = attributes.text("language");
        let known = language.is_empty() || is_javascript(&format!("text/{language}"));
        return if known {
            ScriptType::Classic
        } else {
            ScriptType::Data
        };
    };
    match given.trim().to_ascii_lowercase().as_str() {
        "" => ScriptType::Classic,
        "module" => ScriptType::Module,
        "importmap" => ScriptType::ImportMap,
        given if is_javascript(given) => ScriptType::Classic,
        _ => ScriptType::Data,
    }
}

fn image(page: &mut Page, around: &mut Around, attributes: &Attributes) {
    let settled = around.picture.as_ref().and_then(Option::as_deref);
    let own = || {
        let set = attributes.text("srcset");
        srcset::choose(set, attributes.text("sizes"), attributes.get("src"))
    };
    let chosen = settled.or_else(own).map(str::to_owned);
    match attributes.lazy() {
        // Chromium loads it where it is near the viewport, which takes a layout to know.
        true => page.unsupported(chosen.as_deref(), Kind::Image),
        false => page.plain(chosen.as_deref(), Kind::Image),
    }
}

fn source(page: &mut Page, around: &mut Around, attributes: &Attributes) {
    if let Some(settled @ None) = &mut around.picture {
        let given = attributes.text("type");
        let shown = given.is_empty() || is_image_type(given);
        if shown && attributes.media_fit() {
            let set = attributes.text("srcset");
            let chosen = srcset::choose(set, attributes.text("sizes"), None);
            *settled = chosen.map(str::to_owned);
        }
    } else if around.media_wanting && is_played(attributes.text("type")) {
        around.media_wanting = false;
        page.unsupported(attributes.get("src"), Kind::Other);
    }
}

/// Whether Chromium may play media of this type.
fn is_played(media_type: &str) -> bool {
    let essence = media_type
        .split(';')
        .next()
        .unwrap_or("")
        .trim()
        .to_ascii_lowercase();
    essence.is_empty()
        || matches!(
            essence.as_str(),
            "audio/aac"
                | "audio/flac"
                | "audio/mp3"
                | "audio/mp4"
                | "audio/mpeg"
                | "audio/ogg"
                | "audio/wav"
                | "audio/webm"
                | "audio/x-m4a"
                | "audio/x-wav"
                | "video/mp4"
                | "video/ogg"
                | "video/webm"
                | "application/ogg"
                | "application/vnd.apple.mpegurl"
        )
}

/// Browsers read the beginning of what is played, how much depends on what it holds.
fn media(page: &mut Page, around: &mut Around, attributes: &Attributes, video: bool) {
    if video {
        page.plain(attributes.get("poster"), Kind::Image);
    }
    let wanted = attributes.has("autoplay") || !attributes.is("preload", "none");
    around.media_wanting = wanted && !attributes.has("src");
    if wanted {
        page.unsupported(attributes.get("src"), Kind::Other);
    }
}

fn frame(page: &mut Page, attributes: &Attributes) {
    if let Some(html) = attributes.get("srcdoc") {
        if !attributes.lazy() {
            let base = page.urls.take(page.base().clone());
            let html = html.to_owned();
            page.found
                .extend(base.map(|base| Found::Inline { html, base }));
        }
        return;
    }
    let src = attributes.get("src");
    match attributes.lazy() {
        true => page.unsupported(src, Kind::Document),
        false => page.add(src, Kind::Document, Place::Free, Role::Frame),
    }
}

/// `object` and `embed`: an image, or a document, by its type or name.
fn embedded(page: &mut Page, address: Option<&str>, given: &str) {
    let given = given.trim().to_ascii_lowercase();
    let path = address.and_then(|address| page.resolve(address));
    let path = path
        .map(|url| url.path().to_ascii_lowercase())
        .unwrap_or_default();
    let named = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    // An SVG image is a document here.
    let image = (is_image_type(&given) && given != "image/svg+xml")
        || (given.is_empty()
            && matches!(
                named,
                "avif" | "bmp" | "gif" | "ico" | "jpeg" | "jpg" | "png" | "webp"
            ));
    if image {
        page.plain(address, Kind::Image);
    } else if given.is_empty() || given.starts_with("text/") || given.ends_with("xml") {
        page.add(address, Kind::Document, Place::Free, Role::Frame);
    } else if given == "application/pdf" {
        page.unsupported(address, Kind::Document);
    }
}
