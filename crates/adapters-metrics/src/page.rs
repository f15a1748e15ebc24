use std::fmt::Write as _;
use std::time::Duration;

use counters::DurationCounts;

use crate::catalogue::{Family, Kind};
use crate::format::Format;

/// Metrics as text. See <https://prometheus.io/docs/instrumenting/exposition_formats/> and
/// <https://prometheus.io/docs/specs/om/open_metrics_spec/>.
pub(crate) struct Page {
    format: Format,
    text: String,
}

impl Page {
    pub(crate) fn new(format: Format) -> Self {
        Self { format, text: String::with_capacity(16 * 1024) }
    }

    /// Writes a family with numbers, each with the values of its labels. A family without numbers is left out.
    pub(crate) fn numbers<Value: AsRef<str>, const N: usize>(
        &mut self,
        family: &Family,
        numbers: impl IntoIterator<Item = ([Value; N], f64)>,
    ) {
        let mut numbers = numbers.into_iter().peekable();
        if numbers.peek().is_some() {
            self.head(family);
        }
        for (values, number) in numbers {
            self.sample(family.name, family.labels, &values.each_ref().map(AsRef::as_ref), None, number);
        }
    }

    /// Writes a family with one number, unless it is not known.
    pub(crate) fn number(&mut self, family: &Family, number: impl Into<Option<f64>>) {
        self.numbers(family, number.into().map(|number| ([""; 0], number)));
    }

    /// Writes a family of durations, each with the values of its labels.
    pub(crate) fn durations<Value: AsRef<str>, const N: usize>(
        &mut self,
        family: &Family,
        durations: impl IntoIterator<Item = ([Value; N], DurationCounts)>,
    ) {
        let mut durations = durations.into_iter().peekable();
        if durations.peek().is_some() {
            self.head(family);
        }
        for (values, durations) in durations {
            self.histogram(family, &values.each_ref().map(AsRef::as_ref), &durations);
        }
    }

    /// The complete text.
    pub(crate) fn end(mut self) -> String {
        if self.format == Format::OpenMetrics {
            self.text.push_str("# EOF\n");
        }
        self.text
    }

    fn head(&mut self, family: &Family) {
        let name = match (self.format, family.kind) {
            (Format::OpenMetrics, Kind::Counter) => family.name.strip_suffix("_total").unwrap_or(family.name),
            _ => family.name,
        };
        let (kind, help) = (family.kind.name(), family.help);
        self.line(format_args!("# HELP {name} {help}"));
        self.line(format_args!("# TYPE {name} {kind}"));
    }

    fn histogram(&mut self, family: &Family, values: &[&str], durations: &DurationCounts) {
        let bounds = durations.bounds.iter().map(|bound| format!("{:?}", bound.as_secs_f64()));
        let (mut sum, bucket) = (0, format!("{}_bucket", family.name));
        for (bound, count) in bounds.chain(["+Inf".to_owned()]).zip(&durations.counts) {
            sum += count;
            self.sample(&bucket, family.labels, values, Some(&bound), exact(sum));
        }
        self.sample(&format!("{}_sum", family.name), family.labels, values, None, seconds(durations.sum));
        self.sample(&format!("{}_count", family.name), family.labels, values, None, exact(sum));
    }

    fn sample(&mut self, name: &str, labels: &[&str], values: &[&str], bound: Option<&str>, number: f64) {
        assert_eq!(labels.len(), values.len(), "{name} has other labels");
        let bound = bound.map(|bound| ("le", bound));
        let pairs = labels.iter().copied().zip(values.iter().copied()).chain(bound);
        let pairs: Vec<String> = pairs.map(|(label, value)| format!("{label}=\"{}\"", escaped(value))).collect();
        let labels = if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) };
        self.line(format_args!("{name}{labels} {number}"));
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{line}");
    }
}

/// Both formats escape these three in values of labels.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Above 2^53 readers would lose the last digits as well.
#[expect(clippy::cast_precision_loss, reason = "both formats have 64-bit floating point numbers")]
pub(crate) fn exact(count: u64) -> f64 {
    count as f64
}

/// Base units: seconds.
pub(crate) fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: Family = Family { name: "done_total", kind: Kind::Counter, labels: &["how"], help: "Done." };
    const TIME: Family = Family { name: "time_seconds", kind: Kind::Histogram, labels: &["what"], help: "Time." };

    fn page(format: Format) -> String {
        let mut page = Page::new(format);
        page.numbers(&DONE, [(["well"], 3.0), (["a \"b\" \\ c\n"], 0.5)]);
        page.numbers(&DONE, [] as [([&str; 1], f64); 0]);
        let bounds = &const { [Duration::from_millis(5), Duration::from_secs(1)] };
        let counts = DurationCounts { bounds, counts: vec![1, 0, 2], sum: Duration::from_millis(2_500) };
        page.durations(&TIME, [(["x"], counts)]);
        page.end()
    }

    #[test]
    fn the_text_is_the_formats_own() {
        let samples = [
            r#"done_total{how="well"} 3"#,
            r#"done_total{how="a \"b\" \\ c\n"} 0.5"#,
            "# HELP time_seconds Time.",
            "# TYPE time_seconds histogram",
            r#"time_seconds_bucket{what="x",le="0.005"} 1"#,
            r#"time_seconds_bucket{what="x",le="1.0"} 1"#,
            r#"time_seconds_bucket{what="x",le="+Inf"} 3"#,
            r#"time_seconds_sum{what="x"} 2.5"#,
            r#"time_seconds_count{what="x"} 3"#,
        ]
        .join("\n");
        let text = format!("# HELP done_total Done.\n# TYPE done_total counter\n{samples}\n");
        assert_eq!(page(Format::Text), text);
        let open_metrics = format!("# HELP done Done.\n# TYPE done counter\n{samples}\n# EOF\n");
        assert_eq!(page(Format::OpenMetrics), open_metrics);
    }
}
