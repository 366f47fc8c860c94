//! Readers of foreign text by themselves, as the fuzzer calls them.

/// The URL that is fetched of a `srcset`, its `sizes` and `src`.
#[must_use]
pub fn image<'a>(srcset: &'a str, sizes: &str, src: Option<&'a str>) -> Option<&'a str> {
    crate::srcset::choose(srcset, sizes, src)
}

/// Whether a list of media queries fits the screen.
#[must_use]
pub fn media(list: &str) -> bool {
    crate::media::fits(list)
}

/// The specifiers of a module script's static imports.
#[must_use]
pub fn imports(source: &str) -> Vec<&str> {
    crate::modules::static_imports(source)
}
