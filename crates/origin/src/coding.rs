//! The content codings of a resource, and which of them a request takes (RFC 9110 §12.5.3).

use http::{HeaderMap, header};

/// A content coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// Brotli (RFC 7932).
    Br,
    /// Zstandard (RFC 8878).
    Zstd,
    /// GZIP (RFC 1952).
    Gzip,
}

impl Coding {
    /// All of them, the preferred first.
    pub(crate) const ALL: [Coding; 3] = [Coding::Br, Coding::Zstd, Coding::Gzip];

    /// Its name in HTTP.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Coding::Br => "br",
            Coding::Zstd => "zstd",
            Coding::Gzip => "gzip",
        }
    }

    /// What the name of a file so coded ends with, after the name of the plain one.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Coding::Br => ".br",
            Coding::Zstd => ".zst",
            Coding::Gzip => ".gz",
        }
    }
}

/// The best of `available` codings that a request takes; none: it takes the resource as it is, or says nothing.
pub(crate) fn chosen(
    headers: &HeaderMap,
    available: impl Iterator<Item = Coding>,
) -> Option<Coding> {
    let mut best = None;
    let mut most = 0;
    for coding in available {
        let weight = weight(headers, coding.name()).unwrap_or(0);
        if weight > most {
            (best, most) = (Some(coding), weight);
        }
    }
    // Unless it has a weight of its own, the plain form is what is sent for want of a better.
    let plain = own_weight(headers, "identity").unwrap_or(0);
    if plain > most { None } else { best }
}

/// What a request gives a coding, in thousandths: by name, or as one of all others.
fn weight(headers: &HeaderMap, name: &str) -> Option<u16> {
    own_weight(headers, name).or_else(|| own_weight(headers, "*"))
}

fn own_weight(headers: &HeaderMap, name: &str) -> Option<u16> {
    let values = headers.get_all(header::ACCEPT_ENCODING);
    let elements = values
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    elements
        .filter_map(|element| {
            let mut parts = element.split(';').map(str::trim);
            let coding = parts.next()?;
            let alike = coding.eq_ignore_ascii_case(name)
                || (name == "gzip" && coding.eq_ignore_ascii_case("x-gzip"));
            alike.then(|| parts.find_map(thousandths).unwrap_or(1000))
        })
        .next()
}

/// A weight (RFC 9110 §12.4.2); one that is none counts as a refusal.
fn thousandths(parameter: &str) -> Option<u16> {
    let (name, value) = parameter.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("q") {
        return None;
    }
    let value: f32 = value.trim().parse().unwrap_or(0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it lies between 0 and 1000"
    )]
    let weight = (value.clamp(0.0, 1.0) * 1000.0).round() as u16;
    Some(weight)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn chosen_of(said: &[&'static str]) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        for value in said {
            headers.append(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
        }
        chosen(&headers, Coding::ALL.into_iter()).map(Coding::name)
    }

    #[test]
    fn the_best_coding_that_a_request_takes_is_chosen() {
        for (said, expected) in [
            (vec![], None),
            (vec![""], None),
            (vec!["identity"], None),
            (vec!["gzip, deflate, br, zstd"], Some("br")),
            (vec!["gzip", "zstd"], Some("zstd")),
            (vec!["GZIP"], Some("gzip")),
            (vec!["x-gzip"], Some("gzip")),
            (vec!["deflate"], None),
            (vec!["*"], Some("br")),
            (vec!["br;q=0, *"], Some("zstd")),
            (vec!["br;q=0.2, gzip;q=0.8"], Some("gzip")),
            (vec!["br; q=0, gzip ; q=0.000"], None),
            (vec!["identity, br;q=0.5"], None),
            (vec!["identity;q=0, br;q=0.5"], Some("br")),
            (vec!["identity;q=0.1, br;q=0.5"], Some("br")),
            (vec!["br;q=x"], None),
            (vec!["br;q=NaN"], None),
            (vec!["br;level=4;q=0.5"], Some("br")),
            (vec!["*;q=0"], None),
        ] {
            assert_eq!(chosen_of(&said), expected, "{said:?}");
        }
    }

    #[test]
    fn only_what_is_there_is_chosen() {
        let headers = HeaderMap::from_iter([(
            header::ACCEPT_ENCODING,
            HeaderValue::from_static("gzip, deflate, br, zstd"),
        )]);
        assert_eq!(
            chosen(&headers, [Coding::Gzip].into_iter()),
            Some(Coding::Gzip)
        );
        assert_eq!(chosen(&headers, [].into_iter()), None);
    }
}
