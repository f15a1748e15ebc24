/// Merges the pages of shards, each newest first, into one of at most `max`. `next` is the end of a shard's page that
/// is not the last: items with this id or newer ones are in the page. Returns the merged page with its own `next`.
pub(crate) fn merged<T, Id: Clone + Ord>(
    pages: impl IntoIterator<Item = (Vec<T>, Option<Id>)>,
    id: impl Fn(&T) -> Id,
    max: u32,
) -> (Vec<T>, Option<Id>) {
    let (mut all, mut end) = (Vec::new(), None);
    for (page, next) in pages {
        all.extend(page);
        // Items beyond the place to which every shard has looked are left out.
        end = end.max(next);
    }
    all.sort_unstable_by_key(|one| std::cmp::Reverse(id(one)));
    let max = max as usize;
    all.retain(|one| end.as_ref().is_none_or(|end| id(one) >= *end));
    if all.len() > max {
        all.truncate(max);
        end = all.last().map(id).or(end);
    }
    (all, end)
}

/// Merges lists, each in the order of `place`, into one of at most `max`.
pub(crate) fn in_order<T, Place: Ord>(
    lists: impl IntoIterator<Item = Vec<T>>,
    place: impl Fn(&T) -> Place,
    max: u32,
) -> Vec<T> {
    let mut all: Vec<T> = lists.into_iter().flatten().collect();
    all.sort_by_key(place);
    all.truncate(max as usize);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_ends_where_the_first_shard_has_stopped_looking() {
        let page = |ids: &[u32], next| (ids.to_vec(), next);
        let merged = |pages: Vec<(Vec<u32>, Option<u32>)>, max| merged(pages, |id| *id, max);
        assert_eq!(merged(vec![page(&[9, 5], None), page(&[7], None)], 9), (vec![9, 7, 5], None));
        assert_eq!(merged(vec![page(&[9, 5], None), page(&[7], None)], 2), (vec![9, 7], Some(7)));
        assert_eq!(merged(vec![page(&[9, 5], Some(5)), page(&[7, 6, 1], None)], 9), (vec![9, 7, 6, 5], Some(5)));
        assert_eq!(merged(vec![page(&[], Some(8)), page(&[7], None)], 9), (vec![], Some(8)));
        assert_eq!(merged(vec![page(&[9, 8], Some(8)), page(&[7, 6], Some(6))], 2), (vec![9, 8], Some(8)));
        assert_eq!(merged(vec![page(&[], None)], 2), (vec![], None));
    }
}
