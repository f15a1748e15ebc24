use std::sync::Arc;

use adapters_otlp::{ExporterSettings, SpanExporter, SpanQueue};
use adapters_system::NameEntropy;
use anyhow::Result;
use domain::Tracer;
use domain::ports::Clock;
use tokio_util::sync::CancellationToken;
use upkeep::Tasks;

use crate::configuration::Configuration;

/// The parts of tracing. Everything is `None` without a collector.
#[derive(Default)]
pub(crate) struct TraceParts {
    /// Decides which requests are traced.
    pub(crate) tracer: Option<Arc<Tracer>>,
    /// The spans that wait to be sent.
    pub(crate) queue: Option<Arc<SpanQueue>>,
    exporter: Option<SpanExporter>,
}

impl TraceParts {
    /// Wires the parts. Opens no connection.
    ///
    /// # Errors
    ///
    /// When TLS cannot be set up.
    pub(crate) fn new(configuration: &Configuration, clock: &Arc<dyn Clock>) -> Result<Self> {
        let chosen = configuration.traces.clone();
        let Some(collector) = chosen.endpoint else { return Ok(Self::default()) };
        tracing::info!(%collector, ratio = chosen.ratio.value(), "requests are traced");
        let (headers, service_name, version) = (chosen.headers, chosen.service_name, env!("CARGO_PKG_VERSION"));
        let (queue, exporter) = SpanExporter::new(ExporterSettings { url: collector, headers, service_name, version })?;
        let tracer = Tracer::new(Arc::clone(&queue) as _, Arc::clone(clock), Arc::new(NameEntropy), chosen.ratio);
        Ok(Self { tracer: Some(tracer), queue: Some(queue), exporter: Some(exporter) })
    }

    /// Starts to send the spans.
    pub(crate) fn start(&mut self, tasks: &mut Tasks, stop: &CancellationToken) {
        if let Some(exporter) = self.exporter.take() {
            tasks.spawn_steady("the exporter of traces", stop, exporter.run(stop.clone()));
        }
    }
}
