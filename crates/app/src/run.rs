use std::sync::Arc;
use std::time::Duration;

use actix_web::web::ServiceConfig;
use adapters_http::{AuditJson, HttpSettings};
use adapters_system::AuditCopy;
use anyhow::{Context, Result, anyhow};
use tokio_util::sync::CancellationToken;

use crate::background;
use crate::instance::Instance;
use crate::metrics::MetricsParts;
use crate::parts::Parts;

/// The limit of a shutdown, from the signal to the end of the process. Orchestrators kill after 10 s or later.
const SHUTDOWN_MAX: Duration = Duration::from_millis(9_500);

impl Instance {
    /// Serves until `stop` is cancelled. Then `/readyz` fails, requests in flight finish, the last uses are written,
    /// and the database is closed, in this order. `once_serving` runs as soon as the server answers requests.
    ///
    /// # Errors
    ///
    /// When the server, a background task or `once_serving` fails, or when the shutdown takes too long.
    pub(crate) async fn run(
        self,
        more_routes: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
        once_serving: impl Future<Output = Result<()>>,
        stop: CancellationToken,
    ) -> Result<()> {
        let too_late = async {
            stop.cancelled().await;
            tokio::time::sleep(SHUTDOWN_MAX).await;
        };
        tokio::select! {
            outcome = self.serve_and_stop(more_routes, once_serving, &stop) => outcome,
            () = too_late => Err(anyhow!("the shutdown took longer than {SHUTDOWN_MAX:?}; unfinished work is lost")),
        }
    }

    async fn serve_and_stop(
        mut self,
        more_routes: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
        once_serving: impl Future<Output = Result<()>>,
        stop: &CancellationToken,
    ) -> Result<()> {
        // The engines stop after the server, because its last requests need them.
        let engines_stop = CancellationToken::new();
        let metrics = MetricsParts::of(&mut self.store);
        let audit_copy = self.audit_copy()?;
        let mut parts = Parts::of(&self)?;
        let mut tasks = background::start(&self, &mut parts, stop, &engines_stop).await;
        let settings = self.http_settings(&metrics);
        let metrics_listener = self.metrics_listener.take();
        let metrics = metrics.start(&self, &parts, metrics_listener, &mut tasks, &engines_stop);
        let api = parts.into_api(&self, metrics);
        let address = self.listener.local_addr().context("the listener has no address")?;
        let database = self.configuration.database_url.kind();
        tracing::info!(version = env!("CARGO_PKG_VERSION"), %address, database, "gatepost is serving");
        let console = adapters_web::routes(self.configuration.console, self.configuration.portal);
        let routes = move |config: &mut ServiceConfig| {
            more_routes(config);
            console(config);
        };
        let server = adapters_http::serve(self.listener, settings, api, routes, stop.clone());
        let outcome = tasks.run_beside(server, once_serving, stop).await;
        engines_stop.cancel();
        let finished = tasks.finish().await;
        self.store.close().await;
        audit_copy.inspect(|copy| copy.finish());
        tracing::info!("gatepost has stopped");
        outcome.and(finished)
    }

    /// Copies every later event of the audit log to the destination in `AUDIT_LOG`, if it is set.
    fn audit_copy(&self) -> Result<Option<Arc<AuditCopy>>> {
        let Some(destination) = &self.configuration.audit_log else { return Ok(None) };
        AuditCopy::start(&*self.store.audit, destination, Arc::new(AuditJson))
            .with_context(|| format!("AUDIT_LOG: cannot write to {destination}"))
            .map(Some)
    }

    fn http_settings(&self, metrics: &MetricsParts) -> HttpSettings {
        let configuration = self.configuration.clone();
        HttpSettings {
            public_url: self.public_url.as_str().to_owned(),
            error_pages: configuration.public_url.as_ref().map_or_else(String::new, |url| url.as_str().to_owned()),
            portal_is_framed: !configuration.portal.frame_ancestors.is_empty(),
            cors_origins: configuration.cors_origins,
            scim_subject: configuration.scim_subject,
            forward_metadata: configuration.forward_metadata,
            trusted_proxies: configuration.trusted_proxies,
            user_rate_limit: configuration.user_rate_limit,
            manual_send_limit: configuration.manual_send_limit,
            credential_failure_limit: configuration.credential_failure_limit,
            webhook_changes: self.webhook_changes,
            certificate: self.certificate.clone(),
            durations: metrics.requests.clone(),
            limits: configuration.limits,
            ..HttpSettings::default()
        }
    }
}
