use anyhow::Result;
use clap::Args;
use gatepost_client::{AuditEvent, AuditPart, AuditQuery};

use crate::connection::Connection;
use crate::listing::{Listing, Part};
use crate::owner::Owner;
use crate::times::shown as shown_at;

/// The arguments of `gatepost audit`.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, after_help = ENVIRONMENT)]
pub struct Arguments {
    /// Only actions on the key, subscription, delivery or session with this id
    #[arg(long, value_name = "ID")]
    target: Option<String>,
    /// Only this action, such as `key.revoked`
    #[arg(long, value_name = "ACTION")]
    action: Option<String>,
    #[command(flatten)]
    part: Part,
    #[command(flatten)]
    owner: Owner,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost audit --user alice
  gatepost audit --user alice --action key.revoked --since 1d
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost audit --for-user alice \\
    --target key_01h455vb4pex5vsknk084sn02q --json";

const ENVIRONMENT: &str = "\
Environment (each also as NAME_FILE, a file that contains the value):
  GATEPOST_URL             the URL of Gatepost; the default is the URL of this machine's configuration
  GATEPOST_ID_TOKEN        an ID token of the user, which is used if no owner is named
  GATEPOST_OPERATOR_TOKEN  an operator token, which --for-user and --for-organization use";

const LISTING: Listing<6> = Listing { items: "events", heads: ["AT", "ACTION", "TARGET", "BY", "WITH", "CHANGES"] };

/// Prints a page of the audit log.
///
/// # Errors
///
/// When the service does not answer, or refuses the call.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let Arguments { target, action, part: Part { since, until, limit, cursor }, owner, json } = arguments;
    let wanted = AuditQuery { action, target, since, until, cursor, limit: Some(limit) };
    let page = connection.heard(connection.user(&owner).await?.list_audit_events(&wanted).await)?;
    LISTING.page(&page, page.events.iter().map(row), page.next_cursor.as_deref())?.print(json)
}

fn row(event: &AuditEvent) -> [String; 6] {
    let AuditEvent { at, action, target, actor, via, .. } = event;
    let target = target.id.as_ref().unwrap_or(&target.kind);
    [shown_at(at), action.clone(), target.clone(), shown(actor), shown(via), changes(event)]
}

fn shown(AuditPart { kind, id, .. }: &AuditPart) -> String {
    id.as_ref().map_or_else(|| kind.clone(), |id| format!("{kind} {id}"))
}

fn changes(event: &AuditEvent) -> String {
    let changes = event.changes.iter().map(|change| {
        let [before, after] = [&change.before, &change.after].map(|value| value.as_deref().unwrap_or("none"));
        format!("{}: {before} -> {after}", change.field)
    });
    changes.collect::<Vec<_>>().join("; ")
}
