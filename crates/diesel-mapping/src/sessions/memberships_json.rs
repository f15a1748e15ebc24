use std::collections::{BTreeMap, BTreeSet};

use domain::organizations::{Memberships, ReadMemberships, UnreadableMemberships};
use domain::sessions::Capability;

/// The memberships of a session, as they are stored: the names of the capabilities by the id of the organization. `None`,
/// which is `null` in JSON, if the claims could not be read.
type Stored = Option<BTreeMap<String, Vec<String>>>;

/// The JSON of these memberships; `None` for a user in no organization.
pub(super) fn memberships_json(memberships: &ReadMemberships) -> Option<String> {
    let names = |held: &BTreeSet<Capability>| held.iter().map(|capability| capability.name().to_owned()).collect();
    let stored: Stored = match memberships {
        Ok(memberships) if memberships.is_empty() => return None,
        Ok(memberships) => Some(memberships.by_id().map(|(id, held)| (id.to_owned(), names(held))).collect()),
        Err(UnreadableMemberships) => None,
    };
    Some(serde_json::to_string(&stored).expect("strings always serialize"))
}

/// The memberships of a user of this provider that [`memberships_json`] has written; `None` if it did not write this.
pub(super) fn memberships_of(provider: &str, json: &str) -> Option<ReadMemberships> {
    let Some(stored) = serde_json::from_str::<Stored>(json).ok()? else { return Some(Err(UnreadableMemberships)) };
    let capabilities = |names: Vec<String>| names.iter().map(|name| Capability::of_name(name)).collect::<Option<_>>();
    let held: Option<Vec<(String, BTreeSet<Capability>)>> =
        stored.into_iter().map(|(id, names)| Some((id, capabilities(names)?))).collect();
    Memberships::of_ids(provider, held?).ok().map(Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instances of other versions read and write the same text.
    #[test]
    fn writes_the_capabilities_of_each_organization() {
        let held = [("globex", [].into()), ("acme", [Capability::KeysRead, Capability::Webhooks].into())];
        let memberships = Memberships::of_ids("https://id.example", held);
        let json = r#"{"acme":["keys:read","webhooks"],"globex":[]}"#;
        for (memberships, json) in [(memberships, json), (Err(UnreadableMemberships), "null")] {
            assert_eq!(memberships_json(&memberships).as_deref(), Some(json));
            assert_eq!(memberships_of("https://id.example", json), Some(memberships));
        }
        assert_eq!(memberships_json(&Ok(Memberships::default())), None);
    }
}
