/// One empty database of a cluster.
#[derive(Clone, Debug)]
pub struct Database {
    /// The URL: `postgres://postgres@127.0.0.1:<port>/<name>`. There is no password, because the cluster trusts
    /// loopback.
    pub url: String,
    /// The name of the database.
    pub name: String,
}
