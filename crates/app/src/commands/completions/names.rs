use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use clap::{Arg, Command};
use cli::complete::{Candidate, keys, profiles, subscriptions};
use cli::output::answer;
use cli::{Connection, ProfileName};

use crate::commands::{block_on, client};
use crate::configuration::{Environment, load};

/// A shell waits for the names while a person types.
const DEADLINE: Duration = Duration::from_millis(1_500);

/// The kind of thing that a word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Profile,
    Key,
    Subscription,
}

/// A word to complete.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    subject: Subject,
    /// The typed start of the name.
    typed: String,
    /// The text before the name in the same word, such as `--profile=`.
    before: String,
    user: Option<String>,
    profile: Option<String>,
    config: Option<PathBuf>,
}

/// Prints one line for each name that completes the last word: the name, a tab, and its meaning. The output is empty if
/// there is no name, or if the names cannot be found in time.
///
/// # Errors
///
/// When standard output cannot be written.
pub(super) fn run(words: Vec<String>, environment: Environment, command: Command) -> Result<()> {
    let (found, finding) = mpsc::channel();
    // A file or a service that does not answer must not hold the shell: the process ends without this thread.
    thread::spawn(move || found.send(find(command, &words, &environment)));
    let lines = finding.recv_timeout(DEADLINE).ok().flatten().unwrap_or_default();
    if lines.is_empty() { Ok(()) } else { Ok(answer(&lines)?) }
}

fn find(mut command: Command, words: &[String], environment: &Environment) -> Option<String> {
    command.build();
    let asked = asked(&command, words)?;
    let names = candidates(&asked, environment).ok()?;
    let fitting = names.iter().filter(|name| name.word().starts_with(&asked.typed));
    let lines = fitting.map(|name| format!("{}{}\t{}", asked.before, name.word(), name.note()));
    Some(lines.collect::<Vec<_>>().join("\n"))
}

fn candidates(asked: &Asked, environment: &Environment) -> Result<Vec<Candidate>> {
    if asked.subject == Subject::Profile {
        return Ok(profiles(&environment.profiles()?));
    }
    let profile = asked.profile.as_deref().map(ProfileName::parse).transpose()?;
    let remote = client::remote(environment, profile)?;
    let local = || load(asked.config.as_deref(), environment, client::needs).map(client::local_server);
    let (connection, user) = (Connection::open(remote, local)?, asked.user.clone());
    block_on(async {
        match asked.subject {
            Subject::Key => keys(user, &connection).await,
            _ => subscriptions(user, &connection).await,
        }
    })
}

/// The subject that the last word names; `None` if this program cannot find such names.
fn asked(root: &Command, words: &[String]) -> Option<Asked> {
    // bash splits `--profile=work` into three words.
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "=").collect();
    let (last, earlier) = words.split_last()?;
    let (mut command, mut position, mut open) = (root, 0, None::<&Arg>);
    let (mut user, mut profile, mut config) = (None, None, None);
    for word in earlier {
        let (argument, value) = match (open.take(), option(command, word)) {
            (Some(argument), _) => (argument, Some(*word)),
            (None, Some(option)) => option,
            (None, None) => {
                if let Some(child) = command.find_subcommand(word) {
                    (command, position) = (child, 0);
                } else if !word.starts_with('-') {
                    position += 1;
                }
                continue;
            }
        };
        let Some(value) = value else {
            open = Some(argument);
            continue;
        };
        match argument.get_id().as_str() {
            "user" => user = Some(value.to_owned()),
            "profile" => profile = Some(value.to_owned()),
            "config" => config = Some(PathBuf::from(value)),
            _ => {}
        }
    }
    let (argument, before, typed) = match (open, option(command, last)) {
        (Some(argument), _) => (argument, String::new(), *last),
        (None, Some((argument, Some(value)))) => (argument, last.strip_suffix(value)?.to_owned(), value),
        _ if last.starts_with('-') => return None,
        _ => (command.get_positionals().nth(position)?, String::new(), *last),
    };
    Some(Asked { subject: subject(argument)?, typed: typed.to_owned(), before, user, profile, config })
}

/// The option that a word is, if it takes a value, and the value in the same word.
fn option<'a, 'word>(command: &'a Command, word: &'word str) -> Option<(&'a Arg, Option<&'word str>)> {
    let long = word.strip_prefix("--")?;
    let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
    let known = command.get_arguments().find(|argument| argument.get_long() == Some(name))?;
    known.get_action().takes_values().then_some((known, value))
}

fn subject(argument: &Arg) -> Option<Subject> {
    match argument.get_id().as_str() {
        "profile" => Some(Subject::Profile),
        "key_id" => Some(Subject::Key),
        "subscription_id" | "subscription" => Some(Subject::Subscription),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::command_line::CommandLine;

    fn ask(line: &str) -> Option<Asked> {
        let mut command = CommandLine::command();
        command.build();
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        asked(&command, &words)
    }

    #[test]
    fn a_word_is_known_by_its_place() {
        use Subject::{Key, Profile, Subscription};
        for (line, subject) in [
            ("keys revoke ", Key),
            ("keys show --user alice ", Key),
            ("--profile work keys rotate key_0", Key),
            ("keys usage ", Key),
            ("webhooks show ", Subscription),
            ("webhooks --json test --user=alice sub_", Subscription),
            ("webhooks deliveries --subscription ", Subscription),
            ("webhooks deliveries --subscription=sub", Subscription),
            ("webhooks outcomes --subscription = sub", Subscription),
            ("--profile ", Profile),
            ("keys list --profile ", Profile),
            ("logout --profile=wo", Profile),
        ] {
            assert_eq!(ask(line).map(|asked| asked.subject), Some(subject), "{line}");
        }
        for line in
            ["", "keys ", "keys revoke key_1 ", "keys revoke --ye", "keys create ", "--config ", "webhooks delivery "]
        {
            assert_eq!(ask(line), None, "{line}");
        }
    }

    #[test]
    fn the_words_before_it_say_where_and_whose() {
        let asked = ask("--config a.toml --profile=work keys revoke --user alice key").unwrap();
        assert_eq!((asked.user.as_deref(), asked.profile.as_deref()), (Some("alice"), Some("work")));
        assert_eq!((asked.config, asked.typed.as_str()), (Some(PathBuf::from("a.toml")), "key"));
        let asked = ask("keys list --profile=w").unwrap();
        assert_eq!((asked.before.as_str(), asked.typed.as_str(), asked.profile), ("--profile=", "w", None));
    }
}
