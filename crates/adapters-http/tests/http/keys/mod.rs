mod api_keys;
mod changes;
mod rotation;
mod usage;
mod whoami;
