/// One empty database of a cluster.
#[derive(Clone, Debug)]
pub struct Database {
    /// Where it is: `postgres://postgres@127.0.0.1:<port>/<name>`. No password: the cluster trusts loopback.
    pub url: String,
    /// Its name.
    pub name: String,
}
