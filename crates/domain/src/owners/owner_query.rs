use super::listed_owner::FoundBy;
use super::owner_record::OwnerRecord;
use crate::{KeyPolicy, has_valid_check};

/// The start of an owner's id, name or e-mail address, or of one of the owner's keys.
///
/// In names and addresses, `A` to `Z` are the same as `a` to `z`. Ids and keys are compared byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerQuery {
    start: String,
    folded: String,
    /// The start of a preview, or a whole preview.
    preview: String,
    is_whole_preview: bool,
}

/// The text is not an [`OwnerQuery`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidOwnerQuery {
    /// It is empty or too long, or has control characters.
    #[error("must have 1 to {} characters and no control characters", OwnerQuery::LENGTH_MAX)]
    Text,
    /// A key in clear belongs into no URL, because logs keep URLs.
    #[error("must not be a whole API key; its start, as lists show it, is enough")]
    WholeKey,
}

impl OwnerQuery {
    /// The longest query, in characters.
    pub const LENGTH_MAX: usize = 255;

    /// Checks `text`. Keys are found by what lists show of them, with the ellipsis as it is. Without it, a start that is longer
    /// than `policy` shows is cut, and previews are found that begin with it.
    ///
    /// # Errors
    ///
    /// See [`InvalidOwnerQuery`].
    pub fn parse(text: &str, policy: &KeyPolicy) -> Result<Self, InvalidOwnerQuery> {
        let fits = (1..=Self::LENGTH_MAX).contains(&text.chars().count()) && !text.chars().any(char::is_control);
        if !fits {
            return Err(InvalidOwnerQuery::Text);
        }
        if has_valid_check(text.trim()) {
            return Err(InvalidOwnerQuery::WholeKey);
        }
        let (preview, is_whole_preview) = policy.preview_query(text);
        Ok(Self { start: text.to_owned(), folded: Self::fold(text), preview, is_whole_preview })
    }

    /// A name or an address as it is compared.
    pub fn fold(text: &str) -> String {
        text.to_ascii_lowercase()
    }

    /// The least text that matches when owners are found by this, in the order of bytes.
    pub(super) fn first_text(&self, by: FoundBy) -> &str {
        match by {
            FoundBy::Suspension => "",
            FoundBy::Id => &self.start,
            FoundBy::Name | FoundBy::Email => &self.folded,
            FoundBy::Key => &self.preview,
        }
    }

    /// Whether this text matches. The texts that match follow each other in the order of bytes.
    pub(super) fn matches(&self, by: FoundBy, text: &str) -> bool {
        match by {
            FoundBy::Key if self.is_whole_preview => text == self.preview,
            _ => text.starts_with(self.first_text(by)),
        }
    }

    /// What the owner is found by first; `None` if at most a key matches.
    pub(super) fn first_match(&self, subject: &str, record: &OwnerRecord) -> Option<FoundBy> {
        let name = record.name.as_ref().map(|name| Self::fold(name.as_str()));
        let email = record.email.as_ref().map(|email| Self::fold(email.as_str()));
        let texts =
            [(FoundBy::Id, Some(subject)), (FoundBy::Name, name.as_deref()), (FoundBy::Email, email.as_deref())];
        texts.into_iter().find_map(|(by, text)| text.filter(|text| self.matches(by, text)).map(|_| by))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OwnerEmail, OwnerName};

    fn query(text: &str) -> Result<OwnerQuery, InvalidOwnerQuery> {
        OwnerQuery::parse(text, &KeyPolicy::default())
    }

    #[test]
    fn a_query_has_limits_and_is_no_key() {
        assert!(query("a").is_ok() && query(&"ä".repeat(255)).is_ok());
        for wrong in ["", "a\nb", "\u{85}", &"a".repeat(256)] {
            assert_eq!(query(wrong), Err(InvalidOwnerQuery::Text), "{wrong:?}");
        }
        let key = "svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O";
        assert_eq!(query(key), Err(InvalidOwnerQuery::WholeKey));
        assert_eq!(query(&format!(" {key}\u{a0}")), Err(InvalidOwnerQuery::WholeKey), "as it is copied");
        assert!(query(&key[..key.len() - 1]).is_ok());
        assert!(InvalidOwnerQuery::Text.to_string().starts_with("must have 1 to 255 characters"));
    }

    #[test]
    fn what_an_owner_is_found_by_first() {
        let record = OwnerRecord {
            name: OwnerName::parse("Acme Zürich").ok(),
            email: OwnerEmail::parse("IT@acme.example").ok(),
            ..OwnerRecord::default()
        };
        for (text, expected) in [
            ("org_1", Some(FoundBy::Id)),
            ("org_12", None),
            ("ORG", None),
            ("aCME", Some(FoundBy::Name)),
            ("acme zü", Some(FoundBy::Name)),
            ("acme zÜ", None),
            ("zürich", None),
            ("it@ACME.example", Some(FoundBy::Email)),
        ] {
            assert_eq!(query(text).unwrap().first_match("org_1", &record), expected, "{text}");
        }
    }

    #[test]
    fn keys_are_found_by_what_lists_show() {
        for text in ["svc_live_a1", "svc_live_a1B", "svc_live_a1B...", "svc_live_a1B…", "svc_live_a1BxYz0"] {
            let query = query(text).unwrap();
            assert!(query.matches(FoundBy::Key, "svc_live_a1B..."), "{text}");
            assert!(!query.matches(FoundBy::Key, "svc_live_a2b..."), "{text}");
        }
        let longer = "svc_live_a1BxYz0...";
        for (text, matches) in
            [(longer, true), ("svc_live_a1BxYz0", true), ("svc_live_a1BxYz0K", true), ("svc_live_a1B...", false)]
        {
            assert_eq!(query(text).unwrap().matches(FoundBy::Key, longer), matches, "{text}: of an earlier length");
        }
        for text in ["s", "svc_live_"] {
            assert!(!query(text).unwrap().matches(FoundBy::Key, "svc_live_a1B..."), "{text}: every key begins so");
        }
        assert!(query("old_abcdefgh...").unwrap().matches(FoundBy::Key, "old_abcdefgh..."), "of an earlier policy");
    }
}
