use actix_web::http::{StatusCode, header};
use actix_web::{Error, HttpResponse};
use domain::{OwnerChange, OwnerFilter, OwnerId, OwnerKind, OwnerQuery, OwnerStateChange, Patch};
use serde_json::{Map, Value};

use super::attributes::{Attributes, parse_filter};
use super::user::User;
use super::{answer, listed};
use crate::ScimSubject;
use crate::bodies::fields::unique;
use crate::callers::operator::OperatorCall;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::scim_fault::{ScimFault, ScimType};
use crate::parameters::path::PathParameters;
use crate::parameters::query::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, Parameters};

/// The parameters of lists that identity providers send. The last four ask to sort or to leave out attributes, which is
/// not done.
const PARAMETERS: [&str; 7] =
    ["filter", "startIndex", "count", "attributes", "excludedAttributes", "sortBy", "sortOrder"];
/// The most pages of owners that a list looks through: the first 10,000 owners.
const PAGES_MAX: usize = 50;
/// The largest body.
const BODY_BYTES_MAX: usize = 64 * 1024;

type Answer = Result<HttpResponse, Error>;

/// `POST /Users`. It takes over a user who exists and whom the provider cannot find by the `userName`.
pub(super) async fn create_user(mut call: OperatorCall, by: ScimSubject) -> Answer {
    let attributes = Attributes::of_resource(&read_object(&mut call).await?);
    let invalid = |detail: String| ScimFault::new(ScimType::InvalidValue, detail);
    let Some(subject) = attributes.subject(by) else {
        attributes.user_name()?;
        return Err(invalid("externalId is required".to_owned()).into());
    };
    let owner = OwnerId::new(call.api().issuer.as_str(), subject).map_err(|error| invalid(error.to_string()))?;
    let change = match attributes.user_name() {
        Ok(name) if !named(&call, by, name.unwrap_or_default()).await?.is_empty() => Err(taken()),
        _ => attributes.change(by, ""),
    };
    let change = heed(&call, &owner, attributes.active, change).await?;
    store(call, by, owner, change, Some(attributes.active.unwrap_or(true)), StatusCode::CREATED).await
}

/// `GET /Users/{id}`
pub(super) async fn find_user(call: OperatorCall, by: ScimSubject) -> Answer {
    Ok(answer(StatusCode::OK, &known(&call).await?.shown(&call, by)))
}

/// `PUT /Users/{id}`. Without `active` the state stays.
pub(super) async fn replace_user(mut call: OperatorCall, by: ScimSubject) -> Answer {
    let user = known(&call).await?;
    let attributes = Attributes::of_resource(&read_object(&mut call).await?);
    apply(call, by, user, &attributes).await
}

/// `PATCH /Users/{id}`
pub(super) async fn change_user(mut call: OperatorCall, by: ScimSubject) -> Answer {
    let user = known(&call).await?;
    let attributes = Attributes::of_patch(&read_object(&mut call).await?);
    apply(call, by, user, &attributes).await
}

/// `DELETE /Users/{id}`: the user may not act any more, and the name and the address are forgotten.
pub(super) async fn delete_user(call: OperatorCall) -> Answer {
    let owner = known(&call).await?.owner;
    let change = OwnerChange { name: Patch::Reset, email: Patch::Reset, ..OwnerChange::default() };
    write(call, owner, change, Some(false)).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// `GET /Users`
pub(super) async fn list_users(call: OperatorCall, by: ScimSubject) -> Answer {
    let parameters = Parameters::parse(call.request.query_string(), &PARAMETERS).map_err(ApiError::from)?;
    let number = |name, default: u32| {
        let number = parameters.read(name, |text| text.parse::<i64>().ok(), "must be a whole number");
        number.map(|number| usize::try_from(number.unwrap_or(default.into())).unwrap_or(0)).map_err(ApiError::from)
    };
    let start = number("startIndex", 1)?.max(1);
    let count = number("count", PAGE_SIZE_DEFAULT)?.min(PAGE_SIZE_MAX as usize);
    let (mut shown, mut total) = (Vec::new(), 0);
    let mut show = |user: &User| {
        total += 1;
        if total >= start && shown.len() < count {
            shown.push(user.shown(&call, by));
        }
    };
    match parameters.text("filter") {
        Some(filter) => {
            let found = match (parse_filter(filter)?, by) {
                ((ScimSubject::UserName, value), _) => named(&call, by, &value).await?,
                ((ScimSubject::ExternalId, value), ScimSubject::ExternalId) => with_subject(&call, &value).await?,
                // No `externalId` is stored.
                ((ScimSubject::ExternalId, _), ScimSubject::UserName) => Vec::new(),
            };
            found.iter().for_each(show);
        }
        None => each_user(&call, None, |user| show(&user)).await?,
    }
    Ok(listed(&shown, start, total))
}

/// The users with this `userName`.
async fn named(call: &OperatorCall, by: ScimSubject, name: &str) -> Result<Vec<User>, ApiError> {
    if by == ScimSubject::UserName {
        return with_subject(call, name).await;
    }
    let Ok(query) = OwnerQuery::parse(name, call.api().keys.policy()) else { return Ok(Vec::new()) };
    let mut users = Vec::new();
    each_user(call, Some(query), |user| {
        if user.name(by).eq_ignore_ascii_case(name) {
            users.push(user);
        }
    })
    .await?;
    Ok(users)
}

/// The user with this subject, if SCIM knows one.
async fn with_subject(call: &OperatorCall, subject: &str) -> Result<Vec<User>, ApiError> {
    let Ok(owner) = OwnerId::new(call.api().issuer.as_str(), subject) else { return Ok(Vec::new()) };
    let record = call.api().owners.find(&owner).await?;
    Ok(User::known(owner, record).into_iter().collect())
}

/// Visits the users whom SCIM knows, among the first owners whom the query finds.
async fn each_user(
    call: &OperatorCall,
    query: Option<OwnerQuery>,
    mut visit: impl FnMut(User),
) -> Result<(), ApiError> {
    let filter = OwnerFilter { issuer: call.api().issuer.clone(), query, is_suspended: None };
    let mut after = None;
    for _ in 0..PAGES_MAX {
        let page = call.api().owners.list(filter.clone(), after, PAGE_SIZE_MAX).await?;
        let users =
            page.owners.into_iter().map(|listed| listed.found).filter(|found| found.owner.kind() == OwnerKind::User);
        users.filter_map(|found| User::known(found.owner, found.record)).for_each(&mut visit);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    Ok(())
}

/// The user in the path.
async fn known(call: &OperatorCall) -> Result<User, ApiError> {
    let owner = PathParameters::of(&call.request).owner(&call.api().issuer).map_err(|_| unknown())?;
    let record = call.api().owners.find(&owner).await?;
    User::known(owner, record).ok_or_else(unknown)
}

fn taken() -> ScimFault {
    ScimFault::new(ScimType::Uniqueness, "a user with this userName exists")
}

fn unknown() -> ApiError {
    ApiError::Explained(ErrorCode::NotFound, "no user has this id".into())
}

/// Changes a user. The subject stays, because the keys and webhooks of a user cannot move.
async fn apply(call: OperatorCall, by: ScimSubject, user: User, attributes: &Attributes) -> Answer {
    let others = match attributes.user_name() {
        Ok(Some(name)) if !name.eq_ignore_ascii_case(user.name(by)) => named(&call, by, name).await?,
        _ => Vec::new(),
    };
    let change = match attributes.subject(by) {
        Some(subject) if subject != user.owner.subject() => {
            Err(ScimFault::new(ScimType::Mutability, "the subject of the user's ID tokens cannot change"))
        }
        _ if !others.is_empty() => Err(taken()),
        _ => attributes.change(by, user.name(by)),
    };
    let change = heed(&call, &user.owner, attributes.active, change).await?;
    store(call, by, user.owner, change, attributes.active, StatusCode::OK).await
}

/// The change of the record. A fault elsewhere in the request does not keep a user active who has left: the deactivation is
/// stored all the same.
async fn heed(
    call: &OperatorCall,
    owner: &OwnerId,
    active: Option<bool>,
    change: Result<OwnerChange, ScimFault>,
) -> Result<OwnerChange, Error> {
    if change.is_err() && active == Some(false) {
        let deactivation = OwnerStateChange::ByProvider { deactivates: true };
        call.api().owners.set_state(owner, deactivation, &call.origin()).await.map_err(ApiError::from)?;
    }
    Ok(change?)
}

/// Stores the user, and answers with it.
async fn store(
    call: OperatorCall,
    by: ScimSubject,
    owner: OwnerId,
    change: OwnerChange,
    active: Option<bool>,
    status: StatusCode,
) -> Answer {
    let (call, user) = write(call, owner, change, active).await?;
    let user = user.ok_or_else(unknown)?;
    let location = format!("{}{}", call.state().settings.public_url, user.path());
    let mut response = answer(status, &user.shown(&call, by));
    if let Ok(location) = location.parse() {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// Changes the record and the state. A deactivation comes first and an activation last, so that a death in the middle, or a
/// deletion at the same time, leaves nobody active who must not be.
async fn write(
    call: OperatorCall,
    owner: OwnerId,
    change: OwnerChange,
    active: Option<bool>,
) -> Result<(OperatorCall, Option<User>), ApiError> {
    to_the_end(async move {
        let (owners, origin) = (&call.api().owners, call.origin());
        let state = |deactivates| OwnerStateChange::ByProvider { deactivates };
        if active == Some(false) {
            owners.set_state(&owner, state(true), &origin).await?;
        }
        let record = owners.change(&owner, change, &origin).await?;
        if record.erasing_since.is_some() {
            // The provider repeats what fails, so that its word counts after the erasure too.
            return Err(ErrorCode::OwnerErasing.into());
        }
        let mut user = User::known(owner.clone(), record);
        if active == Some(true) && user.is_some() {
            user = User::known(owner.clone(), owners.set_state(&owner, state(false), &origin).await?);
        }
        Ok((call, user))
    })
    .await
}

/// The JSON object in the body.
async fn read_object(call: &mut OperatorCall) -> Result<Map<String, Value>, Error> {
    let body = call.read_json(BODY_BYTES_MAX).await?;
    match unique(&body)? {
        Value::Object(object) => Ok(object),
        _ => Err(ScimFault::new(ScimType::InvalidSyntax, "the body must be a JSON object").into()),
    }
}
