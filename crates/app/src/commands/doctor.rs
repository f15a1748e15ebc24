use std::path::Path;
use std::sync::Arc;

use adapters_oidc::{OidcSettings, OidcVerifier};
use anyhow::{Result, bail};
use clap::Args;
use cli::WebAddress;
use cli::output::{answer, answer_json};
use doctor::{Finding, Report, check_disk, check_identity, check_listener, check_open_files, check_store, is_served};
use tokio_util::sync::CancellationToken;

use crate::configuration::{Configuration, DatabaseUrl, InvalidConfiguration, Loaded};
use crate::database::{open_store, with_clock};

/// Look for what is wrong with the configuration, the database, the identity provider and this machine
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost doctor
  gatepost --config /etc/gatepost.toml doctor --json";

/// Prints what is wrong. May run beside `gatepost serve`, with the same configuration.
///
/// # Errors
///
/// When something is wrong.
pub(crate) async fn run(arguments: Arguments, loaded: Result<Loaded, InvalidConfiguration>) -> Result<()> {
    let report = match loaded {
        Ok(loaded) => examine(&loaded).await,
        Err(InvalidConfiguration(problems)) => {
            let mut report = Report::default();
            report.add("configuration", problems.iter().map(|problem| of_configuration(problem.to_string())));
            report
        }
    };
    if arguments.json {
        answer_json(&report)?;
    } else {
        answer(&report.to_string())?;
    }
    match report.findings.len() {
        0 => Ok(()),
        count => bail!("problems found: {count}"),
    }
}

async fn examine(loaded: &Loaded) -> Report {
    let configuration = &loaded.configuration;
    let mut report = Report::default();
    report.add("configuration", loaded.warnings.iter().map(|warning| of_warning(warning.to_string())));
    report.add("listeners", check_listener("LISTEN", configuration.listen).await);
    if let Some(address) = configuration.metrics_listen {
        report.findings.extend(check_listener("METRICS_LISTEN", address).await);
    }
    report.add("open files", check_open_files());
    if let DatabaseUrl::Sqlite(path) = &configuration.database_url {
        report.add("disk", path.parent().filter(|folder| folder.exists()).and_then(check_disk));
    }
    examine_database(configuration, &mut report).await;
    examine_identity(configuration, &mut report).await;
    report
}

/// A SQLite file that does not exist is made by the first start. One that a running instance has open is not examined.
async fn examine_database(configuration: &Configuration, report: &mut Report) {
    let is_new = |path: &Path| !path.exists();
    let is_taken = is_served(WebAddress::socket_of_listener(configuration.listen)).await;
    if matches!(&configuration.database_url, DatabaseUrl::Sqlite(path) if is_taken || is_new(path)) {
        return;
    }
    match open_store(configuration).await {
        Err(error) => report.add("database", [unopened(format!("{error:#}"))]),
        Ok(store) => {
            let (store, clock) = with_clock(store);
            report.add("database", check_store(&store, &*clock, configuration.migrate).await);
            store.close().await;
        }
    }
}

async fn examine_identity(configuration: &Configuration, report: &mut Report) {
    let Some(issuer) = configuration.oidc_issuer.clone() else { return };
    let (audiences, client_ids) = (configuration.oidc_audiences.clone(), configuration.oidc_client_ids.clone());
    let Ok(identity) = OidcVerifier::new(OidcSettings { issuer, audiences, client_ids }) else { return };
    let stop = CancellationToken::new();
    let running = tokio::spawn(Arc::clone(&identity).run(stop.clone()));
    report.add("identity provider", check_identity(&*identity).await);
    stop.cancel();
    // A panic of the task is a fault of this command, and changes nothing about what was found.
    let _ = running.await;
}

fn of_configuration(what: String) -> Finding {
    let cure = "correct the setting; `gatepost config` shows each value and where it comes from".to_owned();
    Finding { check: "configuration", what, why: "`gatepost serve` ends at its start with exit code 78", cure }
}

fn of_warning(what: String) -> Finding {
    let cure = "correct the name, or the rights of the file".to_owned();
    Finding { check: "configuration", what, why: "the service starts, and may not do what you meant", cure }
}

fn unopened(what: String) -> Finding {
    let cure = "stop the process that the cause names, or mend what it names".to_owned();
    Finding { check: "database", what, why: "`gatepost serve` ends at its start", cure }
}
