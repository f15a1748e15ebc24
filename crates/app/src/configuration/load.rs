use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use domain::webhooks::{WebhookPolicy, WebhookPolicyField, WebhookPolicySettings};
use domain::{KeyPolicy, KeyPolicyField, KeyPolicySettings, closest_name};
use serde::Serialize;

use super::file::{read_file, read_value};
use super::given::{Given, Origin};
use super::settings::{Draft, Secrecy, Setting, settings, value_file_name};
use super::{Configuration, DatabaseUrl, Environment, InvalidConfiguration, Problem, Warning};

/// The configuration, and where each of its values came from.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The values.
    pub(crate) configuration: Configuration,
    /// Likely mistakes, to be shown or logged.
    pub(crate) warnings: Vec<Warning>,
    origins: BTreeMap<&'static str, Origin>,
}

/// A setting with the value that applies, as `gatepost config` shows it.
#[derive(Serialize)]
pub(crate) struct Effective {
    /// Its name in the environment.
    pub(crate) name: &'static str,
    /// Its value, masked if it is a secret; `None` if it is not set.
    pub(crate) value: Option<String>,
    /// Where the value came from.
    pub(crate) origin: String,
}

impl Loaded {
    /// Every setting, in the order of the reference page.
    pub(crate) fn effective(&self) -> impl Iterator<Item = Effective> {
        settings().map(|setting| Effective {
            name: setting.name,
            value: (setting.show)(&self.configuration),
            origin: self.origins.get(setting.name).unwrap_or(&Origin::Default).to_string(),
        })
    }

    /// The files from which secrets come. The URL of a SQLite file is not one.
    pub(crate) fn secret_files(&self) -> BTreeSet<&Path> {
        let has_password = matches!(self.configuration.database_url, DatabaseUrl::Postgres(_));
        let is_secret = |setting: &&Setting| match setting.secrecy {
            Secrecy::Open => false,
            Secrecy::Password => has_password,
            Secrecy::Secret => true,
        };
        let origins = settings().filter(is_secret).filter_map(|setting| self.origins.get(setting.name));
        origins.filter_map(Origin::file).collect()
    }
}

/// What a command requires beyond a valid configuration.
pub(crate) type Needs = fn(&Configuration) -> Vec<Problem>;

/// Reads the configuration file (`gatepost.toml` when none is named) and the environment, which wins.
/// See decision 24.
///
/// # Errors
///
/// Everything that is wrong, including what the command `needs`, so that one round of corrections is enough.
pub(crate) fn load(
    file: Option<&Path>,
    environment: &Environment,
    needs: Needs,
) -> Result<Loaded, InvalidConfiguration> {
    // A file that cannot be read ends here: the values in it decide what else is wrong.
    let mut file_values = read_file(file)?;
    let (mut draft, mut findings) = (Draft::default(), Findings::default());
    let mut unusable = BTreeSet::new();
    for setting in settings() {
        if let Err(problem) = take(setting, environment, &mut file_values, &mut draft, &mut findings) {
            unusable.insert(setting.name);
            findings.problems.push(problem);
        }
    }
    findings.problems.extend(file_values.into_iter().map(unknown));
    let Draft { mut configuration, keys, webhooks } = draft;
    let policy = |keys| KeyPolicy::new(keys).map_err(|refusal| (refusal.field, refusal.allowed));
    configuration.key_policy = findings.judge(keys, policy, KeyPolicySettings::reset, key_setting);
    let policy = |webhooks| WebhookPolicy::new(webhooks).map_err(|refusal| (refusal.field, refusal.allowed));
    configuration.webhooks.policy = findings.judge(webhooks, policy, WebhookPolicySettings::reset, webhook_setting);
    // A setting that was refused above is not reported a second time as missing or unfit.
    let on_top = |need: &Problem| need.setting().is_none_or(|name| !unusable.contains(name));
    let Findings { origins, mut problems, .. } = findings;
    let wanted = configuration.shards_problem().into_iter().chain(needs(&configuration));
    problems.extend(wanted.filter(on_top));
    if !problems.is_empty() {
        // What is missing may be there under another name.
        problems.extend(environment.warnings().map(Problem::Suspicious));
        return Err(InvalidConfiguration(problems));
    }
    configuration.logs.colours = !environment.forbids_colours();
    let warnings = warnings(environment, &origins);
    Ok(Loaded { configuration, warnings, origins })
}

fn warnings(environment: &Environment, origins: &BTreeMap<&'static str, Origin>) -> Vec<Warning> {
    let files: BTreeSet<&Origin> = origins.values().collect();
    environment.warnings().chain(files.into_iter().filter_map(Warning::of_origin)).collect()
}

/// Parses the value of one setting into the draft, and notes where it came from.
fn take(
    setting: &Setting,
    environment: &Environment,
    file: &mut BTreeMap<String, Given>,
    draft: &mut Draft,
    findings: &mut Findings,
) -> Result<(), Problem> {
    let Some(given) = find(setting, environment, file)? else {
        return Ok(());
    };
    let (name, shown) = (setting.name, setting.shown(&given));
    if (setting.set)(draft, &given).is_err() {
        return Err(Problem::Refused { name, shown, origin: given.origin, allowed: (setting.allowed)() });
    }
    findings.shown.insert(name, shown);
    findings.origins.insert(name, given.origin);
    Ok(())
}

/// The value of a setting. Values of the file are taken out of `file`, so that unknown names remain.
fn find(
    setting: &Setting,
    environment: &Environment,
    file: &mut BTreeMap<String, Given>,
) -> Result<Option<Given>, Problem> {
    let value_file_name = setting.value_file_name();
    let in_file = (file.remove(&setting.name.to_lowercase()), file.remove(&value_file_name.to_lowercase()));
    match in_environment(environment, setting.name)? {
        Some(given) => Ok(Some(given)),
        None => resolve(setting.name, in_file, value_file_name.to_lowercase()),
    }
}

/// The value in the environment: of the variable itself, or of the file that `NAME_FILE` names.
///
/// # Errors
///
/// When both are set, or the value cannot be read.
pub(crate) fn in_environment(environment: &Environment, name: &'static str) -> Result<Option<Given>, Problem> {
    let value_file_name = value_file_name(name);
    let found = (variable(environment, name)?, variable(environment, &value_file_name)?);
    resolve(name, found, value_file_name)
}

fn variable(environment: &Environment, name: &str) -> Result<Option<Given>, Problem> {
    let Some(value) = environment.get(name) else {
        return Ok(None);
    };
    let text = value.to_str().ok_or_else(|| Problem::NotText { name: name.to_owned() })?;
    Ok(Some(Given::text(text, Origin::Environment)))
}

/// Takes the value, or reads the file that is named instead.
fn resolve(
    name: &'static str,
    found: (Option<Given>, Option<Given>),
    value_file_name: String,
) -> Result<Option<Given>, Problem> {
    let named = match found {
        (Some(given), Some(_)) => return Err(Problem::Twice { name, origin: given.origin }),
        (given, None) => return Ok(given),
        (None, Some(named)) => named,
    };
    let path = PathBuf::from(named.shown());
    match read_value(&path) {
        Ok(text) => Ok(Some(Given::text(text, Origin::ValueFile { name: value_file_name, path }))),
        Err(error) => Err(Problem::UnreadableValue { name: value_file_name, path, reason: error.to_string() }),
    }
}

fn unknown((name, given): (String, Given)) -> Problem {
    let nearest = nearest(&name);
    Problem::Unknown { name, table: given.is_structure(), origin: given.origin, nearest }
}

/// The setting whose name in the file is most similar to `name`, if one is similar enough.
fn nearest(name: &str) -> Option<String> {
    let names = settings().flat_map(|setting| [setting.name.to_lowercase(), setting.value_file_name().to_lowercase()]);
    closest_name(name, names)
}

/// Where the values came from, and what is wrong with them.
#[derive(Default)]
struct Findings {
    origins: BTreeMap<&'static str, Origin>,
    /// The values that the operator set, as they may be shown.
    shown: BTreeMap<&'static str, String>,
    problems: Vec<Problem>,
}

impl Findings {
    /// Makes a policy of the domain. A field that the domain refuses is a problem of the setting with this `name`, and
    /// is `reset`, so that one start reports every field.
    fn judge<Settings: Clone, Policy, Field: Copy>(
        &mut self,
        mut settings: Settings,
        policy: impl Fn(Settings) -> Result<Policy, (Field, String)>,
        reset: impl Fn(&mut Settings, Field),
        name: impl Fn(Field) -> &'static str,
    ) -> Policy {
        loop {
            let (field, allowed) = match policy(settings.clone()) {
                Ok(policy) => return policy,
                Err(refusal) => refusal,
            };
            let name = name(field);
            let shown = self.shown.get(name).cloned().unwrap_or_else(|| default_of(name));
            let origin = self.origins.get(name).unwrap_or(&Origin::Default).clone();
            self.problems.push(Problem::Refused { name, shown, origin, allowed });
            reset(&mut settings, field);
        }
    }
}

fn default_of(name: &str) -> String {
    let setting = settings().find(|setting| setting.name == name);
    setting.and_then(|setting| (setting.show)(&Configuration::default())).unwrap_or_default()
}

fn key_setting(field: KeyPolicyField) -> &'static str {
    match field {
        KeyPolicyField::MaxActive => "API_KEYS_MAX_ACTIVE",
        KeyPolicyField::Prefix => "API_KEY_PREFIX",
        KeyPolicyField::PreviewLength => "API_KEY_PREFIX_LENGTH",
        KeyPolicyField::MaxTtlDays => "API_KEYS_MAX_TTL_DAYS",
        KeyPolicyField::RetentionDays => "API_KEYS_RETENTION_DAYS",
    }
}

fn webhook_setting(field: WebhookPolicyField) -> &'static str {
    match field {
        WebhookPolicyField::MaxSubscriptions => "WEBHOOK_MAX_SUBSCRIPTIONS",
        WebhookPolicyField::MaxPayloadBytes => "WEBHOOK_MAX_PAYLOAD_BYTES",
        WebhookPolicyField::Retention => "WEBHOOK_RETENTION_DAYS",
    }
}
