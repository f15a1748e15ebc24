use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use actix_web::HttpRequest;
use actix_web::http::Method;
use domain::organizations::{DefaultOwner, Identity, Memberships, ReadMemberships};
use domain::sessions::Capability;
use domain::{CredentialDigest, KeyId, OwnerId, RateLimit, SessionId, SubscriptionId, WebhookAccess, confirm_key};
use verifier::{VerifiedKey, VerifiedSession};

use crate::api::Api;
use crate::callers::call::{Admit, Call, CallBody};
use crate::callers::calls::{ByOperators, OwnCall, Right};
use crate::callers::credential::{find_good_key, verify_id_token};
use crate::callers::operator::{Operator, record_read};
use crate::callers::session::{has_old_roles, session_beside};
use crate::credentials::headers::{Credential, credential_in, id_token_in};
use crate::credentials::presented::Presented;
use crate::errors::api_error::{ApiError, Invalid, Limited};
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::parameters::path::PathParameters;
use crate::parameters::query::{ORGANIZATION, Parameters, organization_in};
use crate::state::State;

/// A call about the keys, the webhooks or the sessions of an owner. See decision 116.
pub(crate) type OwnerCall = Call<Owner>;

/// The maker of a call, and the owner whom the call is about: the caller, the member's organization, or the owner in an
/// operator's path.
pub(crate) struct Owner {
    id: OwnerId,
    caller: Caller,
}

/// The maker of a call about an owner.
pub(crate) enum Caller {
    /// The bearer of an API key that is valid now and within its rate limit.
    ApiKey(Arc<VerifiedKey>),
    /// The owner, with an ID token.
    IdToken,
    /// A member of the organization that is the owner, with an ID token or a session.
    Member(Member),
    /// A browser that has signed in as the owner, or visits for the owner.
    Session(Arc<VerifiedSession>),
    /// An operator, with a token or a session.
    Operator,
}

/// A user that calls for an organization.
pub(crate) struct Member {
    pub(crate) user: OwnerId,
    /// Whether a session of the user makes the call, and not an ID token.
    pub(crate) has_session: bool,
    /// The capabilities of the user's roles there.
    capabilities: BTreeSet<Capability>,
}

/// Fails if the owner is being erased: the erasure would delete the new object a moment later.
pub(crate) async fn require_unerased(api: &Api, owner: &OwnerId) -> Result<(), ApiError> {
    let record = api.owners.find(owner).await?;
    if record.erasing_since.is_some() { Err(ErrorCode::OwnerErasing.into()) } else { Ok(()) }
}

/// The owner that is charged for the calls of all operators.
static OPERATORS: LazyLock<OwnerId> = LazyLock::new(OwnerId::of_operator);

impl OwnerCall {
    /// The owner whom the call is about.
    pub(crate) fn owner(&self) -> &OwnerId {
        &self.by.id
    }

    /// The owner, to whose receivers the call sends webhooks, whatever the schedule says. Counts the call against the
    /// limit of the owner or the member, unless an operator makes it: a support case must not use up the owner's limit.
    /// See decision 10.
    ///
    /// # Errors
    ///
    /// When the limit is used up.
    pub(crate) fn owner_to_send_to(&self) -> Result<&OwnerId, ApiError> {
        match self.by.caller {
            Caller::Operator => {}
            Caller::ApiKey(_) | Caller::IdToken | Caller::Member(_) | Caller::Session(_) => {
                self.state().count_manual_send_of(self.limited())?;
            }
        }
        Ok(self.owner())
    }

    pub(crate) fn caller(&self) -> &Caller {
        &self.by.caller
    }

    /// The API key that makes the call.
    pub(crate) fn key(&self) -> Option<KeyId> {
        match self.caller() {
            Caller::ApiKey(key) => Some(key.id),
            Caller::IdToken | Caller::Member(_) | Caller::Session(_) | Caller::Operator => None,
        }
    }

    /// The owner's session that makes the call.
    pub(crate) fn session(&self) -> Option<SessionId> {
        match self.caller() {
            Caller::Session(session) => Some(session.id),
            Caller::ApiKey(_) | Caller::IdToken | Caller::Member(_) | Caller::Operator => None,
        }
    }

    /// The user or the owner against whose limits the call counts: the person, also in a call for an organization; for all
    /// operators together one owner, because their calls must not use up the owner's limit.
    pub(crate) fn limited(&self) -> &OwnerId {
        match self.caller() {
            Caller::Member(member) => &member.user,
            Caller::ApiKey(_) | Caller::IdToken | Caller::Session(_) => self.owner(),
            Caller::Operator => &OPERATORS,
        }
    }

    /// The member that creates something for an organization. An operator's session is not a member.
    pub(crate) fn created_by(&self) -> Option<OwnerId> {
        match self.caller() {
            Caller::Operator => None,
            Caller::ApiKey(_) | Caller::IdToken | Caller::Member(_) | Caller::Session(_) => {
                self.origin().member_for(self.owner())
            }
        }
    }

    /// The caller's access to webhooks, which no key that the caller makes exceeds.
    pub(crate) fn webhook_access(&self) -> Option<WebhookAccess> {
        match self.caller() {
            Caller::ApiKey(key) => WebhookAccess::of_key(&key.scopes),
            Caller::Member(member) => Capability::webhooks_of(|wanted| wanted.is_in(&member.capabilities)),
            Caller::Session(session) => session.role.webhooks(),
            Caller::IdToken | Caller::Operator => Some(WebhookAccess::Write),
        }
    }

    /// Fails if the caller's key was revoked while the call ran. The subscription that the call has enabled or whose
    /// URL it has set is then disabled. See decision 46.
    pub(crate) async fn confirm_key(&self, id: SubscriptionId) -> Result<(), ApiError> {
        let digest = match credential_in(self.request.headers()) {
            Presented::One(Credential::ApiKey(key)) if self.key().is_some() => CredentialDigest::of_presented(key),
            _ => None,
        };
        let Some(digest) = digest else { return Ok(()) };
        let (keys, webhooks) = (&self.api().keys, &self.api().webhooks);
        let is_good = confirm_key(keys, webhooks, &digest, (self.owner(), id), &self.origin()).await?;
        let revoked = ApiError::CredentialInvalid(Invalid::ApiKey, "an API key that was revoked during the call");
        is_good.then_some(()).ok_or(revoked)
    }
}

impl Admit for Owner {
    async fn admit(request: &HttpRequest, body: &mut CallBody) -> Result<Self, ApiError> {
        let route = request.match_pattern().unwrap_or_default();
        match Right::of_call(request.method(), &route) {
            Some(right) => Self::who_calls(request, body, right).await,
            None => Self::in_path(request, body, &route).await,
        }
    }
}

impl Owner {
    /// The owner of the credential.
    async fn who_calls(request: &HttpRequest, body: &mut CallBody, right: Right) -> Result<Self, ApiError> {
        let (owner, memberships) = Self::presented(request, body, right).await?;
        let state = State::of(request);
        // The call counts for the person. The memberships of a person must not multiply the limit.
        state.count_call_of(&owner.id, owner.request_rate_limit(state).await?)?;
        let owner = match (memberships, owner.session_of_user()) {
            (Some(memberships), _) => owner.in_organization(request, &memberships, state.api.default_owner)?,
            // A session acts for the user unless it names an organization, so that users reach their sessions.
            (None, Some(session)) => {
                let has_ended = organization_in(request)?.is_some() && has_old_roles(&session, &state.api);
                if has_ended {
                    return Err(ErrorCode::OrganizationRoleExpired.into());
                }
                owner.in_organization(request, &session.memberships, DefaultOwner::User)?
            }
            (None, None) => owner.checked_against(organization_in(request)?.as_deref())?,
        };
        owner.caller.permit(right)?;
        permit_from_here(request, right)?;
        owner.require_active(state).await?;
        Ok(owner)
    }

    /// How often the one who presents the credential may call, if that owner's record says it.
    async fn request_rate_limit(&self, state: &State) -> Result<Option<RateLimit>, ApiError> {
        match &self.caller {
            Caller::ApiKey(key) => Ok(key.request_rate_limit()),
            Caller::Session(session) => Ok(session.request_rate_limit),
            Caller::IdToken | Caller::Member(_) => Ok(state.api.owner_states.request_rate_limit(&self.id).await?),
            Caller::Operator => Ok(None),
        }
    }

    /// Fails if the person who calls or the owner is suspended. Keys and sessions of suspended owners are not good, so their
    /// owners need no look-up.
    async fn require_active(&self, state: &State) -> Result<(), ApiError> {
        let states = &state.api.owner_states;
        let is_suspended = match &self.caller {
            Caller::ApiKey(_) | Caller::Session(_) | Caller::Operator => false,
            Caller::IdToken => states.is_suspended(&self.id).await?,
            Caller::Member(member) => {
                let is_person = !member.has_session && states.is_suspended(&member.user).await?;
                is_person || states.is_suspended(&self.id).await?
            }
        };
        if is_suspended { Err(ErrorCode::OwnerSuspended.into()) } else { Ok(()) }
    }

    /// The organization for which the user with these memberships calls, if there is one.
    fn in_organization(
        self,
        request: &HttpRequest,
        memberships: &ReadMemberships,
        default_owner: DefaultOwner,
    ) -> Result<Self, ApiError> {
        let named = organization_in(request)?;
        if !memberships.as_ref().is_ok_and(Memberships::is_empty) {
            // A misspelt `organization` would act for the user.
            Parameters::of(request)?;
        }
        if named.is_none() && default_owner == DefaultOwner::User && memberships.is_err() {
            return Ok(self);
        }
        let memberships = memberships.as_ref().map_err(|_| ErrorCode::OrganizationUnreadable)?;
        let organization = match (named, default_owner) {
            // A string that cannot be an id gets the answer of an unknown id.
            (Some(id), _) => {
                OwnerId::organization(self.id.issuer(), &id).map_err(|_| ErrorCode::OrganizationNotFound)?
            }
            (None, DefaultOwner::User) => return Ok(self),
            (None, DefaultOwner::Organization) => match memberships.only() {
                Some(only) => only.clone(),
                None => return Ok(self),
            },
        };
        let capabilities = memberships.capabilities(&organization).ok_or(ErrorCode::OrganizationNotFound)?.clone();
        let has_session = matches!(self.caller, Caller::Session(_));
        Ok(Self { id: organization, caller: Caller::Member(Member { user: self.id, has_session, capabilities }) })
    }

    /// The session, if it is not a visitor's.
    fn session_of_user(&self) -> Option<Arc<VerifiedSession>> {
        match &self.caller {
            Caller::Session(session) => Some(session).filter(|session| !session.role.is_visitor()).cloned(),
            Caller::ApiKey(_) | Caller::IdToken | Caller::Member(_) | Caller::Operator => None,
        }
    }

    /// The owner of a key or of a visitor's session, which acts for no other owner than its own.
    fn checked_against(self, named: Option<&str>) -> Result<Self, ApiError> {
        match named {
            None => Ok(self),
            named if named == self.id.organization_id() => Ok(self),
            Some(_) => Err(ErrorCode::OtherOwner.into()),
        }
    }

    /// The owner whom the path names, for whom an operator calls. The audit log of the owner records the read before
    /// the operator gets the answer.
    async fn in_path(request: &HttpRequest, body: &mut CallBody, route: &str) -> Result<Self, ApiError> {
        Operator::admit(request, body).await?;
        let path = PathParameters::of(request);
        if organization_in(request)?.is_some() {
            return Err(FieldFault::new(ORGANIZATION, "must be absent, because the path names the owner").into());
        }
        let id = path.owner(&State::of(request).api.issuer)?;
        let Some(call) = OwnCall::by_operators_at(request.method(), route) else {
            // The change of the record.
            if request.method() == Method::PATCH {
                require_unerased(&State::of(request).api, &id).await?;
            }
            return Ok(Self { id, caller: Caller::Operator });
        };
        permit_from_here(request, call.right)?;
        match call.by_operators {
            ByOperators::See(Some(shown)) => {
                if let Some(target) = shown(&path) {
                    record_read(request, &id, target).await?;
                }
            }
            ByOperators::Change => require_unerased(&State::of(request).api, &id).await?,
            ByOperators::See(None) | ByOperators::Mend | ByOperators::Not => {}
        }
        Ok(Self { id, caller: Caller::Operator })
    }

    /// The owner whose credential the request has, and the memberships if it is an ID token.
    async fn presented(
        request: &HttpRequest,
        body: &mut CallBody,
        right: Right,
    ) -> Result<(Self, Option<ReadMemberships>), ApiError> {
        let presented = if right.is_for_api_keys() {
            credential_in(request.headers())
        } else {
            let in_body = match right {
                Right::ChangeKeys => body.find_id_token(request).await,
                _ => Presented::Nothing,
            };
            id_token_in(request.headers()).and(in_body).map(Credential::IdToken)
        };
        if let Some(session) = session_beside(request, &presented).await? {
            return Ok((Self { id: session.owner.clone(), caller: Caller::Session(session) }, None));
        }
        match presented.required()? {
            Credential::IdToken(token) => {
                let Identity { user, memberships } = verify_id_token(request, token).await?;
                Ok((Self { id: user, caller: Caller::IdToken }, Some(memberships)))
            }
            Credential::ApiKey(key) => {
                let key = find_good_key(request, key).await?;
                let key = key.ok_or(ApiError::CredentialInvalid(Invalid::ApiKey, "an API key that is not valid"))?;
                Limited::Key.check(State::of(request).api.verifier.spend(&key))?;
                Ok((Self { id: key.owner.clone(), caller: Caller::ApiKey(key) }, None))
            }
        }
    }
}

impl Caller {
    /// Fails if the caller lacks the right.
    fn permit(&self, right: Right) -> Result<(), ApiError> {
        match (self, right.webhooks(), right.capability()) {
            (Self::ApiKey(key), Some(access), _) if !access.is_granted_by(&key.scopes) => {
                Err(ApiError::InsufficientScope(access.required()))
            }
            (Self::Member(member), _, needed) => member.permit(right, needed),
            (Self::Session(session), _, Some(needed)) if !session.role.may(needed) => {
                let detail = format!("the session lacks the capability {}", needed.name());
                Err(ApiError::Explained(ErrorCode::CapabilityMissing, detail.into()))
            }
            (Self::Session(session), ..) if right == Right::Account && session.role.is_visitor() => {
                let detail = "visitors see neither the sessions nor the audit log of a user";
                Err(ApiError::Explained(ErrorCode::CapabilityMissing, detail.into()))
            }
            _ => Ok(()),
        }
    }
}

impl Member {
    /// Fails if the member's roles lack the right. Only a member with both capabilities reads the audit log.
    fn permit(&self, right: Right, needed: Option<Capability>) -> Result<(), ApiError> {
        let needed = match right {
            Right::Account => vec![Capability::Keys, Capability::Webhooks],
            _ => needed.into_iter().collect(),
        };
        match needed.into_iter().find(|needed| !needed.is_in(&self.capabilities)) {
            None => Ok(()),
            Some(lacking) => {
                let detail = format!("the member's roles in the organization lack the capability {}", lacking.name());
                Err(ApiError::Explained(ErrorCode::CapabilityMissing, detail.into()))
            }
        }
    }
}

/// Fails if the call changes webhooks, and a request with these headers may not.
fn permit_from_here(request: &HttpRequest, right: Right) -> Result<(), ApiError> {
    let may_change = || State::of(request).allows_webhook_changes(request.headers());
    if right == Right::ChangeWebhooks && !may_change() { Err(ErrorCode::NotLocal.into()) } else { Ok(()) }
}
