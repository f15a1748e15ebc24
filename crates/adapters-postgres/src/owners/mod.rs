pub(crate) mod change_owner;
mod list_owners;
mod owner_store;
