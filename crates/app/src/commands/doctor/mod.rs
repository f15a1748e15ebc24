//! `gatepost doctor`: the subjects of the checks in `doctor`.

mod database;

use std::sync::Arc;

use adapters_oidc::{OidcSettings, OidcVerifier};
use adapters_system::AuditDestination;
use anyhow::{Result, anyhow};
use clap::Args;
use cli::output::Reply;
use database::examine_database;
use doctor::{
    Finding, Report, check_allowed_networks, check_disk, check_identity, check_listener, check_open_files,
    check_public_url, check_reach, check_secret_file, check_writable,
};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::configuration::{Configuration, DatabaseUrl, InvalidConfiguration, Loaded, Problem, Warning};
use crate::instance::PROVIDER_TLS;
use crate::webhooks::egress_policy;

/// Find problems of the configuration, the database, the identity provider and this machine
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Also check that webhooks to this URL may be sent, and that it accepts connections; repeatable
    #[arg(long, value_name = "URL")]
    reach: Vec<Url>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost doctor
  gatepost doctor --reach http://127.0.0.1:9000/hook
  gatepost --config /etc/gatepost.toml doctor --json";

/// Prints the problems. May run while `gatepost serve` runs, with the same configuration.
///
/// # Errors
///
/// When a check finds a problem.
pub(crate) async fn run(arguments: Arguments, loaded: Result<Loaded, InvalidConfiguration>) -> Result<()> {
    let report = match loaded {
        Ok(loaded) => examine(&loaded, &arguments.reach).await,
        Err(InvalidConfiguration(problems)) => {
            let mut report = Report::default();
            report.add("configuration", problems.iter().map(of_problem));
            report
        }
    };
    let reply = Reply::new(&report, report.to_string())?;
    match report.findings.len() {
        0 => reply,
        count => reply.failing(anyhow!("problems found: {count}")),
    }
    .print(arguments.json)
}

async fn examine(loaded: &Loaded, reach: &[Url]) -> Report {
    let configuration = &loaded.configuration;
    let mut report = Report::default();
    report.add("configuration", loaded.warnings.iter().map(of_warning));
    report.findings.extend(exposure(configuration));
    report.add("listeners", check_listener("LISTEN", configuration.listen).await);
    if let Some(address) = configuration.metrics_listen {
        report.findings.extend(check_listener("METRICS_LISTEN", address).await);
    }
    report.add("open files", check_open_files());
    if let DatabaseUrl::Sqlite(path) = &configuration.database_url {
        report.add("disk", path.parent().filter(|folder| folder.exists()).and_then(check_disk));
    }
    report.add("files", check_files(configuration));
    report.add("secret files", loaded.secret_files().into_iter().filter_map(check_secret_file));
    examine_database(configuration, &mut report).await;
    examine_identity(configuration, &mut report).await;
    if !reach.is_empty() {
        report.add("egress", examine_egress(configuration, reach).await);
    }
    report
}

/// Checks the files that the service writes. It makes folders for its database alone.
fn check_files(configuration: &Configuration) -> impl Iterator<Item = Finding> {
    let database = configuration.database_url.file().and_then(|path| check_writable("DATABASE_URL", path, true));
    let copy = match &configuration.audit_log {
        Some(AuditDestination::File(path)) => check_writable("AUDIT_LOG", path, false),
        Some(AuditDestination::Stdout) | None => None,
    };
    database.into_iter().chain(copy)
}

fn exposure(configuration: &Configuration) -> impl Iterator<Item = Finding> {
    let public_url = configuration.public_url.as_ref().and_then(|url| check_public_url(url.as_str()));
    let networks = configuration.webhooks.allowed_networks.iter();
    let all = networks.filter(|network| network.prefix_len() == 0).map(ToString::to_string);
    public_url.into_iter().chain(check_allowed_networks(all))
}

/// No check finds whether the provider knows `OIDC_AUDIENCE`: the discovery document lists neither clients nor
/// audiences, and an audience need not be a client. A wrong audience shows when the first token is refused.
async fn examine_identity(configuration: &Configuration, report: &mut Report) {
    let Some(issuer) = configuration.oidc_issuer.clone() else { return };
    let (audiences, client_ids) = configuration.token_recipients();
    let settings = OidcSettings { client_ids, tls: PROVIDER_TLS, ..OidcSettings::new(issuer.clone(), audiences) };
    let Ok(identity) = OidcVerifier::new(settings) else {
        return;
    };
    let stop = CancellationToken::new();
    let running = tokio::spawn(Arc::clone(&identity).run(stop.clone()));
    report.add("identity provider", check_identity(&*identity, &issuer).await);
    stop.cancel();
    // A panic of the task is a fault of this command, and does not change the findings.
    let _ = running.await;
}

/// Sends no request to the URLs.
async fn examine_egress(configuration: &Configuration, reach: &[Url]) -> Vec<Finding> {
    let Ok(policy) = egress_policy(configuration) else { return Vec::new() };
    let mut findings = Vec::new();
    for url in reach {
        findings.extend(check_reach(url, &policy).await);
    }
    findings
}

fn of_problem(problem: &Problem) -> Finding {
    if let Problem::Suspicious(warning) = problem {
        return of_warning(warning);
    }
    let cure = "correct the setting; `gatepost config` shows each value and where it comes from".to_owned();
    let why = "`gatepost serve` ends at its start with exit code 78";
    Finding { check: "configuration", what: problem.to_string(), why, cure }
}

fn of_warning(warning: &Warning) -> Finding {
    let (what, cure) = (warning.to_string(), warning.cure());
    Finding { check: "configuration", what, why: "the service starts, and may not do what you meant", cure }
}
