//! Builds the crate again when a migration is added: the macro that embeds them sees only the files it knew.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations/postgres");
}
