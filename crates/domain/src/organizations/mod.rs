//! The organizations that users belong to, and what members may do there. See decisions 122 and 123.

mod memberships;
mod organization_roles;

pub use memberships::{DefaultOwner, Identity, Memberships, ORGANIZATIONS_MAX, ReadMemberships, UnreadableMemberships};
pub use organization_roles::{InvalidOrganizationRoles, OrganizationRoles};
