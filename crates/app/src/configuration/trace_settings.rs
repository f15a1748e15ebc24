use adapters_otlp::{CollectorHeader, CollectorUrl};
use adapters_system::MASK;
use domain::SamplingRatio;

use super::settings::{Secrecy, Setting, listed, not_empty, parsed};

/// `OTEL_*`. Only its [`Default`] states the defaults.
#[derive(Clone, Debug)]
pub(crate) struct TraceConfiguration {
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`; `None` traces nothing.
    pub(crate) endpoint: Option<CollectorUrl>,
    /// `OTEL_EXPORTER_OTLP_HEADERS`
    pub(crate) headers: Vec<CollectorHeader>,
    /// `OTEL_SERVICE_NAME`
    pub(crate) service_name: String,
    /// `OTEL_TRACES_SAMPLER_ARG`
    pub(crate) ratio: SamplingRatio,
}

impl Default for TraceConfiguration {
    fn default() -> Self {
        let (endpoint, service_name) = (None, "gatepost".to_owned());
        Self { endpoint, headers: Vec::new(), service_name, ratio: SamplingRatio::default() }
    }
}

/// The settings of traces. The names are OpenTelemetry's.
pub(super) const TRACE_SETTINGS: &[Setting] = &[
    Setting::new(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "The collector of [traces](tracing.md), which speaks OTLP over HTTP (protobuf). Spans go to `/v1/traces` below \
              this URL.",
        || CollectorUrl::ALLOWED.into(),
        |draft, given| {
            given.optional(CollectorUrl::parse).map(|endpoint| draft.configuration.traces.endpoint = endpoint)
        },
        |configuration| configuration.traces.endpoint.as_ref().map(ToString::to_string),
    )
    .when_unset("no traces")
    .showing(Secrecy::Password),
    Setting::new(
        "OTEL_EXPORTER_OTLP_HEADERS",
        "Headers for the collector, such as `Authorization=Basic%20…`.",
        || CollectorHeader::ALLOWED.into(),
        |draft, given| given.many(CollectorHeader::parse).map(|headers| draft.configuration.traces.headers = headers),
        |configuration| listed(&configuration.traces.headers.iter().map(|_| MASK).collect::<Vec<_>>()),
    )
    .showing(Secrecy::Secret),
    Setting::new(
        "OTEL_SERVICE_NAME",
        "The name of this service in traces.",
        || "a name".into(),
        |draft, given| given.one(not_empty).map(|name| draft.configuration.traces.service_name = name),
        |configuration| Some(configuration.traces.service_name.clone()),
    ),
    Setting::new(
        "OTEL_TRACES_SAMPLER_ARG",
        "The part of the requests that are traced, of those whose caller has not decided it with `traceparent`. \
              Verifications are traced only if their caller says so.",
        || "a number from 0 to 1".into(),
        |draft, given| {
            let ratio = given.one(|text| parsed(text).and_then(SamplingRatio::new));
            ratio.map(|ratio| draft.configuration.traces.ratio = ratio)
        },
        |configuration| Some(configuration.traces.ratio.value().to_string()),
    ),
];
