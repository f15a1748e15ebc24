use std::fmt;

/// The documentation of an error code. Problem documents and the pages under `/docs/errors` show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorEntry {
    /// The stable, machine-readable name.
    pub code: &'static str,
    /// The HTTP status of the answer.
    pub status: u16,
    /// A short summary of the error.
    pub title: &'static str,
    /// Why the service answers with this error.
    pub cause: &'static str,
    /// The caller's remedy for the error.
    pub cure: &'static str,
}

/// Every error code, by status.
pub fn error_reference() -> &'static [ErrorEntry] {
    ENTRIES
}

/// To add an error, add it to the table below. The problem document, the page under `/docs/errors` and the responses in
/// the OpenAPI document are made from the table.
macro_rules! error_codes {
    ($(
        $variant:ident = $status:literal $code:literal { title: $title:expr, cause: $cause:expr, cure: $cure:expr, }
    )*) => {
        /// The kind of an error: the `code` of a problem document.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum ErrorCode {
            $($variant),*
        }

        /// In the order of [`ErrorCode`]: the discriminant of a code is the index of its entry.
        const ENTRIES: &[ErrorEntry] =
            &[$(ErrorEntry { code: $code, status: $status, title: $title, cause: $cause, cure: $cure }),*];
    };
}

error_codes! {
    CredentialMissing = 401 "credential_missing" {
        title: "No credential was sent",
        cause: "The request has no credential in any of the places where this path looks for one. Only the Bearer \
                scheme of Authorization counts.",
        cure: "To manage keys, send an ID token in Authorization: Bearer, in x-id-token, or in the JSON field \
               idToken. Every other path accepts an API key (x-api-key, or Authorization: Bearer) or an ID token \
               (Authorization: Bearer, or x-id-token). The operator API requires the operator token in \
               Authorization: Bearer. Browsers that have signed in send the cookie of their session instead.",
    }
    CredentialInvalid = 401 "credential_invalid" {
        title: "The credential is not valid",
        cause: "One of: an API key that is unknown, revoked, expired or malformed; an ID token that has expired, is \
                meant for another service, or is not signed by the identity provider; several credentials that \
                differ; an API key where only an ID token is accepted; a session that has ended; or, in the operator \
                API, a token other than the operator token.",
        cure: "Send one credential. Get a fresh ID token from the identity provider, or create a new API key. To \
               manage keys, use an ID token.",
    }
    SeveralCredentials = 400 "several_credentials" {
        title: "The request has a session and another credential",
        cause: "The browser sent the cookie of its session together with an API key, an ID token or an operator token. \
                It is not clear for whom the request is made.",
        cure: "Sign out, or send the request without the other credential. Programs send no cookies.",
    }
    SignInNotBegun = 400 "sign_in_not_begun" {
        title: "This sign-in cannot be completed",
        cause: "This browser began no sign-in in the last ten minutes, or began another one since, in another tab. Or the \
                sign-in has already ended, or the browser did not keep its cookie.",
        cure: "Sign in again. If that does not help, allow cookies for this site.",
    }
    BadRequest = 400 "bad_request" {
        title: "The request is malformed",
        cause: "The service cannot read the request. For example, the body ended too early, or its encoding is \
                broken. The status says more.",
        cure: "Send the request again. If it fails again, check the client or the proxy that sends it.",
    }
    InvalidJson = 400 "invalid_json" {
        title: "The body is not a valid JSON object",
        cause: "The body is not valid JSON, is not an object, or contains a field twice.",
        cure: "Send one JSON object in UTF-8, with each field once.",
    }
    InvalidField = 400 "invalid_field" {
        title: "A field is missing or not valid",
        cause: "The fields listed in errors are missing, have the wrong type, or have a value that is not allowed.",
        cure: "Correct each field listed in errors.",
    }
    UnknownField = 400 "unknown_field" {
        title: "A field of the body is unknown",
        cause: "The body has fields that this call does not know. They are not ignored, because a misspelt field would \
                then mean something else: without its scopes, a key may do more. Other fields listed in errors are \
                missing or not valid.",
        cure: "Correct the names: errors says which known name is closest. They are case-sensitive. /docs has the \
               fields of each call.",
    }
    ApiKeyLimitReached = 400 "api_key_limit_reached" {
        title: "The owner has reached the maximum number of active API keys",
        cause: "The user or the organization has the number of active keys that API_KEYS_MAX_ACTIVE or its own \
                maxActiveKeys allows. Revoked and expired keys do not count.",
        cure: "Revoke a key that is no longer used, then create the new key.",
    }
    SubscriptionLimitReached = 400 "subscription_limit_reached" {
        title: "The owner has reached the maximum number of webhook subscriptions",
        cause: "The user or the organization has the number of subscriptions that WEBHOOK_MAX_SUBSCRIPTIONS or its own \
                maxSubscriptions allows. Disabled subscriptions count, deleted ones do not. Or it has deleted 100 times \
                that number of subscriptions, which stay in the log for WEBHOOK_RETENTION_DAYS; the detail says which.",
        cure: "Delete a subscription that is no longer used, then create the new one. One subscription can have up \
               to 100 event types and patterns. Change a subscription instead of deleting and creating it often.",
    }
    ConsumerLimitReached = 400 "consumer_limit_reached" {
        title: "The subscription has the maximum number of consumers",
        cause: "The subscription has 100 consumers. A consumer exists from its first call on.",
        cure: "Delete an unused consumer. Let programs that share the work use the same consumer.",
    }
    EventTypeLimitReached = 400 "event_type_limit_reached" {
        title: "The catalogue has the maximum number of event types",
        cause: "The catalogue has 1,000 event types. Archived ones count.",
        cure: "Use fewer types, and say in the data what differs.",
    }
    InsufficientScope = 403 "insufficient_scope" {
        title: "The API key lacks a scope",
        cause: "The API key is valid, but lacks a scope that this call requires. The WWW-Authenticate header lists \
                the required scopes.",
        cure: "Use a key that has these scopes. The scopes of a key are fixed when the key is created.",
    }
    OperatorScopeMissing = 403 "operator_scope_missing" {
        title: "The operator token lacks a scope",
        cause: "The operator token is valid, but lacks the scope that this call requires. The detail names the token \
                and the scope.",
        cure: "Use a token that has the scope, or add the scope to the token in OPERATOR_TOKENS. The scope of each \
               call is in /docs.",
    }
    OperatorRoleMissing = 403 "operator_role_missing" {
        title: "The session is not an operator's",
        cause: "The user of the session is not an operator. The role is fixed when a user signs in.",
        cure: "Add the user to OPERATORS, or to the group that OPERATOR_CLAIM names. Then sign in again.",
    }
    CapabilityMissing = 403 "capability_missing" {
        title: "The caller lacks a capability",
        cause: "The session is that of a visitor, or the call is that of a member of an organization, and it lacks the \
                capability that this call requires, or the key would give more access to webhooks than the caller has. \
                The detail says which.",
        cure: "As a visitor, ask the application that sent you here for a link with this capability, or sign in. As a member, \
               ask for a role that has the capability in ORGANIZATION_ROLES.",
    }
    CrossSiteRequest = 403 "cross_site_request" {
        title: "Another site made this request",
        cause: "The request would change something with the session of a browser, and no page of this service made it: \
                Sec-Fetch-Site is not same-origin or, in older browsers, Origin is not the origin of PUBLIC_URL.",
        cure: "Use the console at PUBLIC_URL. If you are there, check that PUBLIC_URL is the address in the address bar. \
               Programs use an API key or an ID token instead of a cookie.",
    }
    SignInRefused = 403 "sign_in_refused" {
        title: "The sign-in was refused",
        cause: "The identity provider refused the sign-in, or its answer is not valid. The log of the service has the \
                reason, under the requestId.",
        cure: "Sign in again. If it is refused again, send the requestId to the operator.",
    }
    NotLocal = 403 "not_local" {
        title: "Only this machine may change webhooks here",
        cause: "gatepost dev sends webhooks to the machine that it runs on. It therefore changes webhooks only for \
                requests to a loopback address that no proxy has forwarded.",
        cure: "Call the service directly, such as at http://127.0.0.1:8080. To serve other machines, run gatepost \
               serve.",
    }
    OrganizationUnreadable = 403 "organization_unreadable" {
        title: "The organizations of the user cannot be read",
        cause: "The claim of the ID token that OIDC_ORGANIZATION_CLAIM or OIDC_ROLE_CLAIM names is not a string, a list of \
                strings or an object, names more than 200 organizations, or has an id that is empty, too long, or contains \
                control characters. For a session, that was so at the sign-in, or the ids had more than 8 KiB together.",
        cure: "Ask the operator to compare the two settings with an ID token of the identity provider. Calls that name no \
               organization work if DEFAULT_OWNER is user.",
    }
    OrganizationRoleExpired = 403 "organization_role_expired" {
        title: "Sign in again to act for the organization",
        cause: "The session has the organizations and roles that its user had at the sign-in, and SESSION_ROLE_MAX_AGE has \
                passed since. Calls for the user go on.",
        cure: "Sign in again, at /console/login. The console does so when it shows this error.",
    }
    OtherOwner = 403 "other_owner" {
        title: "The credential is another owner's",
        cause: "The query names an organization, and the API key or the session of the visitor belongs to another \
                organization or to a user. Such a credential acts for its owner only.",
        cure: "Leave organization out of the query, or use a key of the organization.",
    }
    OwnerSuspended = 403 "owner_suspended" {
        title: "The owner is suspended",
        cause: "The operator has suspended the user of the ID token, or the organization for which the call is made. Keys and \
                sessions of a suspended owner are refused as unknown ones, and nothing is sent to its webhooks.",
        cure: "Ask the operator of the service why. When the owner is active again, everything works as before, and \
               deliveries that have waited are sent.",
    }
    KeyNotOwned = 403 "key_not_owned" {
        title: "The API key belongs to another owner",
        cause: "The keyId belongs to a user or an organization that the call is not for.",
        cure: "Call for the owner of the key, or use a keyId from the list of the owner's keys.",
    }
    OrganizationNotFound = 404 "organization_not_found" {
        title: "The caller is in no organization with this id",
        cause: "The ID token or the sign-in of the session does not say that the user is a member of the organization that \
                the query names. The organization may not exist.",
        cure: "Compare organization with the claims of the ID token. If the user became a member a short time ago, get a new \
               ID token, or sign in again.",
    }
    KeyNotFound = 404 "key_not_found" {
        title: "No API key with this id",
        cause: "There is no key with this keyId. It may be mistyped, or the key ended long ago and was deleted.",
        cure: "Copy the id from the list of keys. The preview (prefix) and the full key are not ids.",
    }
    SessionNotFound = 404 "session_not_found" {
        title: "No session with this id",
        cause: "The user has no session with this id. It may be mistyped, the session may have ended already, or it may \
                belong to another user.",
        cure: "Copy the id from the list of sessions.",
    }
    SubscriptionNotFound = 404 "subscription_not_found" {
        title: "No webhook subscription with this id",
        cause: "The caller has no subscription with this id. It may be mistyped, the subscription may have been \
                deleted, or it may belong to another user.",
        cure: "Copy the id from the list of subscriptions, and use a credential of the user who created the \
               subscription.",
    }
    ConsumerNotFound = 404 "consumer_not_found" {
        title: "The subscription has no consumer with this name",
        cause: "No call has used the name, the consumer was deleted, or the subscription is not one of the caller's that are \
                pulled.",
        cure: "Compare the id and the name with the list of the subscription's consumers.",
    }
    DeliveryNotFound = 404 "delivery_not_found" {
        title: "No delivery with this id",
        cause: "The caller has no delivery with this id. It may be mistyped, the delivery may be older than \
                WEBHOOK_RETENTION_DAYS and deleted, or it may belong to another user.",
        cure: "Copy the id from the list of deliveries, and use a credential of the user who created the \
               subscription.",
    }
    EventNotFound = 404 "event_not_found" {
        title: "No event with this id",
        cause: "No event has this id. It may be mistyped, or the event may be older than WEBHOOK_RETENTION_DAYS and deleted.",
        cure: "Copy the id from the list of events.",
    }
    EventTypeNotFound = 404 "event_type_not_found" {
        title: "No such event type",
        cause: "The catalogue has no event type with this name, or it is hidden or archived and the caller is not an operator.",
        cure: "Check the name, which is case-sensitive. In a path, write / as %2F.",
    }
    CommandLineSignInOff = 404 "command_line_sign_in_off" {
        title: "Command lines cannot sign in here",
        cause: "The service has no client of the identity provider with which gatepost login could sign a person in: \
                OIDC_CLI_CLIENT_ID is not set.",
        cure: "Get an ID token in another way and paste it to gatepost login --id-token. Or ask the operator to set \
               OIDC_CLI_CLIENT_ID.",
    }
    NotFound = 404 "not_found" {
        title: "There is nothing at this path",
        cause: "The API has no endpoint with this path.",
        cure: "Compare the path with the paths in /docs. Paths have no version and no trailing slash.",
    }
    MethodNotAllowed = 405 "method_not_allowed" {
        title: "The method is not allowed here",
        cause: "The path exists, but does not support this method.",
        cure: "Use one of the methods in the Allow header.",
    }
    KeyNotRotatable = 409 "key_not_rotatable" {
        title: "The API key cannot be rotated",
        cause: "The key is revoked, has expired, is disabled, or was rotated before. Or the user already has the maximum number \
                of keys that are being replaced.",
        cure: "Rotate the key that replaced it, or create a new key. Revoke keys that were replaced and are no \
               longer used.",
    }
    KeyNotChangeable = 409 "key_not_changeable" {
        title: "The API key cannot be changed",
        cause: "The key is revoked or has expired.",
        cure: "Create a new key.",
    }
    OwnerErasing = 409 "owner_erasing" {
        title: "The owner is being erased",
        cause: "An erasure has begun for this user or organization. It cannot be undone.",
        cure: "Wait until the record has the state active again: then nothing of the owner is left, and a new key or sign-in \
               starts again.",
    }
    SecretOverlapping = 409 "secret_overlapping" {
        title: "The secret was rotated recently",
        cause: "The overlap of the previous rotation is not over: receivers may know only the previous secret, which \
                another rotation would delete. The detail says when the overlap ends.",
        cure: "If the answer of that rotation was lost, repeat it with the same Idempotency-Key, or with the same \
               secret. Without a key, send the secret that your receivers know with overlapSeconds 0, then rotate \
               again. To end the old secrets at once, rotate with overlapSeconds 0.",
    }
    SubscriptionDisabled = 409 "subscription_disabled" {
        title: "The subscription is disabled",
        cause: "The owner or the service disabled the subscription, or the subscription was deleted. The service \
                sends nothing to it.",
        cure: "Read the reason in the subscription's health. Enable the subscription (PATCH with enabled true), or \
               recover it, which also retries failed deliveries.",
    }
    SubscriptionPulled = 409 "subscription_pulled" {
        title: "The events of the subscription are pulled",
        cause: "The subscription has the type pull: readers fetch its events. The service makes no deliveries and no \
                signatures for it.",
        cure: "To test it, publish an event that it matches, and receive the event. To enable it, use PATCH with enabled \
               true.",
    }
    ConsumerLeased = 409 "consumer_leased" {
        title: "Another reader has events of this consumer",
        cause: "A reader has received events of this consumer and has not committed them, and its lease has not ended.",
        cure: "Try again when the lease has ended; the detail says when. To read at the same time, use another consumer, \
               which gets all events too.",
    }
    LeaseLost = 409 "lease_lost" {
        title: "The lease has ended",
        cause: "The lease had ended and another call has received the events since, or the consumer was moved or deleted, or \
                this lease was committed with another event.",
        cure: "Do not commit. Receive again: events that were not committed come again. If handling takes longer than the \
               lease, raise leaseSeconds or receive fewer events.",
    }
    EventTooOld = 409 "event_too_old" {
        title: "The event is too old to be delivered again",
        cause: "The service would delete the event (WEBHOOK_RETENTION_DAYS) before another run of the retry schedule \
                ends.",
        cure: "Ask the publisher to publish the event again, with another id.",
    }
    EventConflict = 409 "event_conflict" {
        title: "The id belongs to another event",
        cause: "An event with this id was published for this user before, with another type or other data. The \
                service compares data byte for byte. It accepted nothing of the request; errors names the event.",
        cure: "Use a different id for each event. To repeat an event, send exactly the same bytes.",
    }
    SchemaBreaks = 409 "schema_breaks" {
        title: "The change of the schema breaks what was good before",
        cause: "The new schema refuses data that the schema before allowed, or lacks a property. The detail names the first place.",
        cure: "Add optional properties instead of required ones, and keep types and listed values. Publish a new event \
               type for a change that breaks, or repeat the call with force true when publishers and receivers are ready.",
    }
    CursorExpired = 410 "cursor_expired" {
        title: "The log does not continue at this place",
        cause: "The reader is more than WEBHOOK_RETENTION_DAYS behind, and the service has deleted its next events. Or \
                the database was restored from a backup, and the events before the cursor are not in the log any more.",
        cure: "A consumer continues after a seek to start. A reader with its own cursor continues with oldestCursor. \
               Deleted events are lost for it. After a restore it reads the other events again.",
    }
    PortalLinkSpent = 410 "portal_link_spent" {
        title: "The link does not work any more",
        cause: "The link was used before, is older than five minutes, or is not complete. A link opens the console once.",
        cure: "Go back to the application that sent you here, and follow its link again.",
    }
    RequestTimeout = 408 "request_timeout" {
        title: "The request arrived too slowly",
        cause: "The body did not arrive within the time limit.",
        cure: "Send the request again, over a faster connection.",
    }
    PayloadTooLarge = 413 "payload_too_large" {
        title: "The body is too large",
        cause: "The body is larger than this path accepts, or the payload of an event is larger than \
                WEBHOOK_MAX_PAYLOAD_BYTES.",
        cure: "Send less. Publishing one event accepts the largest payload plus 16 KiB, a batch 8 MiB, a report of \
               leaks 256 KiB, a call of SCIM 64 KiB, every other call 16 KiB. Instead of large data, send a link to it.",
    }
    UnsupportedMediaType = 415 "unsupported_media_type" {
        title: "The media type is not supported",
        cause: "The Content-Type is missing or is not application/json, or the body is compressed. Introspection \
                also accepts application/x-www-form-urlencoded.",
        cure: "Send Content-Type: application/json, without Content-Encoding.",
    }
    EventInvalid = 422 "event_invalid" {
        title: "The data of an event breaks the schema of its type",
        cause: "The catalogue enforces a schema for the type of the event, and its data breaks the schema. errors names the \
                event, and faults has up to ten places. No event of the call was accepted.",
        cure: "Correct the data, or the schema in the catalogue. GET /api/event-types has the schemas.",
    }
    EventTypeUnknown = 422 "event_type_unknown" {
        title: "The catalogue does not have the type of an event",
        cause: "EVENT_TYPES is closed, and the type of the event is not in the catalogue, or is archived. errors names the \
                event. No event of the call was accepted.",
        cure: "Correct the type, or add it to the catalogue with PUT /api/operator/event-types.",
    }
    RateLimited = 429 "rate_limited" {
        title: "Too many requests",
        cause: "The API key or the user has used up a rate limit. RateLimit-Policy names the limit and says how many \
                calls it allows in how many seconds.",
        cure: "Wait the number of seconds in Retry-After. Spread the calls over time, or ask the operator for a \
               higher limit.",
    }
    TooManyCredentialFailures = 429 "too_many_credential_failures" {
        title: "Too many failed credentials from this address",
        cause: "Requests from this client address have sent credentials that are not valid, or sign-ins that were \
                refused, or have read public keys that do not exist, more often than CREDENTIAL_FAILURE_LIMIT allows. The \
                credential of this request is not valid either; a sign-in or a look-up was not tried.",
        cure: "Correct the credential. Valid credentials are accepted at once; with an invalid one, and before another \
               sign-in, wait the number of seconds in Retry-After.",
    }
    TooManyManualSends = 429 "too_many_manual_sends" {
        title: "Too many webhooks sent by hand",
        cause: "The user has recovered or tested subscriptions and retried deliveries, all together, more often than \
                MANUAL_SEND_LIMIT allows.",
        cure: "Wait the number of seconds in Retry-After. To repeat many deliveries, recover the subscription once; \
               failed deliveries are retried without a call until their schedule ends.",
    }
    InternalError = 500 "internal_error" {
        title: "Internal error",
        cause: "Something failed inside the service. The details are in the log of the service, under the requestId.",
        cure: "Try again later. If the error persists, send the requestId to the operator.",
    }
    Unavailable = 503 "unavailable" {
        title: "The service is temporarily unavailable",
        cause: "The service cannot reach the database or the identity provider, one of them is too slow, or the \
                service is shutting down. This error says nothing about the credential.",
        cure: "Send the request again after the number of seconds in Retry-After. After a failed creation, list the \
               keys or subscriptions first, because the creation may have succeeded. Publish an event again with the \
               same id.",
    }
    TestNotSent = 503 "test_not_sent" {
        title: "The test was not sent",
        cause: "This instance already tests as many URLs as it can at a time (64), or it cannot open a connection. This \
                error says nothing about the receiver.",
        cure: "Test the URL again after the number of seconds in Retry-After.",
    }
    TooManyStreams = 503 "too_many_streams" {
        title: "Too many event streams are open, or too many calls wait for events",
        cause: "The user, or all users together, have the maximum number of event streams open, or of calls that wait for \
                pulled events, on this instance.",
        cure: "Close unused streams, and try again after the number of seconds in Retry-After. One stream \
               reports the attempts of all subscriptions. A reader may receive without wait.",
    }
}

impl ErrorCode {
    /// The documentation of the code.
    pub(crate) fn entry(self) -> &'static ErrorEntry {
        &ENTRIES[self as usize]
    }

    /// The code for an error response that the framework made with this status.
    pub(crate) fn of_status(status: u16) -> Self {
        match status {
            404 => Self::NotFound,
            405 => Self::MethodNotAllowed,
            408 => Self::RequestTimeout,
            413 => Self::PayloadTooLarge,
            415 => Self::UnsupportedMediaType,
            503 => Self::Unavailable,
            500.. => Self::InternalError,
            _ => Self::BadRequest,
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.entry().code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_of_the_framework_has_a_code_of_that_status() {
        for status in [404, 405, 408, 413, 415, 500, 503] {
            assert_eq!(ErrorCode::of_status(status).entry().status, status);
        }
    }
}
