use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use adapters_http::{OperatorTokens, ServerCertificate};
use adapters_system::{Hangups, LogSwitch};
use tokio::time::{Instant, interval_at};
use tokio_util::sync::CancellationToken;

use crate::configuration::{Configuration, Environment, InvalidConfiguration, Loaded, Problem, load};

/// How often the files of the certificate are read, because programs that renew one send no signal.
const CERTIFICATE_INTERVAL: Duration = Duration::from_secs(10);
/// The settings that a running instance takes over.
const TAKEN_OVER: &[&str] = &["LOG", "OPERATOR_TOKEN", "OPERATOR_TOKENS", "TLS_CERT", "TLS_KEY"];

/// Where the configuration comes from: the file, and the environment as it was when the process started.
pub(crate) struct Source {
    pub(crate) file: Option<PathBuf>,
    pub(crate) environment: Environment,
    /// The settings that the command requires.
    pub(crate) needs: fn(&Configuration) -> Vec<Problem>,
}

impl Source {
    /// Reads the configuration.
    ///
    /// # Errors
    ///
    /// All problems of the configuration.
    pub(crate) fn load(&self) -> Result<Loaded, InvalidConfiguration> {
        load(self.file.as_deref(), &self.environment, self.needs)
    }
}

/// The parts of a running instance that take new settings over. SIGHUP reads the whole configuration again; the certificate
/// is also read from time to time. See decision 82.
pub(crate) struct Reload {
    source: Source,
    /// The settings that apply, as they may be shown.
    shown: BTreeMap<&'static str, Option<String>>,
    log: LogSwitch,
    tokens: OperatorTokens,
    certificate: Option<ServerCertificate>,
    /// The problem of the certificate at its last reading.
    complaint: Option<String>,
}

impl Reload {
    /// Takes settings over for an instance that runs with these ones.
    pub(crate) fn new(
        source: Source,
        loaded: &Loaded,
        log: LogSwitch,
        tokens: OperatorTokens,
        certificate: Option<ServerCertificate>,
    ) -> Self {
        Self { source, shown: shown(loaded), log, tokens, certificate, complaint: None }
    }

    /// Runs until `stop` is cancelled.
    pub(crate) async fn run(mut self, mut hangups: Hangups, stop: CancellationToken) {
        let mut ticks = interval_at(Instant::now() + CERTIFICATE_INTERVAL, CERTIFICATE_INTERVAL);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = hangups.next() => self.read_all(),
                _ = ticks.tick(), if self.certificate.is_some() => self.read_certificate(),
            }
        }
    }

    fn read_all(&mut self) {
        let loaded = match self.source.load() {
            Ok(loaded) => loaded,
            Err(error) => return tracing::error!(%error, "SIGHUP: nothing has changed"),
        };
        for warning in &loaded.warnings {
            tracing::warn!("{warning}");
        }
        let configuration = &loaded.configuration;
        self.log.apply(&configuration.logs.filter);
        let new_tokens = self.tokens.replace(&configuration.all_operator_tokens());
        let new_certificate = self.take_certificate(configuration);
        tracing::info!(
            new_tokens,
            new_certificate,
            log = configuration.logs.filter.as_str(),
            "SIGHUP: configuration read"
        );
        self.name_the_rest(&loaded);
    }

    /// Warns of the settings that count only after a restart.
    fn name_the_rest(&mut self, loaded: &Loaded) {
        let now = shown(loaded);
        let is_left = |name: &&str| !TAKEN_OVER.contains(name) && now[*name] != self.shown[*name];
        let left: Vec<&str> = now.keys().copied().filter(is_left).collect();
        if !left.is_empty() {
            tracing::warn!(settings = left.join(", "), "restart gatepost to use the new values of these settings");
        }
    }

    fn read_certificate(&mut self) {
        match self.source.load() {
            Ok(loaded) => {
                self.complaint = None;
                if self.take_certificate(&loaded.configuration) {
                    tracing::info!("a new TLS certificate is used");
                }
            }
            Err(error) => self.complain(error.to_string()),
        }
    }

    /// Logs a problem once.
    fn complain(&mut self, complaint: String) {
        if self.complaint.as_ref() != Some(&complaint) {
            tracing::error!(error = complaint, "cannot read the TLS certificate again: the old one is still used");
            self.complaint = Some(complaint);
        }
    }

    /// Uses the certificate of this configuration. Returns whether it is another one.
    fn take_certificate(&self, configuration: &Configuration) -> bool {
        let (Some(current), Ok(Some(new))) = (&self.certificate, configuration.tls.certificate()) else {
            return false;
        };
        let is_new = !current.is_same(&new);
        current.replace(&new);
        is_new
    }
}

fn shown(loaded: &Loaded) -> BTreeMap<&'static str, Option<String>> {
    loaded.effective.iter().map(|setting| (setting.name, setting.value.clone())).collect()
}

/// Catches SIGHUP, and only logs it.
pub(crate) async fn ignore(mut hangups: Hangups) {
    loop {
        hangups.next().await;
        tracing::info!(signal = "SIGHUP", "signal ignored: restart gatepost to read its configuration again");
    }
}
