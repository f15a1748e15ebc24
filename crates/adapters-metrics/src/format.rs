/// How metrics are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// The text format of Prometheus, version 0.0.4.
    Text,
    /// `OpenMetrics`, version 1.0.
    OpenMetrics,
}

impl Format {
    /// The format that the `Accept` header of a request prefers. Without a preference it is the older format, which every
    /// reader understands.
    pub(crate) fn accepted(header: &str) -> Self {
        let quality = |media_type: &str| {
            let of_one = header.split(',').filter(|range| {
                range.split(';').next().is_some_and(|name| name.trim().eq_ignore_ascii_case(media_type))
            });
            of_one.map(quality_of).fold(0.0, f32::max)
        };
        let is_preferred = quality("application/openmetrics-text") > quality("text/plain");
        if is_preferred { Self::OpenMetrics } else { Self::Text }
    }

    pub(crate) const fn content_type(self) -> &'static str {
        match self {
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// The `q` of a media range, or 1.
fn quality_of(range: &str) -> f32 {
    let quality = range.split(';').find_map(|part| part.trim().strip_prefix("q="));
    quality.map_or(1.0, |quality| quality.trim().parse().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_accept_header_decides() {
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
        for (header, format) in [
            (prometheus, Format::OpenMetrics),
            ("application/openmetrics-text; version=1.0.0", Format::OpenMetrics),
            ("text/plain;version=0.0.4;q=0.5, application/openmetrics-text;q=0.4", Format::Text),
            ("application/openmetrics-text;q=0", Format::Text),
            ("*/*", Format::Text),
            ("", Format::Text),
        ] {
            assert_eq!(Format::accepted(header), format, "{header}");
        }
    }
}
