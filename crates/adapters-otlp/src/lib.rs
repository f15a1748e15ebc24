//! Sends spans to a collector of traces by the OpenTelemetry protocol (OTLP): protobuf over HTTP.
//!
//! [`SpanQueue`] takes spans and never waits. [`SpanExporter::run`] sends them in batches. The messages are written by
//! hand: the crates of OpenTelemetry would be the larger part of the cost of traces. See decision 83.

mod collector;
mod exporter;
mod protobuf;
mod queue;
mod request;

pub use collector::{CollectorHeader, CollectorUrl};
pub use exporter::{ClientSetupError, ExporterSettings, SpanExporter};
pub use queue::SpanQueue;
