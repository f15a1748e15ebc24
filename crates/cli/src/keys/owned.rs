//! The keys of an owner.

use std::time::Duration;

use adapters_system::SystemClock;
use anyhow::{Context, Result, bail};
use clap::{ArgGroup, Args};
use domain::ports::Clock;
use gatepost_client::{ApiKey, ApiKeyChange, DailyUsesOfKey, Error, NewApiKey, Problem};

use super::{pair, reply};
use crate::connection::Connection;
use crate::consent::Consent;
use crate::listing::Listing;
use crate::output::{Reply, member};
use crate::owner::Owner;
use crate::table::{named_lines, table_by_hour};
use crate::times::{duration, future, past, shown};

pub(super) const LIST_EXAMPLES: &str = "\
Examples:
  gatepost keys list --user alice
  GATEPOST_ID_TOKEN_FILE=token gatepost keys list --json";

const LISTING: Listing<6> =
    Listing { items: "keys", heads: ["ID", "PREFIX", "STATE", "CREATED", "LAST USED", "LABEL"] };

/// Prints the keys.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn list(owner: &Owner, connection: &Connection) -> Result<Reply> {
    let keys = keys_of(owner, connection).await?;
    LISTING.of(&member("keys", &keys), rows(&keys, &SystemClock.now().to_string()))
}

/// The keys of a user, newest first.
///
/// # Errors
///
/// When the call fails.
pub(crate) async fn keys_of(owner: &Owner, connection: &Connection) -> Result<Vec<ApiKey>> {
    connection.heard(connection.user(owner).await?.list_api_keys().await)
}

fn rows<'a>(keys: &'a [ApiKey], now: &'a str) -> impl Iterator<Item = [String; 6]> + 'a {
    keys.iter().map(move |key| {
        let (id, prefix, created_at) = (key.id.clone(), key.prefix.clone(), shown(&key.created_at));
        let last_used_at = key.last_used_at.as_deref().map_or_else(|| "never".to_owned(), shown);
        [id, prefix, state(key, now), created_at, last_used_at, key.label.clone()]
    })
}

/// The state of a key. Times of the service sort as strings.
pub(super) fn state(key: &ApiKey, now: &str) -> String {
    match (&key.revoked_at, &key.expires_at, &key.disabled_at) {
        (Some(at), ..) => format!("revoked {}", shown(at)),
        (None, Some(at), _) if at.as_str() <= now => format!("expired {}", shown(at)),
        (None, _, Some(at)) => format!("disabled {}", shown(at)),
        (None, Some(at), None) => format!("expires {}", shown(at)),
        (None, None, None) => "active".to_owned(),
    }
}

/// Show a key: its scopes, its end, and the key that replaces it
#[derive(Debug, Args)]
#[command(before_help = SHOW_EXAMPLES)]
pub(super) struct ShowArguments {
    /// The id of the key, as `gatepost keys list` shows it
    key_id: String,
    #[command(flatten)]
    owner: Owner,
}

const SHOW_EXAMPLES: &str = "\
Examples:
  gatepost keys show key_01h455vb4pex5vsknk084sn02q --user alice";

/// Prints the key.
///
/// # Errors
///
/// When the call fails, or the user has no such key.
pub(super) async fn show(arguments: &ShowArguments, connection: &Connection) -> Result<Reply> {
    let keys = keys_of(&arguments.owner, connection).await?;
    let key = keys.into_iter().find(|key| key.id == arguments.key_id).ok_or_else(not_found)?;
    Reply::new(&key, lines(&key, &SystemClock.now().to_string()))
}

/// The service has no call for one key: its list has all keys, except those that ended long ago.
fn not_found() -> Error {
    let mut problem = Problem::default();
    problem.status = 404;
    problem.code = Some("key_not_found".to_owned());
    problem.detail = Some("the user has no such key, or it ended long ago".to_owned());
    Error::Refused(Box::new(problem))
}

pub(super) fn lines(key: &ApiKey, now: &str) -> String {
    let time = |at: &Option<String>| at.as_deref().map_or_else(|| "never".to_owned(), shown);
    let scopes = if key.scopes.is_empty() { "none".to_owned() } else { key.scopes.join(" ") };
    let metadata: Vec<String> = key.metadata.iter().map(|(name, value)| format!("{name}={value}")).collect();
    named_lines(&[
        ("id", key.id.clone()),
        ("label", key.label.clone()),
        ("prefix", key.prefix.clone()),
        ("state", state(key, now)),
        ("scopes", scopes),
        ("created", shown(&key.created_at)),
        ("last used", time(&key.last_used_at)),
        ("expires", time(&key.expires_at)),
        ("rate limit", key.rate_limit.clone().unwrap_or_default()),
        ("metadata", metadata.join(" ")),
        ("replaced by", key.replaced_by.clone().unwrap_or_default()),
    ])
}

/// Create a key and print it, which is the only time that it is shown
#[derive(Debug, Args)]
#[command(before_help = CREATE_EXAMPLES)]
pub(super) struct CreateArguments {
    /// The label of the key: 1 to 100 characters
    label: String,
    /// The expiry time: 2027-01-01T00:00:00Z, or 90d for 90 days from now
    #[arg(long, value_name = "TIME", value_parser = future, alias = "expires-in")]
    expires_at: Option<String>,
    /// A scope of the key; repeatable
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// A pair for your application, such as plan=pro; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    metadata: Vec<(String, String)>,
    /// How often the key may be used, such as 100/s
    #[arg(long, value_name = "LIMIT")]
    rate_limit: Option<String>,
    #[command(flatten)]
    owner: Owner,
}

const CREATE_EXAMPLES: &str = "\
Examples:
  gatepost keys create \"CI deploy\" --user alice
  gatepost keys create billing --scope invoices:read --scope invoices:write \\
    --expires-at 90d --user alice
  gatepost keys create \"CI deploy\" --user alice > key";

/// Creates a key and prints it.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn create(arguments: CreateArguments, connection: &Connection) -> Result<Reply> {
    let user = connection.user(&arguments.owner).await?;
    let mut new = NewApiKey::labelled(arguments.label).with_scopes(arguments.scopes);
    new = arguments.expires_at.into_iter().fold(new, NewApiKey::ending_at);
    new = arguments.metadata.into_iter().fold(new, |new, (name, value)| new.with_metadata(name, value));
    new = arguments.rate_limit.into_iter().fold(new, NewApiKey::with_rate_limit);
    reply(&connection.heard(user.create_api_key(new).await)?)
}

/// Change a key: its label, metadata, rate limit or end, or disable it
#[derive(Debug, Args)]
#[command(before_help = CHANGE_EXAMPLES)]
#[command(group = ArgGroup::new("changes").required(true).multiple(true).args([
    "label", "metadata", "removed", "rate_limit", "disable", "enable", "expires_at",
]))]
pub(super) struct ChangeArguments {
    /// The id of the key, as `gatepost keys list` shows it
    key_id: String,
    /// The new label: 1 to 100 characters
    #[arg(long)]
    label: Option<String>,
    /// A pair for your application, such as plan=pro; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    metadata: Vec<(String, String)>,
    /// A name of the metadata to remove; repeatable
    #[arg(long = "remove-metadata", value_name = "NAME")]
    removed: Vec<String>,
    /// How often the key may be used, such as 100/s; `default` for the limit of the service
    #[arg(long, value_name = "LIMIT")]
    rate_limit: Option<String>,
    /// Refuse the key until it is enabled again
    #[arg(long, conflicts_with = "enable")]
    disable: bool,
    /// Accept a disabled key again
    #[arg(long)]
    enable: bool,
    /// An earlier end: 2027-01-01T00:00:00Z, or 90d for 90 days from now
    #[arg(long, value_name = "TIME", value_parser = future)]
    expires_at: Option<String>,
    #[command(flatten)]
    owner: Owner,
}

const CHANGE_EXAMPLES: &str = "\
Examples:
  gatepost keys change key_01h455vb4pex5vsknk084sn02q --disable --user alice
  gatepost keys change key_01h455vb4pex5vsknk084sn02q --metadata plan=pro \\
    --rate-limit 100/s --user alice";

/// Changes a key and prints it.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn change(arguments: ChangeArguments, connection: &Connection) -> Result<Reply> {
    let user = connection.user(&arguments.owner).await?;
    let changed = user.change_api_key(&arguments.key_id, &arguments.change()).await;
    let key = connection.heard(changed)?;
    Reply::new(&key, lines(&key, &SystemClock.now().to_string()))
}

impl ChangeArguments {
    fn change(&self) -> ApiKeyChange {
        let mut change = self.label.iter().fold(ApiKeyChange::default(), ApiKeyChange::label);
        for (name, value) in &self.metadata {
            change = change.metadata(name, Some(value.clone()));
        }
        for name in &self.removed {
            change = change.metadata(name, None);
        }
        if let Some(limit) = &self.rate_limit {
            change = change.rate_limit((limit != "default").then(|| limit.clone()));
        }
        if self.disable || self.enable {
            change = change.disabled(self.disable);
        }
        self.expires_at.iter().fold(change, ApiKeyChange::ending_at)
    }
}

/// Replace a key with a new one and print it, which is the only time that it is shown
#[derive(Debug, Args)]
#[command(before_help = ROTATE_EXAMPLES)]
pub(super) struct RotateArguments {
    /// The id of the old key, as `gatepost keys list` shows it
    key_id: String,
    /// How long the old key stays valid, such as 30m or 1d, at most 7d
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = duration)]
    overlap: Duration,
    /// The same in seconds
    #[arg(long, value_name = "SECONDS", hide = true, conflicts_with = "overlap")]
    overlap_seconds: Option<u64>,
    #[command(flatten)]
    owner: Owner,
}

const ROTATE_EXAMPLES: &str = "\
Examples:
  gatepost keys rotate key_01h455vb4pex5vsknk084sn02q --user alice
  gatepost keys rotate key_01h455vb4pex5vsknk084sn02q --overlap 1d \\
    --user alice > key";

/// Rotates a key and prints the new one.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn rotate(arguments: &RotateArguments, connection: &Connection) -> Result<Reply> {
    let user = connection.user(&arguments.owner).await?;
    let overlap = arguments.overlap_seconds.map_or(arguments.overlap, Duration::from_secs);
    reply(&connection.heard(user.rotate_api_key(&arguments.key_id, overlap).await)?)
}

/// Revoke a key, or all keys of a user
#[derive(Debug, Args)]
#[command(before_help = REVOKE_EXAMPLES)]
pub(super) struct RevokeArguments {
    /// The id of the key, as `gatepost keys list` shows it
    #[arg(required_unless_present_any = ["all_of", "all_of_organization"])]
    key_id: Option<String>,
    #[command(flatten)]
    owner: Owner,
    /// Revoke all keys of the user with this id. Needs the operator token
    #[arg(long, value_name = "USER", conflicts_with_all = OF_ONE_KEY)]
    all_of: Option<String>,
    /// Revoke all keys of the organization with this id. Needs the operator token
    #[arg(long, value_name = "ORGANIZATION", conflicts_with_all = OF_ONE_KEY, conflicts_with = "all_of")]
    all_of_organization: Option<String>,
    /// If all are revoked, only keys that were created before this time: 2027-01-31T12:00:00Z, or 7d for a week ago
    #[arg(long, value_name = "TIME", value_parser = past, conflicts_with_all = OF_ONE_KEY)]
    created_before: Option<String>,
    #[command(flatten)]
    consent: Consent,
}

/// The arguments with which one key is revoked.
const OF_ONE_KEY: [&str; 5] = ["key_id", "user", "organization", "for_user", "for_organization"];

const REVOKE_EXAMPLES: &str = "\
Examples:
  gatepost keys revoke key_01h455vb4pex5vsknk084sn02q --user alice --yes
  GATEPOST_OPERATOR_TOKEN_FILE=operator \\
    gatepost keys revoke key_01h455vb4pex5vsknk084sn02q --for-user alice --yes
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost keys revoke --all-of alice \\
    --created-before 7d --yes";

impl RevokeArguments {
    /// The owner to whom all the keys to revoke belong.
    fn all_of(&self) -> Option<gatepost_client::Owner> {
        let user = self.all_of.clone().map(gatepost_client::Owner::User);
        user.or_else(|| self.all_of_organization.clone().map(gatepost_client::Owner::Organization))
    }
}

/// Revokes a key, or all keys of an owner.
///
/// # Errors
///
/// Without consent, or when the call fails.
pub(super) async fn revoke(arguments: &RevokeArguments, connection: &Connection) -> Result<Reply> {
    let RevokeArguments { consent, created_before, .. } = arguments;
    match (&arguments.key_id, arguments.all_of()) {
        (Some(key_id), _) => {
            consent.get(&format!("revoke {key_id}"), connection)?;
            revoke_one(key_id, &arguments.owner, connection).await
        }
        (None, Some(owner)) => {
            consent.get(&format!("revoke all keys of {owner}"), connection)?;
            revoke_all(owner, created_before.as_deref(), connection).await
        }
        (None, None) => bail!("the id of a key, or --all-of, is required"),
    }
}

async fn revoke_one(key_id: &str, owner: &Owner, connection: &Connection) -> Result<Reply> {
    let keys = connection.heard(connection.user(owner).await?.revoke_api_key(key_id).await)?;
    let revoked = keys.into_iter().find(|key| key.id == *key_id);
    // The list has only the last hundred keys that ended, and this one may have ended earlier.
    let revoked = revoked.with_context(|| format!("{key_id} had ended before, and is no longer listed"))?;
    Reply::new(&revoked, format!("{key_id} is revoked ({})", revoked.label))
}

async fn revoke_all(owner: gatepost_client::Owner, before: Option<&str>, connection: &Connection) -> Result<Reply> {
    let host = connection.operator()?.for_owner(owner.clone());
    let revoked_count = connection.heard(host.revoke_all_api_keys(before).await)?;
    let keys = if revoked_count == 1 { "key" } else { "keys" };
    Reply::new(&member("revokedCount", revoked_count), format!("{revoked_count} {keys} of {owner} revoked"))
}

/// Show how often a key was verified, by the hour, or how often all keys were used, by the day
#[derive(Debug, Args)]
#[command(before_help = USAGE_EXAMPLES)]
pub(super) struct UsageArguments {
    /// The id of the key, as `gatepost keys list` shows it; without it, all active keys
    key_id: Option<String>,
    /// How many hours, at most 744
    #[arg(long, default_value_t = 24, requires = "key_id")]
    hours: u32,
    #[command(flatten)]
    owner: Owner,
}

const USAGE_EXAMPLES: &str = "\
Examples:
  gatepost keys usage --user alice
  gatepost keys usage key_01h455vb4pex5vsknk084sn02q --user alice
  gatepost keys usage key_01h455vb4pex5vsknk084sn02q --hours 744 --user alice";

const DAILY: Listing<4> = Listing { items: "active keys", heads: ["ID", "LAST DAY", "7 DAYS", "30 DAYS"] };

/// Prints the hours with verifications of a key, the earliest first, or a row for each key.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn usage(arguments: &UsageArguments, connection: &Connection) -> Result<Reply> {
    let user = connection.user(&arguments.owner).await?;
    if let Some(id) = &arguments.key_id {
        return by_hour(&connection.heard(user.key_usage(id, arguments.hours).await)?);
    }
    let daily = connection.heard(user.daily_uses().await)?;
    DAILY.of(&daily, daily.keys.iter().map(row))
}

fn by_hour(usage: &gatepost_client::KeyUsage) -> Result<Reply> {
    let counts = |counts: gatepost_client::KeyUsageCounts| [counts.accepted, counts.limited, counts.refused];
    let hours = usage.hours.iter().map(|hour| (hour.start.clone(), counts(hour.counts)));
    Reply::new(usage, table_by_hour(["ACCEPTED", "LIMITED", "REFUSED"], hours, counts(usage.total)))
}

/// The days of a key end with the present one.
fn row(DailyUsesOfKey { key_id, days, .. }: &DailyUsesOfKey) -> [String; 4] {
    let last = |count: usize| days.iter().rev().take(count).sum::<u64>().to_string();
    [key_id.clone(), last(1), last(7), last(days.len())]
}
