use anyhow::Result;
use clap::{ArgGroup, Args};
use gatepost_client::OwnerChange;

use super::NamedOwner;
use super::show::reply;
use crate::connection::Connection;
use crate::keys::pair;
use crate::output::Reply;

/// Change what is set for a user or an organization
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
#[command(group = ArgGroup::new("changes").required(true).multiple(true).args([
    "name", "email", "metadata", "removed", "max_active_keys", "max_subscriptions",
]))]
pub(super) struct Arguments {
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
}

const EXAMPLES: &str = "\
Examples:
  gatepost owners set --for-user alice --name \"Alice Doe\" \\
    --email alice@example.com
  gatepost owners set --for-organization globex --metadata plan=pro
  gatepost owners set --for-organization globex --max-active-keys 50
  gatepost owners set --for-organization globex --max-active-keys default

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
pub(super) async fn run(arguments: Arguments, connection: &Connection) -> Result<Reply> {
    let owner = arguments.owner.get()?;
    let changed = connection.operator()?.change_owner(&owner, &arguments.change()).await;
    reply(&connection.heard(changed)?)
}

impl Arguments {
    fn change(self) -> OwnerChange {
        let given = |text: String| Some(text).filter(|text| !text.is_empty());
        let mut change = OwnerChange::default();
        if let Some(name) = self.name {
            change = change.name(given(name));
        }
        if let Some(email) = self.email {
            change = change.email(given(email));
        }
        for (name, value) in self.metadata {
            change = change.metadata(name, Some(value));
        }
        for name in self.removed {
            change = change.metadata(name, None);
        }
        if let Some(max) = self.max_active_keys {
            change = change.max_active_keys(max.own());
        }
        if let Some(max) = self.max_subscriptions {
            change = change.max_subscriptions(max.own());
        }
        change
    }
}
