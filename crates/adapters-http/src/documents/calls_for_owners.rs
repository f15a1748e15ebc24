use std::mem;

use actix_web::http::Method;
use utoipa::openapi::path::{Operation, Parameter, PathItem};
use utoipa::openapi::{OpenApi, RefOr};

use crate::callers::calls::{CALLS_FOR_OWNERS, CallForOwner};

/// The status of the limits of an owner, against which the calls of operators do not count.
const TOO_MANY: &str = "429";
/// Parameters about the credential of an owner who calls.
const ONLY_OWN: &str = "keepCurrent";

/// Adds the calls that operators make for owners, with what the document says of the owners' calls.
pub(crate) fn add_calls_for_owners(document: &mut OpenApi) {
    for call in &CALLS_FOR_OWNERS {
        let own = document.paths.paths.get_mut(call.own_path).and_then(|item| operation_of(item, &call.method).clone());
        if let Some(own) = own {
            let item = document.paths.paths.entry(call.path.to_owned()).or_default();
            *operation_of(item, &call.method) = Some(for_owner(own, call));
        }
    }
}

/// The place of the operation with this method.
pub(crate) fn operation_of<'a>(item: &'a mut PathItem, method: &Method) -> &'a mut Option<Operation> {
    match *method {
        Method::GET => &mut item.get,
        Method::PATCH => &mut item.patch,
        Method::DELETE => &mut item.delete,
        _ => &mut item.post,
    }
}

fn for_owner(own: Operation, call: &CallForOwner) -> Operation {
    let mut operation = own;
    operation.tags = Some(vec!["Operator".to_owned()]);
    operation.operation_id = Some(call.operation_id.to_owned());
    operation.parameters.iter_mut().for_each(|parameters| parameters.retain(|parameter| !is_only_own(parameter)));
    let counts = operation.responses.responses.remove(TOO_MANY).is_some();
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(response) = response {
            response.description = of_the_user(&response.description);
        }
    }
    let summary = mem::take(&mut operation.summary).unwrap_or_default();
    operation.summary = Some(format!("{}, for support work.", of_the_user(&summary).trim_end_matches('.')));
    let notes = [
        operation.description.as_deref().map(of_the_user),
        call.shows.map(|_| "The user sees this call in the audit log.".to_owned()),
        counts.then(|| "The call does not count against the limit of the user.".to_owned()),
    ];
    operation.description = Some(notes.into_iter().flatten().collect::<Vec<_>>().join(" "));
    operation
}

fn is_only_own(parameter: &RefOr<Parameter>) -> bool {
    matches!(parameter, RefOr::T(parameter) if parameter.name == ONLY_OWN)
}

fn of_the_user(text: &str) -> String {
    text.replace("the caller", "the user").replace("The caller", "The user")
}
