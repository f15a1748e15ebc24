use super::listed_owner::{FoundBy, FoundOwner, ListedOwner, OwnerCounts, OwnerPage, OwnerPlace};
use crate::OwnerId;
use crate::ports::ListOwnersRequest;

/// The most owners that one call reads to fill a page. Where most of them do not match, the page is short.
const SEARCHED_MAX: u32 = 1_000;

/// What a store reads next for [`OwnerStore::list`](crate::ports::OwnerStore::list): at most `max` places of owners whom it
/// finds by `by`, behind `after`, in the order of [`OwnerPlace`]. It reads no more rows than that, whatever matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerRead {
    /// By what.
    pub by: FoundBy,
    /// Behind this place. Its texts may be no stored ones.
    pub after: OwnerPlace,
    /// The most places.
    pub max: u32,
}

impl OwnerRead {
    /// The most places of any read. So many are read at once where the first ones did not fill the page.
    pub const MAX: u32 = 250;
}

/// What a store has read.
#[derive(Clone, Debug, Default)]
pub struct OwnersRead {
    /// The owners in the order of their places. A place may come several times.
    pub found: Vec<FoundOwner>,
    /// The last place that was read, if there may be more behind it. Its owner need not be among those found.
    pub end: Option<OwnerPlace>,
}

/// Decides which owners are on a page, from what a store reads. It serves stores that wait for their database and stores
/// that do not.
#[derive(Debug)]
pub struct OwnerSearch<'a> {
    request: &'a ListOwnersRequest,
    /// The last place that was read; `None` at the end of the list.
    place: Option<OwnerPlace>,
    found: Vec<FoundOwner>,
    searched: u32,
    /// Whether owners of this step were read, and more follow.
    goes_on: bool,
}

impl<'a> OwnerSearch<'a> {
    /// Begins the page.
    pub fn new(request: &'a ListOwnersRequest) -> Self {
        let after = request.after.clone().filter(|after| steps(request).contains(&after.by));
        let place = Some(after.unwrap_or_else(|| start_of(request, steps(request)[0])));
        Self { request, place, found: Vec::new(), searched: 0, goes_on: false }
    }

    /// What the store reads next; `None` if the page is complete.
    pub fn next_read(&self) -> Option<OwnerRead> {
        let after = self.place.clone()?;
        let room = self.request.max.saturating_sub(u32::try_from(self.found.len()).unwrap_or(u32::MAX));
        let left = SEARCHED_MAX.saturating_sub(self.searched);
        if room == 0 || left == 0 {
            return None;
        }
        // One more shows whether the page is the last.
        let wanted = if self.goes_on { OwnerRead::MAX } else { room.saturating_add(1).min(OwnerRead::MAX) };
        Some(OwnerRead { by: after.by, after, max: wanted.min(left) })
    }

    /// Takes what the store has read.
    pub fn take(&mut self, read: &OwnerRead, answer: OwnersRead) {
        self.searched = self.searched.saturating_add(read.max);
        self.goes_on = true;
        for one in answer.found {
            if !self.is_in_range(&one.place) {
                return self.step(read.by);
            }
            if self.place.as_ref().is_some_and(|place| one.place <= *place) {
                continue;
            }
            if self.is_full() {
                return;
            }
            self.place = Some(one.place.clone());
            if self.admits(&one) {
                self.found.push(one);
            }
        }
        match answer.end {
            Some(end) if self.is_in_range(&end) => self.place = self.place.take().max(Some(end)),
            _ => self.step(read.by),
        }
    }

    /// The owners that were found. The store counts what they have.
    pub fn owners(&self) -> impl Iterator<Item = &OwnerId> {
        self.found.iter().map(|one| &one.owner)
    }

    /// The page, with the counts of [`owners`](Self::owners) in their order.
    pub fn into_page(self, counts: impl IntoIterator<Item = OwnerCounts>) -> OwnerPage {
        let listed = self.found.into_iter().zip(counts).map(|(found, counts)| ListedOwner { found, counts });
        OwnerPage { owners: listed.collect(), next: self.place }
    }

    fn is_full(&self) -> bool {
        self.found.len() >= self.request.max as usize
    }

    /// Whether the place, and no later one only, may be of an owner who matches.
    fn is_in_range(&self, place: &OwnerPlace) -> bool {
        let text = match place.by {
            FoundBy::Suspension => "",
            FoundBy::Id => &place.subject,
            FoundBy::Name | FoundBy::Email | FoundBy::Key => &place.text,
        };
        self.request.query.as_ref().is_none_or(|query| query.matches(place.by, text))
    }

    /// Whether the owner is of the list, and is found by nothing earlier.
    fn admits(&self, one: &FoundOwner) -> bool {
        let ListOwnersRequest { issuer, query, is_suspended, .. } = self.request;
        let FoundOwner { place, owner, record } = one;
        let is_asked =
            owner.provider() == issuer && is_suspended.is_none_or(|asked| asked == record.suspension.is_some());
        let Some(query) = query else { return is_asked };
        let first = query.first_match(owner.subject(), record);
        is_asked
            && match place.by {
                FoundBy::Suspension => first.is_some(),
                FoundBy::Key => first.is_none(),
                by => first == Some(by),
            }
    }

    /// Goes on with what owners are found by next.
    fn step(&mut self, by: FoundBy) {
        let next = steps(self.request).iter().find(|next| **next > by);
        self.place = next.map(|next| start_of(self.request, *next));
        self.goes_on = false;
    }
}

/// The orders in which a list finds its owners, one after the other. Few owners are suspended, so all of them are read.
fn steps(request: &ListOwnersRequest) -> &'static [FoundBy] {
    match (&request.query, request.is_suspended) {
        (None, Some(true)) => &[FoundBy::Suspension],
        (None, _) => &[FoundBy::Id],
        (Some(_), Some(true)) => &[FoundBy::Suspension, FoundBy::Key],
        (Some(_), _) => &[FoundBy::Id, FoundBy::Name, FoundBy::Email, FoundBy::Key],
    }
}

/// The place before all that match.
fn start_of(request: &ListOwnersRequest, by: FoundBy) -> OwnerPlace {
    let first = request.query.as_ref().map(|query| query.first_text(by).to_owned()).unwrap_or_default();
    let (text, subject) = if by == FoundBy::Id { (String::new(), first) } else { (first, String::new()) };
    OwnerPlace { by, text, subject, issuer: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeyPolicy, OwnerName, OwnerQuery, OwnerRecord, SuspendedBy, Suspension, Timestamp};

    const ISSUER: &str = "https://id.example";

    fn request(query: Option<&str>, is_suspended: Option<bool>, max: u32) -> ListOwnersRequest {
        let query = query.map(|text| OwnerQuery::parse(text, &KeyPolicy::default()).unwrap());
        ListOwnersRequest { issuer: ISSUER.into(), query, is_suspended, after: None, max, at: Timestamp::MIN }
    }

    fn found(by: FoundBy, text: &str, subject: &str, name: Option<&str>) -> FoundOwner {
        let owner = OwnerId::new(ISSUER, subject).unwrap();
        let record = OwnerRecord { name: name.map(|name| OwnerName::parse(name).unwrap()), ..OwnerRecord::default() };
        FoundOwner { place: OwnerPlace::of(&owner, by, text), owner, record }
    }

    fn suspended(mut one: FoundOwner) -> FoundOwner {
        one.record.suspension = Some(Suspension { since: Timestamp::MIN, reason: None, by: SuspendedBy::Host });
        one
    }

    fn subjects(page: &OwnerPage) -> Vec<&str> {
        page.owners.iter().map(|one| one.found.owner.subject()).collect()
    }

    fn page(search: OwnerSearch<'_>) -> OwnerPage {
        let count = search.owners().count();
        search.into_page(vec![OwnerCounts::default(); count])
    }

    #[test]
    fn an_owner_is_found_once_by_id_name_address_and_key_in_this_order() {
        let request = request(Some("ac"), None, 9);
        let mut search = OwnerSearch::new(&request);
        let mut read = Vec::new();
        while let Some(next) = search.next_read() {
            let all = match next.by {
                FoundBy::Id => vec![
                    found(FoundBy::Id, "", "ac1", Some("Acme")),
                    found(FoundBy::Id, "", "ac2", None),
                    found(FoundBy::Id, "", "ad", None),
                ],
                FoundBy::Name => vec![
                    found(FoundBy::Name, "acme", "ac1", Some("Acme")),
                    found(FoundBy::Name, "acme", "o7", Some("Acme")),
                    found(FoundBy::Name, "acme", "o8", Some("renamed meanwhile")),
                ],
                _ => Vec::new(),
            };
            read.push((next.by, next.after.text.clone(), next.after.subject.clone(), next.max));
            search.take(&next, OwnersRead { found: all, end: None });
        }
        let start = |by, text: &str, subject: &str, max| (by, text.to_owned(), subject.to_owned(), max);
        let expected = [
            start(FoundBy::Id, "", "ac", 10),
            start(FoundBy::Name, "ac", "", 8),
            start(FoundBy::Email, "ac", "", 7),
            start(FoundBy::Key, "ac...", "", 7),
        ];
        assert_eq!(read, expected, "from the first that may match, one after the other");
        let page = page(search);
        assert_eq!((subjects(&page), page.next.is_some()), (vec!["ac1", "ac2", "o7"], false));
    }

    #[test]
    fn a_full_page_ends_with_its_last_owner_and_is_last_only_if_nothing_follows() {
        let owners = || vec![found(FoundBy::Id, "", "a", None), found(FoundBy::Id, "", "b", None)];
        for (max, expected) in [(1, Some("a")), (2, None), (3, None)] {
            let request = request(None, None, max);
            let mut search = OwnerSearch::new(&request);
            let read = search.next_read().unwrap();
            assert_eq!(read.max, max + 1);
            search.take(&read, OwnersRead { found: owners(), end: None });
            assert!(search.next_read().is_none());
            let page = page(search);
            assert_eq!(page.owners.len(), 2.min(max as usize));
            assert_eq!(page.next.as_ref().map(|place| place.subject.as_str()), expected, "{max}");
        }
    }

    #[test]
    fn a_search_ends_after_some_owners_where_it_stopped() {
        let request = request(None, Some(false), 2);
        let mut search = OwnerSearch::new(&request);
        let (mut number, mut searched) = (0, 0);
        while let Some(read) = search.next_read() {
            let all: Vec<FoundOwner> = (0..read.max)
                .map(|_| {
                    number += 1;
                    suspended(found(FoundBy::Id, "", &format!("{number:06}"), None))
                })
                .collect();
            searched += read.max;
            let end = all.last().map(|one| one.place.clone());
            search.take(&read, OwnersRead { found: all, end });
        }
        let page = page(search);
        assert_eq!((searched, page.owners.len()), (SEARCHED_MAX, 0));
        assert_eq!(page.next.unwrap().subject, "001000", "the next page begins behind all of them");
    }

    #[test]
    fn suspended_owners_are_all_looked_at_and_those_of_other_providers_left_out() {
        let mut foreign = suspended(found(FoundBy::Suspension, "", "ac", None));
        foreign.owner = OwnerId::new("https://other.example", "ac").unwrap();
        foreign.place = OwnerPlace::of(&foreign.owner, FoundBy::Suspension, "");
        for (query, expected) in [(None, vec!["ac", "b", "c"]), (Some("ac"), vec!["ac", "c"])] {
            let request = request(query, Some(true), 9);
            let mut search = OwnerSearch::new(&request);
            let read = search.next_read().unwrap();
            assert_eq!(read.by, FoundBy::Suspension);
            let all = [("ac", None), ("b", None), ("c", Some("ACE"))]
                .map(|(subject, name)| suspended(found(FoundBy::Suspension, "", subject, name)));
            let all = [all.to_vec(), vec![foreign.clone()]].concat();
            search.take(&read, OwnersRead { found: all, end: None });
            assert_eq!(subjects(&page(search)), expected);
        }
    }
}
