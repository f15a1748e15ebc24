use std::io;

use actix_web::HttpResponse;
use actix_web::web::{Bytes, Data};
use domain::ports::AuditPage;
use domain::{AuditId, audit::AuditFilter};
use futures_util::stream::{self, Stream, StreamExt, unfold};

use crate::errors::api_error::{ApiError, Chain};
use crate::parameters::audit_request::AuditRequest;
use crate::parameters::query::PAGE_SIZE_MAX;
use domain::ports::AuditReader;

use crate::records::audit_record::AuditRecord;
use crate::state::State;
use crate::streams::export_form::ExportForm;
use crate::streams::open_streams::StreamPlace;

/// Writes all events that pass the filter, page by page, as the client reads them. It keeps one page in memory.
struct AuditExport {
    state: Data<State>,
    filter: AuditFilter,
    reader: AuditReader,
    form: ExportForm,
    next: Option<AuditId>,
    _place: Option<StreamPlace>,
}

/// The answer with all events. The first page is read before the answer begins, so that an error has its status. When a
/// later page fails, the connection is closed before the end of the body, and the client can tell.
pub(crate) async fn audit_export(
    state: Data<State>,
    request: AuditRequest,
    (form, reader): (ExportForm, AuditReader),
    place: Option<StreamPlace>,
) -> Result<HttpResponse, ApiError> {
    let mut export = AuditExport { state, filter: request.filter, reader, form, next: request.before, _place: place };
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
            match export.read().await {
                Ok(lines) => Some((Ok(lines), Some(export))),
                Err(error) => {
                    let error = error.inside().map(|inside| Chain(&**inside).to_string());
                    tracing::warn!(error, "cannot read the audit log, ending the export");
                    Some((Err(io::Error::other("the export ends early")), None))
                }
            }
        })
    }

    async fn read(&mut self) -> Result<Bytes, ApiError> {
        let AuditPage { events, next } = self.state.api.audit.list(&self.filter, self.next, PAGE_SIZE_MAX).await?;
        self.next = next;
        let mut lines = Vec::new();
        for event in &events {
            let record = AuditRecord::of(event, self.reader);
            self.form.write(&record, &mut lines).map_err(|error| ApiError::Internal(error.into()))?;
        }
        Ok(lines.into())
    }
}
