use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use domain::webhooks::{WebhookPolicy, WebhookPolicyField};
use domain::{KeyPolicy, KeyPolicyField, closest_name};
use serde::Serialize;

use super::file::{read_file, read_value};
use super::given::{Given, Origin};
use super::settings::{Secrecy, Setting, settings, value_file_name};
use super::{Configuration, DatabaseUrl, Environment, InvalidConfiguration, Problem, Warning};

/// The configuration, and where each of its values came from.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The values.
    pub(crate) configuration: Configuration,
    /// Likely mistakes, to be shown or logged.
    pub(crate) warnings: Vec<Warning>,
    /// Every setting, in the order of the reference page.
    pub(crate) effective: Vec<Effective>,
}

/// A setting with the value that applies, as `gatepost config` shows it.
#[derive(Debug, Serialize)]
pub(crate) struct Effective {
    /// Its name in the environment.
    pub(crate) name: &'static str,
    /// Its value, masked if it is a secret; `None` if it is not set.
    pub(crate) value: Option<String>,
    /// Where the value came from.
    pub(crate) origin: Origin,
}

impl Loaded {
    /// The files from which secrets come. The URL of a SQLite file is not one.
    pub(crate) fn secret_files(&self) -> BTreeSet<&Path> {
        let has_password = matches!(self.configuration.database_url, DatabaseUrl::Postgres(_));
        let is_secret = |setting: &Setting| match setting.secrecy {
            Secrecy::Open => false,
            Secrecy::Password => has_password,
            Secrecy::Secret => true,
        };
        let pairs = settings().iter().zip(&self.effective).filter(|(setting, _)| is_secret(setting));
        pairs.filter_map(|(_, effective)| effective.origin.file()).collect()
    }
}

/// The requirements of a command beyond a valid configuration.
pub(crate) type Needs = fn(&Configuration) -> Vec<Problem>;

/// Reads the configuration file (`gatepost.toml` when none is named) and the environment, which wins. See decision 24.
///
/// # Errors
///
/// All problems, including unmet `needs` of the command, so that one round of corrections is enough.
pub(crate) fn load(
    file: Option<&Path>,
    environment: &Environment,
    needs: Needs,
) -> Result<Loaded, InvalidConfiguration> {
    // A file that cannot be read ends here: without its values, the other checks would mislead.
    let mut file_values = read_file(file)?;
    let (mut reading, mut refused) = (Reading::default(), BTreeSet::new());
    for setting in settings() {
        let taken = find(setting.name, environment, &mut file_values).and_then(|given| reading.take(setting, given));
        if let Err(problem) = taken {
            refused.insert(setting.name);
            reading.problems.push(problem);
        }
    }
    reading.problems.extend(file_values.into_iter().map(unknown));
    reading.check_policies();
    let Reading { mut configuration, mut origins, mut problems } = reading;
    // A setting that was refused above is not reported a second time as missing or unfit.
    let on_top = |need: &Problem| !matches!(need, Problem::Unmet { name, .. } if refused.contains(name));
    problems.extend(configuration.shards_problem().into_iter().chain(needs(&configuration)).filter(on_top));
    if !problems.is_empty() {
        // A missing setting may have been set under a misspelt name.
        problems.extend(environment.warnings().map(Problem::Suspicious));
        return Err(InvalidConfiguration(problems));
    }
    configuration.logs.colours = !environment.forbids_colours();
    let files: BTreeSet<&Origin> = origins.values().collect();
    let warnings = environment.warnings().chain(files.into_iter().filter_map(Warning::of_origin)).collect();
    let effective = settings().iter().map(|setting| Effective {
        name: setting.name,
        value: (setting.show)(&mut configuration),
        origin: origins.remove(setting.name).unwrap_or(Origin::Default),
    });
    Ok(Loaded { effective: effective.collect(), configuration, warnings })
}

/// The configuration while it is read.
#[derive(Default)]
struct Reading {
    configuration: Configuration,
    origins: BTreeMap<&'static str, Origin>,
    problems: Vec<Problem>,
}

impl Reading {
    /// Parses the value of one setting, and notes where it came from.
    fn take(&mut self, setting: &Setting, given: Option<Given>) -> Result<(), Problem> {
        let Some(given) = given else { return Ok(()) };
        let refused = |_| Problem::refused(setting.name, &setting.shown(&given), &given.origin, &setting.allowed);
        (setting.set)(&mut self.configuration, &given).map_err(refused)?;
        self.origins.insert(setting.name, given.origin);
        Ok(())
    }

    /// Makes the policies of the domain, which names every field that it refuses.
    fn check_policies(&mut self) {
        match KeyPolicy::new(self.configuration.keys.clone()) {
            Ok(policy) => self.configuration.key_policy = policy,
            Err(refused) => refused.iter().for_each(|one| self.refuse(key_setting(one.field), &one.allowed)),
        }
        match WebhookPolicy::new(self.configuration.webhooks.settings.clone()) {
            Ok(policy) => self.configuration.webhooks.policy = policy,
            Err(refused) => refused.iter().for_each(|one| self.refuse(webhook_setting(one.field), &one.allowed)),
        }
    }

    fn refuse(&mut self, name: &str, allowed: &str) {
        let setting = settings().iter().find(|setting| setting.name == name);
        let shown = setting.and_then(|setting| (setting.show)(&mut self.configuration)).unwrap_or_default();
        let origin = self.origins.get(name).unwrap_or(&Origin::Default);
        self.problems.push(Problem::refused(name, &shown, origin, allowed));
    }
}

fn key_setting(field: KeyPolicyField) -> &'static str {
    match field {
        KeyPolicyField::MaxActive => "API_KEYS_MAX_ACTIVE",
        KeyPolicyField::Prefix => "API_KEY_PREFIX",
        KeyPolicyField::PreviewLength => "API_KEY_PREFIX_LENGTH",
        KeyPolicyField::MaxTtlDays => "API_KEYS_MAX_TTL_DAYS",
        KeyPolicyField::RetentionDays => "API_KEYS_RETENTION_DAYS",
        KeyPolicyField::DefaultTtlDays => "API_KEYS_DEFAULT_TTL_DAYS",
    }
}

fn webhook_setting(field: WebhookPolicyField) -> &'static str {
    match field {
        WebhookPolicyField::MaxSubscriptions => "WEBHOOK_MAX_SUBSCRIPTIONS",
        WebhookPolicyField::MaxPayloadBytes => "WEBHOOK_MAX_PAYLOAD_BYTES",
        WebhookPolicyField::Retention => "WEBHOOK_RETENTION_DAYS",
    }
}

/// The value of a setting. Values of the file are taken out of `file`, so that unknown names remain.
fn find(
    name: &'static str,
    environment: &Environment,
    file: &mut BTreeMap<String, Given>,
) -> Result<Option<Given>, Problem> {
    let value_file_name = value_file_name(name).to_lowercase();
    let in_file = (file.remove(&name.to_lowercase()), file.remove(&value_file_name));
    match in_environment(environment, name)? {
        Some(given) => Ok(Some(given)),
        None => resolve(name, in_file, value_file_name),
    }
}

/// The value in the environment: of the variable, or of the file that `NAME_FILE` names.
///
/// # Errors
///
/// When both are set, or the value cannot be read.
pub(crate) fn in_environment(environment: &Environment, name: &str) -> Result<Option<Given>, Problem> {
    let value_file_name = value_file_name(name);
    let found = (variable(environment, name)?, variable(environment, &value_file_name)?);
    resolve(name, found, value_file_name)
}

fn variable(environment: &Environment, name: &str) -> Result<Option<Given>, Problem> {
    let Some(value) = environment.get(name) else { return Ok(None) };
    let not_text = || Problem::Invalid(format!("{name} (environment) is not valid UTF-8"));
    Ok(Some(Given::text(value.to_str().ok_or_else(not_text)?, Origin::Environment)))
}

/// Takes the value, or reads the file that is named instead.
fn resolve(
    name: &str,
    found: (Option<Given>, Option<Given>),
    value_file_name: String,
) -> Result<Option<Given>, Problem> {
    let named = match found {
        (Some(Given { origin, .. }), Some(_)) => {
            let text = format!("{name} and {name}_FILE are both set ({origin}): remove one of them");
            return Err(Problem::Invalid(text));
        }
        (given, None) => return Ok(given),
        (None, Some(named)) => named,
    };
    let path = PathBuf::from(named.shown());
    match read_value(&path) {
        Ok(text) => Ok(Some(Given::text(text, Origin::ValueFile { name: value_file_name, path }))),
        Err(error) => {
            let path = path.display();
            Err(Problem::Invalid(format!("{value_file_name} names {path}, which gatepost cannot read: {error}")))
        }
    }
}

/// A name of the file that is not that of a setting. The value is not shown, because it may be a secret.
fn unknown((name, given): (String, Given)) -> Problem {
    let names = settings().iter().flat_map(|setting| [setting.name.to_owned(), value_file_name(setting.name)]);
    let hint = match closest_name(&name, names.map(|name| name.to_lowercase())) {
        Some(nearest) => format!("; did you mean {nearest}?"),
        None if given.is_structure() => "; the file has no tables, only settings at the top level".to_owned(),
        None => "; `gatepost config` lists them".to_owned(),
    };
    Problem::Invalid(format!("unknown setting {name} ({}){hint}", given.origin))
}
