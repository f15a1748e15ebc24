//! Names that complete a command line and that only the service or the folder of profiles knows.

use adapters_system::SystemClock;
use anyhow::Result;
use domain::ports::Clock;

use crate::connection::Connection;
use crate::keys::owned::keys_of;
use crate::owner::Owner;
use crate::profiles::{ProfileName, Profiles};
use crate::webhooks::subscriptions::all_subscriptions;

/// A word that completes a command line, and its meaning.
#[derive(Debug, PartialEq, Eq)]
pub struct Candidate {
    word: String,
    note: String,
}

impl Candidate {
    /// `None` if a shell would interpret the word, which comes from elsewhere.
    fn new(word: &str, note: &str) -> Option<Self> {
        let is_plain =
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let note = note.split(|character: char| character.is_control()).collect::<Vec<_>>().join(" ");
        is_plain.then(|| Self { word: word.to_owned(), note })
    }

    /// The word.
    pub fn word(&self) -> &str {
        &self.word
    }

    /// The meaning in one line, without control characters.
    pub fn note(&self) -> &str {
        &self.note
    }
}

/// The names of the profiles, with their URLs, and `local`.
pub fn profiles(profiles: &Profiles) -> Vec<Candidate> {
    let url = |name: &ProfileName| profiles.find(name).ok().flatten().and_then(|profile| profile.url);
    let saved = profiles.names().into_iter().map(|name| (name.as_str().to_owned(), url(&name)));
    let saved = saved.filter_map(|(name, url)| Candidate::new(&name, url.as_ref().map_or("", |url| url.as_str())));
    saved.chain(Candidate::new(ProfileName::LOCAL, "this machine's configuration")).collect()
}

/// The ids of the good keys of a user, with their labels.
///
/// # Errors
///
/// When the call fails.
pub async fn keys(user: Option<String>, connection: &Connection) -> Result<Vec<Candidate>> {
    let (keys, now) = (keys_of(&Owner::named(user), connection).await?, SystemClock.now().to_string());
    let good = keys.iter().filter(|key| key.revoked_at.is_none() && key.expires_at.as_ref().is_none_or(|at| *at > now));
    Ok(good.filter_map(|key| Candidate::new(&key.id, &key.label)).collect())
}

/// The ids of the subscriptions of a user, with their URLs.
///
/// # Errors
///
/// When a call fails.
pub async fn subscriptions(user: Option<String>, connection: &Connection) -> Result<Vec<Candidate>> {
    let consumer = connection.consumer(&Owner::named(user)).await?;
    let subscriptions = all_subscriptions(&consumer, connection).await?;
    Ok(subscriptions.iter().filter_map(|found| Candidate::new(&found.id, &found.url)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_is_safe_in_a_command_line_and_on_a_screen() {
        for wrong in ["", "a b", "$(reboot)", "a;b", "`x`", "a*", "ä", "a\nb"] {
            assert_eq!(Candidate::new(wrong, "note"), None, "{wrong}");
        }
        assert_eq!(Candidate::new("key_1-a", "a\tb\x1b[2J\u{9b}").unwrap().note(), "a b [2J ");
    }
}
