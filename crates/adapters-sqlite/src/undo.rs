use domain::ports::StoreError;

/// Why a write is undone. `?` converts diesel's errors and the store's.
#[derive(Debug)]
pub(crate) struct Undo(pub(crate) StoreError);

impl From<diesel::result::Error> for Undo {
    fn from(error: diesel::result::Error) -> Self {
        Self(diesel_mapping::store_error(error))
    }
}

impl From<StoreError> for Undo {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}
