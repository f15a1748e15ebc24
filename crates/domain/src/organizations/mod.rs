//! The organizations of users, and the capabilities of their members. See decisions 122 and 123.

mod memberships;
mod organization_roles;

pub use memberships::{DefaultOwner, Identity, Memberships, ORGANIZATIONS_MAX, ReadMemberships, UnreadableMemberships};
pub use organization_roles::{InvalidOrganizationRoles, OrganizationRoles};
