mod change_owner;
mod erase_owner;
mod list_owners;
mod owner_store;
