mod change_owner;
mod owner_store;
