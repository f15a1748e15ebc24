use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use domain::webhooks::{WebhookPolicy, WebhookPolicySettings};
use domain::{KeyPolicy, KeyPolicySettings};

use super::file::{read_file, read_value};
use super::given::{Given, Origin};
use super::settings::{Draft, SECONDS_PER_DAY, Setting, settings, value_file_name};
use super::{Configuration, Environment, InvalidConfiguration, Problem};

/// The configuration, and where each of its values came from.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The values.
    pub(crate) configuration: Configuration,
    origins: BTreeMap<&'static str, Origin>,
}

/// A setting as it is in force.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Effective {
    /// Its name in the environment.
    pub(crate) name: &'static str,
    /// Its value, masked where it is a secret; `None` when it is not set.
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
}

/// What a command finds missing or unfit for it in a configuration that is good as such.
pub(crate) type Needs = fn(&Configuration) -> Vec<Problem>;

/// Reads the configuration file (`gatepost.toml` when none is named) and the environment, which wins.
///
/// # Errors
///
/// Everything that is wrong, at once, with what the command `needs`.
pub(crate) fn load(
    file: Option<&Path>,
    environment: &Environment,
    needs: Needs,
) -> Result<Loaded, InvalidConfiguration> {
    // Without the file nothing else can be judged: who knows what it says.
    let mut file_values = read_file(file)?;
    let (mut draft, mut origins, mut problems) = (Draft::default(), BTreeMap::new(), Vec::new());
    let mut unusable = BTreeSet::new();
    for setting in settings() {
        match take(setting, environment, &mut file_values, &mut draft) {
            Ok(origin) => {
                origins.insert(setting.name, origin);
            }
            Err(problem) => {
                unusable.insert(setting.name);
                problems.push(problem);
            }
        }
    }
    problems.extend(file_values.into_iter().map(unknown));
    let mut configuration = draft.configuration;
    configuration.key_policy = judge(draft.keys, key_policy, put_back_keys, &origins, &mut problems);
    configuration.webhooks.policy = judge(draft.webhooks, webhook_policy, put_back_webhooks, &origins, &mut problems);
    // What was refused above is neither missing nor unfit on top of it.
    let on_top = |need: &Problem| need.setting().is_none_or(|name| !unusable.contains(name));
    problems.extend(needs(&configuration).into_iter().filter(on_top));
    if problems.is_empty() { Ok(Loaded { configuration, origins }) } else { Err(InvalidConfiguration(problems)) }
}

/// Parses the value of one setting into the draft, and answers where it came from.
fn take(
    setting: &Setting,
    environment: &Environment,
    file: &mut BTreeMap<String, Given>,
    draft: &mut Draft,
) -> Result<Origin, Problem> {
    let Some(given) = find(setting, environment, file)? else {
        return Ok(Origin::Default);
    };
    if (setting.set)(draft, &given).is_err() {
        let (shown, allowed) = (setting.shown(&given), (setting.allowed)());
        return Err(Problem::Refused { name: setting.name, shown, origin: given.origin, allowed });
    }
    Ok(given.origin)
}

/// The value that holds for a setting. What the file says is taken out of it, so that unknown names remain.
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

/// What the environment says, in the variable itself or in the file that `NAME_FILE` names.
pub(super) fn in_environment(environment: &Environment, name: &'static str) -> Result<Option<Given>, Problem> {
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

/// Takes the value, or reads the file that is named in its place.
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
    let nearest = nearest(&name.to_lowercase());
    Problem::Unknown { name, table: given.is_structure(), origin: given.origin, nearest }
}

/// The setting whose name in the file is most like `name`, if any is.
fn nearest(name: &str) -> Option<String> {
    /// Below this Jaro-Winkler similarity, names that share nothing but a few letters come up.
    const SIMILARITY_MIN: f64 = 0.8;
    let names = settings().flat_map(|setting| [setting.name.to_lowercase(), setting.value_file_name().to_lowercase()]);
    names
        .map(|known| (strsim::jaro_winkler(&known, name), known))
        .filter(|(similarity, _)| *similarity >= SIMILARITY_MIN)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, known)| known)
}

/// What the domain refuses of settings that it judges together: the setting's name, and what is allowed.
type Refusal = (&'static str, String);

/// Has the domain make a policy of settings. What it refuses is put back to the default, so that the next refusal comes
/// to light too.
fn judge<Settings: Clone, Policy>(
    mut settings: Settings,
    policy: impl Fn(Settings) -> Result<Policy, Refusal>,
    put_back: impl Fn(&mut Settings, &str) -> String,
    origins: &BTreeMap<&'static str, Origin>,
    problems: &mut Vec<Problem>,
) -> Policy {
    loop {
        let (name, allowed) = match policy(settings.clone()) {
            Ok(policy) => return policy,
            Err(refusal) => refusal,
        };
        let shown = put_back(&mut settings, name);
        let origin = origins.get(name).unwrap_or(&Origin::Default).clone();
        problems.push(Problem::Refused { name, shown, origin, allowed });
    }
}

fn key_policy(settings: KeyPolicySettings) -> Result<KeyPolicy, Refusal> {
    KeyPolicy::new(settings).map_err(|refusal| (refusal.name, refusal.allowed))
}

fn webhook_policy(settings: WebhookPolicySettings) -> Result<WebhookPolicy, Refusal> {
    WebhookPolicy::new(settings).map_err(|refusal| (refusal.name, refusal.allowed))
}

/// Puts one setting back to its default, and answers what it was.
fn put_back_keys(keys: &mut KeyPolicySettings, name: &str) -> String {
    let default = KeyPolicySettings::default();
    match name {
        "API_KEYS_MAX_ACTIVE" => std::mem::replace(&mut keys.max_active, default.max_active).to_string(),
        "API_KEYS_RETENTION_DAYS" => std::mem::replace(&mut keys.retention_days, default.retention_days).to_string(),
        "API_KEYS_MAX_TTL_DAYS" => std::mem::replace(&mut keys.max_ttl_days, default.max_ttl_days).to_string(),
        "API_KEY_PREFIX_LENGTH" => std::mem::replace(&mut keys.preview_length, default.preview_length).to_string(),
        "API_KEY_PREFIX" => {
            // The length is judged against the prefix, so it goes back too.
            keys.preview_length = default.preview_length;
            std::mem::replace(&mut keys.prefix, default.prefix)
        }
        _ => {
            *keys = default;
            String::new()
        }
    }
}

/// Puts one setting back to its default, and answers what it was.
fn put_back_webhooks(webhooks: &mut WebhookPolicySettings, name: &str) -> String {
    let default = WebhookPolicySettings::default();
    match name {
        "WEBHOOK_MAX_SUBSCRIPTIONS" => {
            std::mem::replace(&mut webhooks.max_subscriptions, default.max_subscriptions).to_string()
        }
        "WEBHOOK_MAX_PAYLOAD_BYTES" => {
            std::mem::replace(&mut webhooks.max_payload_bytes, default.max_payload_bytes).to_string()
        }
        "WEBHOOK_RETENTION_DAYS" => {
            // The retention is judged against the schedule, so that goes back too.
            webhooks.retry_schedule = default.retry_schedule;
            let retention = std::mem::replace(&mut webhooks.retention, default.retention);
            (retention.as_secs() / SECONDS_PER_DAY).to_string()
        }
        _ => {
            *webhooks = default;
            String::new()
        }
    }
}
