//! `gatepost owners`

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, Args, Subcommand};
use gatepost_client::{ListedOwner, OwnerChange, OwnerQuery, OwnerRecord};

use crate::connection::Connection;
use crate::consent::Consent;
use crate::keys::pair;
use crate::listing::Listing;
use crate::output::Reply;
use crate::owner::Owner;
use crate::table::named_lines;
use crate::times::shown;

/// The arguments of `gatepost owners`.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, after_help = ENVIRONMENT, subcommand_required = true, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
    /// Answer in JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(ListArguments),
    /// Show what is set for a user or an organization; the owner sees this in the audit log
    #[command(before_help = SHOW_EXAMPLES)]
    Show(NamedOwner),
    Set(SetArguments),
    Suspend(SuspendArguments),
    /// Make a suspended user or organization active again
    #[command(before_help = ACTIVATE_EXAMPLES)]
    Activate(NamedOwner),
    Erase(EraseArguments),
}

const EXAMPLES: &str = "\
Examples:
  gatepost owners list --query acme
  gatepost owners show --for-user alice
  gatepost owners set --for-organization globex --metadata plan=pro
  gatepost owners suspend --for-user mallory --reason unpaid --yes
  gatepost owners activate --for-user mallory
  gatepost owners erase --for-user mallory --confirm mallory";

const ENVIRONMENT: &str = "\
Environment (each also as NAME_FILE, a file that contains the value):
  GATEPOST_URL             the URL of Gatepost; the default is the URL of this machine's configuration
  GATEPOST_OPERATOR_TOKEN  an operator token: the scope support shows, the scope manage changes";

// An owner whom the operator names. Not a doc comment: clap would show it as the help of each command.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("owner").required(true).args(["user", "for_user", "for_organization"])
    .conflicts_with("organization"))]
struct NamedOwner {
    #[command(flatten)]
    owner: Owner,
}

impl NamedOwner {
    /// The owner, and the arguments to repeat.
    fn get(&self) -> Result<gatepost_client::Owner> {
        let owner = self.owner.of_operator(true);
        owner.ok_or_else(|| anyhow::anyhow!("--for-user or --for-organization is required"))
    }
}

/// Runs an action on the record of an owner.
///
/// # Errors
///
/// When the service does not answer, or refuses the call.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let reply = match arguments.action {
        Action::List(arguments) => list(arguments, connection).await,
        Action::Show(arguments) => show(&arguments, connection).await,
        Action::Set(arguments) => set(arguments, connection).await,
        Action::Suspend(arguments) => suspend(&arguments, connection).await,
        Action::Activate(arguments) => activate(&arguments, connection).await,
        Action::Erase(arguments) => erase(&arguments, connection).await,
    };
    reply?.print(arguments.json)
}

/// Find users and organizations
#[derive(Debug, Args)]
#[command(before_help = LIST_EXAMPLES)]
struct ListArguments {
    /// How the id, the name, the e-mail address or a key begins
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// Only active or only suspended owners
    #[arg(long, value_name = "STATE", value_parser = PossibleValuesParser::new(["active", "suspended"]))]
    state: Option<String>,
    /// The maximum number of owners to list, up to 200
    #[arg(long, value_name = "COUNT", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=200))]
    limit: u32,
    /// The cursor that the previous page showed; use the same query and state
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

const LIST_EXAMPLES: &str = "\
Examples:
  gatepost owners list --query acme
  gatepost owners list --state suspended --json

Matches by id come first, then by name, e-mail address and key.";

const LISTING: Listing<6> =
    Listing { items: "owners", heads: ["OWNER", "STATE", "KEYS", "WEBHOOKS", "FAILING", "NAME"] };

/// Prints a page of owners.
///
/// # Errors
///
/// When the call fails.
async fn list(arguments: ListArguments, connection: &Connection) -> Result<Reply> {
    let ListArguments { query, state, limit, cursor } = arguments;
    let wanted = OwnerQuery { query, state, cursor, limit: Some(limit) };
    let page = connection.heard(connection.operator()?.list_owners(&wanted).await)?;
    LISTING.page(&page, page.owners.iter().map(row), page.next_cursor.as_deref())
}

fn row(owner: &ListedOwner) -> [String; 6] {
    let record = &owner.record;
    let shown = if owner.kind == "user" { owner.id.clone() } else { format!("organization {}", owner.id) };
    let names: Vec<&str> = [&record.name, &record.email].into_iter().flatten().map(String::as_str).collect();
    let [keys, enabled, failing] =
        [owner.active_keys, owner.enabled_subscriptions, owner.failing_subscriptions].map(|count| count.to_string());
    [shown, record.state.state.clone(), keys, enabled, failing, names.join(", ")]
}

const SHOW_EXAMPLES: &str = "\
Examples:
  gatepost owners show --for-user alice
  gatepost owners show --for-organization acme --json";

/// Prints the record.
///
/// # Errors
///
/// When the call fails.
async fn show(owner: &NamedOwner, connection: &Connection) -> Result<Reply> {
    let record = connection.heard(connection.operator()?.find_owner(&owner.get()?).await)?;
    reply(&record)
}

/// The record, for programs and for people.
fn reply(record: &OwnerRecord) -> Result<Reply> {
    let OwnerRecord { name, email, metadata, state, .. } = record;
    let metadata: Vec<String> = metadata.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let of_service = || "that of the service".to_owned();
    let max = |max: Option<u32>| max.map_or_else(of_service, |max| max.to_string());
    let rate = |limit: &Option<String>| limit.clone().unwrap_or_else(of_service);
    let words = named_lines(&[
        ("state", state.state.clone()),
        ("since", state.since.as_deref().map(shown).unwrap_or_default()),
        ("reason", state.reason.clone().unwrap_or_default()),
        ("last seen", record.last_seen_at.as_deref().map(shown).unwrap_or_default()),
        ("suspended at", record.suspends_at.as_deref().map(shown).unwrap_or_default()),
        ("name", name.clone().unwrap_or_default()),
        ("e-mail", email.clone().unwrap_or_default()),
        ("metadata", metadata.join(" ")),
        ("most active keys", max(record.max_active_keys)),
        ("most subscriptions", max(record.max_subscriptions)),
        ("rate limit of a key", rate(&record.key_rate_limit)),
        ("rate limit of calls", rate(&record.request_rate_limit)),
    ]);
    Reply::new(record, words)
}

/// Change what is set for a user or an organization
#[derive(Debug, Args)]
#[command(before_help = SET_EXAMPLES)]
#[command(group = ArgGroup::new("changes").required(true).multiple(true).args([
    "name", "email", "metadata", "removed", "max_active_keys", "max_subscriptions", "key_rate_limit",
    "request_rate_limit",
]))]
struct SetArguments {
    #[command(flatten)]
    owner: NamedOwner,
    /// The name, for people; empty for none
    #[arg(long)]
    name: Option<String>,
    /// The e-mail address, for people; empty for none
    #[arg(long)]
    email: Option<String>,
    /// A pair for your application, such as plan=pro; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    metadata: Vec<(String, String)>,
    /// A name of the metadata to remove; repeatable
    #[arg(long = "remove-metadata", value_name = "NAME")]
    removed: Vec<String>,
    /// The most active keys; `default` for the maximum of the service
    #[arg(long, value_name = "COUNT", value_parser = maximum)]
    max_active_keys: Option<Maximum>,
    /// The most subscriptions; `default` for the maximum of the service
    #[arg(long, value_name = "COUNT", value_parser = maximum)]
    max_subscriptions: Option<Maximum>,
    /// How often each key may be used, such as 100/s; `default` for the limit of the service
    #[arg(long, value_name = "LIMIT")]
    key_rate_limit: Option<String>,
    /// How often the owner may call, such as 6000/m; `default` for the limit of the service
    #[arg(long, value_name = "LIMIT")]
    request_rate_limit: Option<String>,
}

const SET_EXAMPLES: &str = "\
Examples:
  gatepost owners set --for-user alice --name \"Alice Doe\" \\
    --email alice@example.com
  gatepost owners set --for-organization globex --metadata plan=pro
  gatepost owners set --for-organization globex --max-active-keys 50
  gatepost owners set --for-organization globex --max-active-keys default
  gatepost owners set --for-organization globex --key-rate-limit 100/s

A lower maximum ends no key and no subscription.";

/// A maximum of an owner.
#[derive(Clone, Copy, Debug)]
enum Maximum {
    Default,
    Own(u32),
}

impl Maximum {
    fn own(self) -> Option<u32> {
        match self {
            Self::Default => None,
            Self::Own(max) => Some(max),
        }
    }
}

fn maximum(text: &str) -> Result<Maximum, String> {
    if text == "default" {
        return Ok(Maximum::Default);
    }
    text.parse().map(Maximum::Own).map_err(|_| "must be a whole number, or default".to_owned())
}

/// Changes the record and prints it.
///
/// # Errors
///
/// When the call fails.
async fn set(arguments: SetArguments, connection: &Connection) -> Result<Reply> {
    let owner = arguments.owner.get()?;
    let changed = connection.operator()?.change_owner(&owner, &arguments.change()).await;
    reply(&connection.heard(changed)?)
}

impl SetArguments {
    fn change(self) -> OwnerChange {
        let given = |text: String| Some(text).filter(|text| !text.is_empty());
        let mut change = self.name.map(given).into_iter().fold(OwnerChange::default(), OwnerChange::name);
        change = self.email.map(given).into_iter().fold(change, OwnerChange::email);
        for (name, value) in self.metadata {
            change = change.metadata(name, Some(value));
        }
        for name in self.removed {
            change = change.metadata(name, None);
        }
        change = self.max_active_keys.map(Maximum::own).into_iter().fold(change, OwnerChange::max_active_keys);
        change = self.max_subscriptions.map(Maximum::own).into_iter().fold(change, OwnerChange::max_subscriptions);
        let own = |limit: String| Some(limit).filter(|limit| limit != "default");
        change = self.key_rate_limit.map(own).into_iter().fold(change, OwnerChange::key_rate_limit);
        self.request_rate_limit.map(own).into_iter().fold(change, OwnerChange::request_rate_limit)
    }
}

/// Suspend a user or an organization: keys and sessions are refused, and deliveries wait
#[derive(Debug, Args)]
#[command(before_help = SUSPEND_EXAMPLES)]
struct SuspendArguments {
    #[command(flatten)]
    owner: NamedOwner,
    /// Why; the audit log has it
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    consent: Consent,
}

const SUSPEND_EXAMPLES: &str = "\
Examples:
  gatepost owners suspend --for-user mallory --reason unpaid --yes
  gatepost owners suspend --for-organization globex --yes";

const ACTIVATE_EXAMPLES: &str = "\
Examples:
  gatepost owners activate --for-user mallory";

/// Suspends the owner.
///
/// # Errors
///
/// When the call fails, or is not confirmed.
async fn suspend(arguments: &SuspendArguments, connection: &Connection) -> Result<Reply> {
    let (owner, operator) = (arguments.owner.get()?, connection.operator()?);
    arguments.consent.ask(&format!("suspend {owner}"), "`gatepost owners activate` undoes it.", connection)?;
    reply(&connection.heard(operator.suspend_owner(&owner, arguments.reason.as_deref()).await)?)
}

/// Makes the owner active.
///
/// # Errors
///
/// When the call fails.
async fn activate(owner: &NamedOwner, connection: &Connection) -> Result<Reply> {
    reply(&connection.heard(connection.operator()?.activate_owner(&owner.get()?).await)?)
}

/// Erase a user or an organization with all keys, webhooks and deliveries, for good
#[derive(Debug, Args)]
#[command(before_help = ERASE_EXAMPLES)]
struct EraseArguments {
    #[command(flatten)]
    owner: NamedOwner,
    /// The id of the user or the organization again
    #[arg(long, value_name = "ID")]
    confirm: String,
}

const ERASE_EXAMPLES: &str = "\
Examples:
  gatepost owners erase --for-user mallory --confirm mallory

Keys are refused at once. Everything is deleted within minutes, also after a
restart. `gatepost owners show` shows the state `erasing` until then.";

/// Begins to erase the owner.
///
/// # Errors
///
/// When the call fails, or is not confirmed.
async fn erase(arguments: &EraseArguments, connection: &Connection) -> Result<Reply> {
    let owner = arguments.owner.get()?;
    let (gatepost_client::Owner::User(id) | gatepost_client::Owner::Organization(id)) = &owner;
    anyhow::ensure!(arguments.confirm == *id, "--confirm must be {id}, the id of the owner to erase");
    reply(&connection.heard(connection.operator()?.erase_owner(&owner).await)?)
}
