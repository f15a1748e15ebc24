use domain::{Home, OwnerId};

/// The issuer and the subject of the owner of a row; `None` without an owner, or without the row's key or subscription.
pub type OwnerColumns = (Option<String>, Option<String>);

/// How the rows of a source are dealt to the shards of a target. See decision 84.
#[derive(Clone, Copy, Debug)]
pub struct Division {
    shards: usize,
}

impl Division {
    /// The division into this number of shards.
    pub const fn into_shards(shards: usize) -> Self {
        Self { shards }
    }

    /// How many shards there are.
    pub const fn shards(self) -> usize {
        self.shards
    }

    /// The shard that gets the rows of this owner. The first shard gets every row with a missing or unreadable owner,
    /// because no user asks for such a row.
    pub fn shard_of(self, (issuer, subject): OwnerColumns) -> usize {
        let owner = issuer.zip(subject).and_then(|(issuer, subject)| OwnerId::new(issuer, subject).ok());
        owner.map_or(0, |owner| Home::of(&owner).shard(self.shards))
    }
}

/// The query of all rows of a table, each with its owner: that of the row, of the key or of the subscription that the row
/// belongs to, or none. Needs `diesel::prelude::*` in scope.
#[macro_export]
macro_rules! rows_with_owners {
    ($table:ident, $row:ty, own) => {
        $crate::rows_with_owners!(@select $crate::schema::$table::table, $row, $table)
    };
    ($table:ident, $row:ty, of_key) => {{
        let keys = $crate::schema::api_keys::table.on($crate::schema::api_keys::id.eq($crate::schema::$table::key_id));
        $crate::rows_with_owners!(@select $crate::schema::$table::table.left_join(keys), $row, api_keys)
    }};
    ($table:ident, $row:ty, of_subscription) => {{
        let id = $crate::schema::webhook_subscriptions::id.eq($crate::schema::$table::subscription_id);
        let subscriptions = $crate::schema::webhook_subscriptions::table.on(id);
        let rows = $crate::schema::$table::table.left_join(subscriptions);
        $crate::rows_with_owners!(@select rows, $row, webhook_subscriptions)
    }};
    ($table:ident, $row:ty, of_nobody) => {{
        let none = || None::<String>.into_sql::<diesel::sql_types::Nullable<diesel::sql_types::Text>>();
        $crate::schema::$table::table.select((<$row>::as_select(), (none(), none())))
    }};
    (@select $rows:expr, $row:ty, $owners:ident) => {
        $rows.select((
            <$row>::as_select(),
            ($crate::schema::$owners::owner_issuer.nullable(), $crate::schema::$owners::owner_subject.nullable()),
        ))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_goes_to_the_shard_of_its_owner() {
        let owned = |issuer: &str, subject: &str| (Some(issuer.to_owned()), Some(subject.to_owned()));
        let shards: Vec<usize> = (0..100)
            .map(|n| {
                let subject = format!("user-{n}");
                let shard = Division::into_shards(3).shard_of(owned("https://id.example", &subject));
                assert_eq!(shard, Home::of(&OwnerId::new("https://id.example", subject).unwrap()).shard(3));
                shard
            })
            .collect();
        assert!((0..3).all(|shard| shards.contains(&shard)), "{shards:?}");
        assert_eq!(Division::into_shards(3).shard_of((None, None)), 0);
        assert_eq!(Division::into_shards(3).shard_of(owned("", "nobody can ask for it")), 0);
        assert_eq!(Division::into_shards(1).shard_of(owned("https://id.example", "user-1")), 0);
    }
}
