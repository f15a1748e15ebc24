use domain::OwnerKind;
use domain::audit::{Actor, AuditEvent, AuditTarget, FieldChange, Means, RequestId};
use domain::ports::{AuditDescriber, AuditReader};
use serde::Serialize;
use utoipa::ToSchema;

/// Who did what, how, when and from where.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AuditEvent)]
pub(crate) struct AuditRecord {
    /// Identifies the event.
    #[schema(example = "aud_01h455vb4pex5vsknk084sn02q")]
    id: String,
    /// When it was done.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    at: String,
    /// What was done.
    #[schema(example = "key.revoked")]
    action: String,
    /// Who did it.
    actor: AuditActor,
    /// How the actor proved who they are.
    via: AuditMeans,
    /// What it was done to.
    target: TargetRecord,
    /// Whose the target is, by the subject (`sub`); absent if it is an organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "alice")]
    user_id: Option<String>,
    /// Whose the target is, if it is an organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "org_9ybsU1dN2dKfDkBi")]
    organization_id: Option<String>,
    /// What changed, of what is not secret.
    changes: Vec<AuditChange>,
    /// The id of the request. Absent if there was no request. Users see it only of what they did themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    request_id: Option<String>,
    /// The address from which the request came. Absent if there was no request. Users see it only of what they did
    /// themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "203.0.113.9")]
    address: Option<String>,
}

/// An actor.
#[derive(Serialize, ToSchema)]
struct AuditActor {
    /// `user`, `operator` or `service`.
    #[serde(rename = "type")]
    #[schema(example = "user")]
    kind: &'static str,
    /// The user's id, or the name of the operator token. Absent for the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "alice")]
    id: Option<String>,
}

/// The means of an actor.
#[derive(Serialize, ToSchema)]
struct AuditMeans {
    /// `idToken`, `apiKey`, `session`, `operatorToken` or `service`; `other` for one of a later version.
    #[serde(rename = "type")]
    #[schema(example = "idToken")]
    kind: &'static str,
    /// The id of the API key or the session, or the name of another means. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "key_01h455vb4pex5vsknk084sn02q")]
    id: Option<String>,
}

/// A target.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditTarget)]
struct TargetRecord {
    /// `apiKey`, `subscription`, `delivery`, `session` or `event`; or `apiKeys`, `subscriptions`, `deliveries`, `sessions`
    /// or `events` for all of the user's; or `log` for the log of an instance; `other` for one of a later version.
    #[serde(rename = "type")]
    #[schema(example = "apiKey")]
    kind: &'static str,
    /// The id. Absent for all of a kind, and for the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "key_01h455vb4pex5vsknk084sn02q")]
    id: Option<String>,
}

/// A field before and after.
#[derive(Serialize, ToSchema)]
struct AuditChange {
    /// The field.
    #[schema(example = "status")]
    field: String,
    /// Before; absent if there was nothing. At most 256 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "enabled")]
    before: Option<String>,
    /// After; absent if there is nothing. At most 256 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "disabled: owner")]
    after: Option<String>,
}

/// Describes events to the receivers of webhooks, as the API shows them.
pub struct AuditJson;

impl AuditDescriber for AuditJson {
    fn describe(&self, event: &AuditEvent, reader: AuditReader) -> String {
        serde_json::to_string(&AuditRecord::of(event, reader)).expect("a record of strings serializes to JSON")
    }
}

impl AuditRecord {
    pub(crate) fn of(event: &AuditEvent, reader: AuditReader) -> Self {
        let origin = &event.origin;
        let is_own = matches!(&origin.actor, Actor::User(user) if *user == event.owner);
        let shows_place = is_own || reader == AuditReader::Operator;
        Self {
            id: event.id.to_string(),
            at: event.at().to_string(),
            action: event.action.as_str().to_owned(),
            actor: AuditActor::of(&origin.actor),
            via: AuditMeans::of(origin.means),
            target: TargetRecord::of(event.target),
            user_id: event.owner.user_id().map(str::to_owned),
            organization_id: event.owner.organization_id().map(str::to_owned),
            changes: event.changes.iter().map(AuditChange::of).collect(),
            request_id: origin.request.as_ref().filter(|_| shows_place).map(RequestId::as_str).map(Into::into),
            address: origin.address.filter(|_| shows_place).map(|address| address.to_string()),
        }
    }
}

impl AuditRecord {
    /// How many cells a line of a table has.
    pub(crate) const CELLS: usize = 14;

    /// The fields as the cells of a line.
    pub(crate) fn cells(&self) -> [String; Self::CELLS] {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let changes = self.changes.iter().map(|change| {
            let part = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
            format!("{}: {} -> {}", change.field, part(&change.before), part(&change.after))
        });
        [
            self.id.clone(),
            self.at.clone(),
            self.action.clone(),
            self.actor.kind.to_owned(),
            text(&self.actor.id),
            self.via.kind.to_owned(),
            text(&self.via.id),
            self.target.kind.to_owned(),
            text(&self.target.id),
            text(&self.user_id),
            changes.collect::<Vec<_>>().join("; "),
            text(&self.request_id),
            text(&self.address),
            text(&self.organization_id),
        ]
    }
}

impl AuditActor {
    fn of(actor: &Actor) -> Self {
        let (kind, id) = match actor {
            Actor::User(user) if user.kind() == OwnerKind::Organization => ("organization", Some(user.subject())),
            Actor::User(user) => ("user", Some(user.subject())),
            Actor::Operator(name) => ("operator", Some(name.as_str())),
            Actor::Service => ("service", None),
        };
        Self { kind, id: id.map(Into::into) }
    }
}

impl AuditMeans {
    fn of(means: Means) -> Self {
        let (kind, id) = match means {
            Means::IdToken => ("idToken", None),
            Means::ApiKey(id) => ("apiKey", Some(id.to_string())),
            Means::Session(id) => ("session", Some(id.to_string())),
            Means::OperatorToken => ("operatorToken", None),
            Means::Service => ("service", None),
            Means::Later(name) => ("other", Some(name.as_str().to_owned())),
        };
        Self { kind, id }
    }
}

impl TargetRecord {
    fn of(target: AuditTarget) -> Self {
        let id = target.word().is_none().then(|| target.to_string());
        Self { kind: target.kind(), id }
    }
}

impl AuditChange {
    fn of(change: &FieldChange) -> Self {
        Self { field: change.field.as_str().to_owned(), before: change.before.clone(), after: change.after.clone() }
    }
}
