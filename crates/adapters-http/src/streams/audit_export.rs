use std::io;

use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use domain::ports::{AuditPage, AuditReader};
use domain::{AuditId, audit::AuditFilter};
use futures_util::stream::{self, Stream, StreamExt, unfold};

use crate::callers::credential::is_still_good;
use crate::errors::api_error::{ApiError, Invalid};
use crate::parameters::audit_request::{AuditRequest, ExportForm};
use crate::parameters::query::PAGE_SIZE_MAX;
use crate::records::audit_record::AuditRecord;
use crate::state::State;
use crate::streams::open_streams::StreamPlace;

/// Writes all events that pass the filter, page by page, as the client reads them. It keeps one page in memory.
struct AuditExport {
    /// Holds the credential, which must stay valid.
    request: HttpRequest,
    filter: AuditFilter,
    reader: AuditReader,
    form: ExportForm,
    next: Option<AuditId>,
    _place: Option<StreamPlace>,
}

/// The answer with all events. The first page is read before the answer begins, so that an error has its status. When a
/// later page fails, or the credential has expired or was revoked by then, the connection is closed before the end of the body, and
/// the client can tell.
pub(crate) async fn audit_export(
    request: HttpRequest,
    wanted: AuditRequest,
    (form, reader): (ExportForm, AuditReader),
    place: Option<StreamPlace>,
) -> Result<HttpResponse, ApiError> {
    let mut export = AuditExport { request, filter: wanted.filter, reader, form, next: wanted.before, _place: place };
    let first = export.read().await?;
    let rest = export.into_body();
    let head = Bytes::from_static(form.head().as_bytes());
    let body = stream::iter([Ok(head), Ok(first)]).chain(rest);
    Ok(HttpResponse::Ok().content_type(form.content_type()).streaming(Box::pin(body)))
}

impl AuditExport {
    fn into_body(self) -> impl Stream<Item = Result<Bytes, io::Error>> {
        unfold(Some(self), |export| async {
            let mut export = export.filter(|export| export.next.is_some())?;
            match export.read_while_permitted().await {
                Ok(lines) => Some((Ok(lines), Some(export))),
                Err(error) => {
                    tracing::warn!(%error, cause = error.inside(), "ending the export of the audit log early");
                    Some((Err(io::Error::other("the export ends early")), None))
                }
            }
        })
    }

    async fn read_while_permitted(&mut self) -> Result<Bytes, ApiError> {
        if is_still_good(&self.request, self.filter.owner.as_ref()).await? {
            self.read().await
        } else {
            Err(ApiError::CredentialInvalid(Invalid::Presented, "no longer valid"))
        }
    }

    async fn read(&mut self) -> Result<Bytes, ApiError> {
        let state = State::of(&self.request);
        let AuditPage { events, next } = state.api.audit.list(&self.filter, self.next, PAGE_SIZE_MAX).await?;
        self.next = next;
        let mut lines = Vec::new();
        for event in &events {
            let record = AuditRecord::of(event, self.reader);
            self.form.write(&record, &mut lines).map_err(|error| ApiError::Internal(error.into()))?;
        }
        Ok(lines.into())
    }
}
