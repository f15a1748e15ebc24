use adapters_http::ScimSubject;
use adapters_oidc::{ClaimPointer, OidcSettings, OidcVerifier, OperatorClaim, TokenKind};
use adapters_system::Secret;
use adapters_web::PortalColor;
use domain::organizations::DefaultOwner;
use domain::sessions::SESSION_ROLE_AGE_MAX;
use url::Url;

use super::{Form, Setting, flag, form, list, masked, not_empty, number, one, optional, seconds, url, whole, word};

/// The longest name, in characters, so that it fits next to the logo.
const NAME_LENGTH_MAX: usize = 40;
/// The form of `ORGANIZATION_ROLES`.
const ROLES: &str = "roles and their capabilities, such as admin=keys+webhooks, dev=webhooks+keys:read, *=keys:read";

/// The accepted ID tokens.
pub(super) fn identity() -> Vec<Setting> {
    vec![
        optional("OIDC_ISSUER", |all| &mut all.oidc_issuer, issuer())
            .doc("The identity provider whose ID tokens are accepted, exactly as its tokens have it in `iss`.")
            .doc("`serve` requires it; `dev` has its own provider."),
        list("OIDC_AUDIENCE", |all| &mut all.oidc_audiences, some("audiences"))
            .doc("The audience for which an ID token must be issued (`aud`): usually your client id at the provider.")
            .doc("Can be a list."),
        list("OIDC_CLIENT_ID", |all| &mut all.oidc_client_ids, some("client ids"))
            .doc("The clients of the provider whose tokens are accepted: `azp` must be one of them, or, in a token")
            .doc("without `azp`, the only `aud`.")
            .doc("Set it if other clients of the provider can get tokens with your audience.")
            .doc("See [identity providers](operations/start.md#identity-providers).")
            .doc("People [sign in](console.md) with the first one or, if there is none, with the first audience.")
            .when_unset("every client"),
        whole("OIDC_TOKENS", |all| &mut all.oidc_tokens, token_kinds(), not_none, Vec::clone)
            .doc("The kinds of tokens that callers may present in place of API keys. `access` accepts [access")
            .doc("tokens](organizations.md#access-tokens) of RFC 9068 (`typ` is `at+jwt`). People sign in with ID tokens")
            .doc("alone."),
    ]
}

/// The organizations that users belong to.
pub(super) fn organizations() -> Vec<Setting> {
    vec![
        optional("OIDC_ORGANIZATION_CLAIM", |all| &mut all.organization_claims.organizations, claim())
            .doc("Where an ID token names the [organizations](organizations.md) of its user: a string, a list of")
            .doc("strings, or an object whose keys are the ids. At most 200.")
            .when_unset("no organizations"),
        optional("OIDC_ROLE_CLAIM", |all| &mut all.organization_claims.roles, claim())
            .doc("Where an ID token names the [roles](organizations.md#roles) of its user, in the same forms.")
            .when_unset("members have no roles"),
        one("ORGANIZATION_ROLES", |all| &mut all.organization_claims.rights, form(ROLES, |text| text.parse().ok()))
            .doc(
                "What each [role](organizations.md#roles) may do in its organization: `keys` and `webhooks` to change,",
            )
            .doc("`keys:read` and `webhooks:read` to see. `*` is for members without a role that has a name here."),
        one("ORGANIZATION_KEYS_END_WITH_MEMBER", |all| &mut all.organization_keys_end_with_member, flag())
            .doc("Whether a key of an organization is refused while the member who made it is suspended, and revoked when")
            .doc("the member is [erased](hosts.md#keys-that-members-made)."),
        one("DEFAULT_OWNER", |all| &mut all.default_owner, default_owner())
            .doc("The owner for whom a call with an ID token acts if it names no organization: the user, or the user's")
            .doc("organization if the ID token names exactly one. The console begins with the same owner."),
        one("SESSION_ROLE_MAX_AGE", |all| &mut all.session_role_max_age, seconds(10..=SESSION_ROLE_AGE_MAX.as_secs()))
            .doc("How many seconds after a sign-in a [session](organizations.md#sessions) acts for the organizations of")
            .doc("its user. A member whom the provider has removed keeps access for this time."),
    ]
}

/// Signing in.
pub(super) fn sign_in() -> Vec<Setting> {
    vec![
        optional("OIDC_CLIENT_SECRET", |all| &mut all.oidc_client_secret, client_secret())
            .doc("The secret of the client that people [sign in](console.md) with, if the provider gave it one.")
            .doc("Without it the client is public, and PKCE alone protects the sign-in.")
            .when_unset("a public client"),
        optional("OIDC_CLI_CLIENT_ID", |all| &mut all.oidc_cli_client_id, form("a client id", not_empty))
            .doc("The public client of the provider with which [`gatepost login`](cli.md#sign-in-with-a-browser)")
            .doc("signs people in, and whose ID tokens are accepted. Everybody may read it.")
            .doc("It must not be the client that has `OIDC_CLIENT_SECRET`.")
            .when_unset("command lines cannot sign in"),
        list("OPERATORS", |all| &mut all.operators, some("subjects"))
            .doc("The subjects (`sub`) of the users who get the role of operators when they [sign")
            .doc("in](console.md#operators)."),
        optional("OPERATOR_CLAIM", |all| &mut all.operator_claim, form(OperatorClaim::ALLOWED, OperatorClaim::parse))
            .doc("The claim of the ID token that makes its user an operator: the claim has the value, or is a list")
            .doc("with the value. If the provider has a scope with the name of the claim, it is requested."),
        one("OWNER_PROFILE", |all| &mut all.owner_profile, word(&[("on", true), ("off", false)]))
            .doc("Whether a sign-in fills the [name and the e-mail address](hosts.md#what-you-set-for-a-customer) of its user")
            .doc("from the ID token, where the host has set none. `off` requests and stores neither."),
        optional("OWNER_SEEN_WITHIN_DAYS", |all| &mut all.owner_seen_within_days, number(30..=3650))
            .doc("The number of days without a sign-in after which a user is [suspended](hosts.md#absent-users), with all keys.")
            .when_unset("absent users are not suspended"),
        optional("SCIM_SUBJECT", |all| &mut all.scim_subject, scim_subject())
            .doc("The attribute of [SCIM](scim.md) that is the subject (`sub`) of ID tokens: with it, the identity provider")
            .doc("says at `/scim/v2` which users may act.")
            .when_unset("no SCIM"),
    ]
}

/// The portal.
pub(super) fn portal() -> Vec<Setting> {
    vec![
        optional("PORTAL_NAME", |all| &mut all.portal.name, name())
            .doc("The name of your application, which visitors who come by a [portal link](console.md#portal-links)")
            .doc("see instead of Gatepost.")
            .when_unset("Gatepost"),
        optional("PORTAL_LOGO", |all| &mut all.portal.logo, svg())
            .doc("The logo that these visitors see, an SVG image.")
            .doc("Usually a file that `PORTAL_LOGO_FILE` names, of at most 64 KiB.")
            .when_unset("that of Gatepost"),
        optional("PORTAL_COLOR", |all| &mut all.portal.color, form(PortalColor::ALLOWED, PortalColor::parse))
            .doc("The colour of links and buttons that these visitors see.")
            .doc("Dark pages use a lighter shade.")
            .when_unset("that of Gatepost"),
        list("PORTAL_FRAME_ANCESTORS", |all| &mut all.portal.frame_ancestors, web_origins())
            .doc("Origins whose pages may show the portal [in a frame](console.md#in-a-frame).")
            .doc("Other pages of the service may not be in a frame."),
    ]
}

fn some(what: &str) -> Form<String> {
    form(format!("one or more {what}, separated by commas"), not_empty)
}

/// Kept byte for byte, because `iss` must equal it: a slash at the end counts. The verifier knows which URLs are safe.
fn issuer() -> Form<String> {
    url("the issuer's URL: https, or http on a loopback host; without user, query and fragment", |text| {
        OidcVerifier::new(OidcSettings::new(text.to_owned(), Vec::new())).is_ok().then(|| text.to_owned())
    })
}

fn not_none(kinds: Vec<TokenKind>) -> Option<Vec<TokenKind>> {
    (!kinds.is_empty()).then_some(kinds)
}

fn token_kinds() -> Form<TokenKind> {
    Form::new("id, access or both, separated by commas", TokenKind::of_name, |kind| kind.name().to_owned())
}

fn claim() -> Form<ClaimPointer> {
    form(ClaimPointer::ALLOWED, ClaimPointer::parse)
}

fn default_owner() -> Form<DefaultOwner> {
    word(&[("user", DefaultOwner::User), ("organization", DefaultOwner::Organization)])
}

fn scim_subject() -> Form<ScimSubject> {
    word(&[("externalId", ScimSubject::ExternalId), ("userName", ScimSubject::UserName)])
}

fn client_secret() -> Form<Secret> {
    masked("the client secret, without line breaks", |text| {
        (!text.chars().any(char::is_control)).then(|| Secret::new(text))
    })
}

fn name() -> Form<String> {
    form(format!("1 to {NAME_LENGTH_MAX} characters without line breaks"), |text| {
        let is_short = (1..=NAME_LENGTH_MAX).contains(&text.chars().count());
        (is_short && text.trim() == text && !text.chars().any(char::is_control)).then(|| text.to_owned())
    })
}

/// An SVG image, recognized by its element; browsers check the rest.
fn svg() -> Form<String> {
    let parse = |text: &str| {
        let is_image = text.trim_start().starts_with('<') && text.contains("<svg") && text.contains("</svg>");
        is_image.then(|| text.to_owned())
    };
    Form::new("an SVG image", parse, |_| "an SVG image".to_owned())
}

/// The origins of pages, as browsers send them.
pub(super) fn web_origins() -> Form<String> {
    let allowed = "origins such as https://app.example.com, separated by commas: scheme, host and port only, without * \
                   and without a slash at the end";
    form(allowed, |text| {
        let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        (url.origin().ascii_serialization() == text).then(|| text.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_logos_are_what_they_say() {
        assert_eq!((name().parse)("Acme Müller & Co."), Some("Acme Müller & Co.".into()));
        for wrong in ["", " Acme", "Ac\nme", &"a".repeat(41)] {
            assert_eq!((name().parse)(wrong), None, "{wrong:?}");
        }
        assert!((svg().parse)("<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>\n").is_some());
        for wrong in ["", "logo.svg", "<html></html>", "\u{89}PNG"] {
            assert_eq!((svg().parse)(wrong), None, "{wrong:?}");
        }
    }
}
