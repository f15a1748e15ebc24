mod credentials;
mod limits;
pub(crate) mod matrix;
mod operator;
mod organizations;
mod organizations_by_session;
mod unknown_members;
