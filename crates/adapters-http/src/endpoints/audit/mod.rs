//! The audit log, for users. The operator's list is in the operator API.
//!
//! See decisions 71 to 73.

mod list_audit_events;

use actix_web::web;
use utoipa::OpenApi;

use super::{GET, Routes};

pub(super) use list_audit_events::{Answer, answer};

pub(super) const ROUTES: Routes = &[(GET, "/api/audit", || web::to(list_audit_events::list_audit_events))];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(list_audit_events::list_audit_events))]
pub(super) struct Operations;
