use anyhow::Result;
use clap::Subcommand;

use crate::connection::Connection;
use crate::{
    audit, event_types, events, keys, listen, log_filter, open, overview, owners, portal_link, pull, sessions, token,
    webhooks,
};

/// The commands that call a running Gatepost. `--help` shows these comments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Get an ID token from the running `gatepost dev`
    Token(token::Arguments),
    /// List, create, revoke, rotate and verify API keys
    Keys(keys::Arguments),
    /// Subscribe URLs to the webhooks of a user, test them, and list deliveries
    Webhooks(webhooks::Arguments),
    /// Publish events as the host application does
    Events(events::Arguments),
    /// Show and change what is set for a user or an organization, and suspend or activate it
    Owners(owners::Arguments),
    /// Show the catalogue of event types, and make it have the types of a file
    EventTypes(event_types::Arguments),
    /// List and end the sessions of a user in browsers
    Sessions(sessions::Arguments),
    /// Make a link by which a user enters the console without a sign-in
    PortalLink(portal_link::Arguments),
    /// Show the changes to a user's keys, webhooks and sessions: the actor, the time and the origin
    Audit(audit::Arguments),
    /// Show or change the log filter of a running instance
    LogFilter(log_filter::Arguments),
    /// Count the keys, subscriptions and failures of a user
    Overview(overview::Arguments),
    /// Open the console in a browser
    Open(open::Arguments),
    /// Receive the webhooks of a user on this machine: verify, show and forward each of them
    Listen(listen::Arguments),
    /// Fetch the events of a subscription that is pulled: print them, run a command for each, or forward each
    Pull(pull::Arguments),
}

/// Runs one command to its end.
///
/// # Errors
///
/// [`MissingCredential`](crate::MissingCredential) when the command needs a credential that is not set. Any other
/// error is a call that failed, for a person to read.
pub async fn run(command: Command, connection: &Connection) -> Result<()> {
    match command {
        Command::Token(arguments) => token::run(&arguments, connection.url()).await,
        Command::Keys(arguments) => keys::run(arguments, connection).await,
        Command::Webhooks(arguments) => webhooks::run(arguments, connection).await,
        Command::Events(arguments) => events::run(arguments, connection).await,
        Command::Owners(arguments) => owners::run(arguments, connection).await,
        Command::EventTypes(arguments) => event_types::run(arguments, connection).await,
        Command::Sessions(arguments) => sessions::run(arguments, connection).await,
        Command::PortalLink(arguments) => portal_link::run(arguments, connection).await,
        Command::Audit(arguments) => audit::run(arguments, connection).await,
        Command::LogFilter(arguments) => log_filter::run(arguments, connection).await,
        Command::Overview(arguments) => overview::run(&arguments, connection).await,
        Command::Open(arguments) => open::run(&arguments, connection),
        Command::Listen(arguments) => listen::run(arguments, connection).await,
        Command::Pull(arguments) => pull::run(arguments, connection).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_and_argument_says_what_it_is() {
        check(&Command::augment_subcommands(clap::Command::new("gatepost").about("API keys and webhooks")));
    }

    fn check(command: &clap::Command) {
        let is_a_sentence = |text: Option<String>| text.is_some_and(|text| text.starts_with(char::is_uppercase));
        let about = command.get_about().map(ToString::to_string);
        assert!(is_a_sentence(about.clone()), "{}: {about:?}", command.get_name());
        for argument in command.get_arguments() {
            let help = argument.get_help().map(ToString::to_string);
            assert!(is_a_sentence(help.clone()), "{} {}: {help:?}", command.get_name(), argument.get_id());
        }
        command.get_subcommands().for_each(check);
    }
}
