//! Which requests may fail without failing the load.

/// Globs over path and query: `*` stands for any run of characters, nothing else is special.
#[derive(Debug, Clone, Default)]
pub struct Tolerate(Vec<String>);

impl Tolerate {
    /// Tolerates the failures of what any of the globs fits.
    pub fn new(globs: Vec<String>) -> Tolerate {
        Tolerate(globs)
    }

    /// Whether the failure of a request for this path and query is the request's own.
    pub fn allows(&self, path: &str) -> bool {
        self.0.iter().any(|glob| fits(glob, path))
    }
}

fn fits(glob: &str, text: &str) -> bool {
    let Some((prefix, rest)) = glob.split_once('*') else {
        return glob == text;
    };
    let Some(mut left) = text.strip_prefix(prefix) else {
        return false;
    };
    let (middles, suffix) = rest.rsplit_once('*').unwrap_or(("", rest));
    // The first place for each part leaves most to those that follow.
    for part in middles.split('*') {
        let Some(at) = left.find(part) else {
            return false;
        };
        left = &left[at + part.len()..];
    }
    left.ends_with(suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_run_of_characters_and_nothing_else_is_special() {
        for (glob, text, expected) in [
            ("/a", "/a", true),
            ("/a", "/a?b", false),
            ("/collect*", "/collect?v=1", true),
            ("/collect*", "/collect", true),
            ("*.gif", "/x/y.gif", true),
            ("*.gif", "/x/y.gif?1", false),
            ("/a*b*c", "/a-b-b-c", true),
            ("/a*b*c", "/a-c-b", false),
            ("/a*a", "/a", false),
            ("*", "", true),
            ("**", "/x", true),
            ("/?", "/x", false),
            ("/[a]", "/a", false),
            ("/é*", "/é/x", true),
        ] {
            assert_eq!(fits(glob, text), expected, "{glob} {text}");
        }
    }
}
