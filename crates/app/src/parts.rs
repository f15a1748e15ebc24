use std::sync::Arc;

use adapters_http::Api;
use adapters_oidc::{OidcClient, OidcProvider};
use adapters_schemas::JsonSchemas;
use adapters_system::NameEntropy;
use anyhow::{Context, Result};
use domain::audit::Audit;
use domain::catalogue::Catalogue;
use domain::ports::SystemStatus;
use domain::sessions::{PortalLinks, Sessions, SignIn, SignInSettings};
use domain::webhooks::OperatorWebhook;
use domain::{Keys, LogControl, Owners, SealingKeys};
use verifier::{CredentialStores, OwnerStates, Verifier, VerifierSettings};
use zeroize::Zeroizing;

use crate::announcements::operator_webhook;
use crate::database::placement;
use crate::instance::Instance;
use crate::traces::TraceParts;
use crate::webhooks::WebhookParts;

/// The use cases and the engines of an instance, wired. None of them runs yet.
pub(crate) struct Parts {
    pub(crate) verifier: Arc<Verifier>,
    keys: Keys,
    owners: Owners,
    pub(crate) owner_states: Arc<OwnerStates>,
    pub(crate) sessions: Sessions,
    sign_in: SignIn,
    portal_links: PortalLinks,
    audit: Audit,
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) webhooks: WebhookParts,
    /// The webhook of the operator, if one is configured.
    pub(crate) operator_webhook: Option<OperatorWebhook>,
    pub(crate) traces: TraceParts,
}

impl Parts {
    /// Wires the parts. Opens no connection.
    ///
    /// # Errors
    ///
    /// When a setting is missing or cannot be used, or TLS cannot be set up.
    pub(crate) fn of(instance: &Instance) -> Result<Self> {
        let verifier = verifier(instance);
        let sessions = sessions(instance, &verifier);
        let owner_states = verifier.owner_states(Arc::clone(&instance.store.owners));
        let owners = owners(instance, &owner_states);
        let traces = TraceParts::new(&instance.configuration, &instance.clock)?;
        let catalogue = catalogue(instance);
        let webhooks = WebhookParts::new(instance, &catalogue, traces.tracer.clone())?;
        Ok(Self {
            keys: keys(instance, &verifier),
            owner_states,
            sign_in: sign_in(instance, &sessions, &owners, &webhooks.sealing_keys)?,
            owners,
            portal_links: PortalLinks::new(sessions.clone(), Arc::clone(&webhooks.sealing_keys)),
            audit: audit(instance),
            catalogue,
            operator_webhook: operator_webhook(&instance.configuration, &webhooks.use_cases)?,
            verifier,
            sessions,
            webhooks,
            traces,
        })
    }

    /// The use cases for the endpoints.
    pub(crate) fn into_api(self, instance: &Instance, system: Arc<dyn SystemStatus>) -> Api {
        Api {
            keys: self.keys,
            owners: self.owners,
            owner_states: self.owner_states,
            notes_sign_ins: instance.configuration.owner_seen_within_days.is_some(),
            log: LogControl::new(Arc::new(instance.log.clone()), self.audit.clone()),
            audit: self.audit,
            sessions: self.sessions,
            catalogue: self.catalogue,
            sign_in: self.sign_in,
            command_line_client: instance.configuration.oidc_cli_client_id.clone(),
            portal_links: self.portal_links,
            operators_sign_in: instance.configuration.operators_sign_in(),
            verifier: self.verifier,
            system,
            webhooks: self.webhooks.use_cases,
            identity: Arc::clone(&instance.identity) as _,
            issuer: instance.issuer.clone(),
            default_owner: instance.configuration.default_owner,
            session_role_max_age: instance.configuration.session_role_max_age,
            operator_tokens: instance.operator_tokens.clone(),
            readiness: vec![
                ("database", Arc::clone(&instance.store.readiness)),
                ("identity-provider", Arc::clone(&instance.identity) as _),
            ],
            clock: Arc::clone(&instance.clock),
            entropy: Arc::new(NameEntropy),
            tracer: self.traces.tracer,
        }
    }
}

fn verifier(Instance { configuration, store, clock, .. }: &Instance) -> Arc<Verifier> {
    let key_policy = configuration.key_policy.clone();
    let settings = VerifierSettings { key_policy, ..configuration.verifier.clone() };
    let members = configuration.organization_keys_end_with_member.then(|| Arc::clone(&store.owners));
    let stores = CredentialStores { keys: store.keys.clone(), sessions: store.sessions.clone(), members };
    Verifier::new(stores, store.changes.clone(), Arc::clone(clock), settings)
}

fn keys(Instance { configuration, store, clock, entropy, .. }: &Instance, verifier: &Arc<Verifier>) -> Keys {
    let (policy, usage) = (configuration.key_policy.clone(), Arc::clone(verifier) as _);
    Keys::new(verifier.key_stores(), Arc::clone(&store.owners), usage, Arc::clone(clock), Arc::clone(entropy), policy)
        .with_placement(placement(store))
}

fn sessions(Instance { store, clock, entropy, .. }: &Instance, verifier: &Arc<Verifier>) -> Sessions {
    let usage = Arc::clone(verifier) as _;
    Sessions::new(verifier.session_stores(), usage, Arc::clone(clock), Arc::clone(entropy))
        .with_placement(placement(store))
}

fn owners(Instance { clock, entropy, .. }: &Instance, states: &Arc<OwnerStates>) -> Owners {
    Owners::new(Arc::clone(states) as _, Arc::clone(clock), Arc::clone(entropy))
}

fn audit(Instance { store, clock, entropy, .. }: &Instance) -> Audit {
    Audit::new(Arc::clone(&store.audit), Arc::clone(clock), Arc::clone(entropy))
}

fn catalogue(Instance { configuration, store, clock, entropy, .. }: &Instance) -> Arc<Catalogue> {
    let (types, schemas) = (Arc::clone(&store.event_types), Arc::new(JsonSchemas));
    Arc::new(Catalogue::new(types, schemas, Arc::clone(clock), Arc::clone(entropy), configuration.webhooks.event_types))
}

/// Signs people in at the provider whose tokens are accepted.
fn sign_in(instance: &Instance, sessions: &Sessions, owners: &Owners, keys: &Arc<SealingKeys>) -> Result<SignIn> {
    let Instance { configuration, identity, public_url, clock, entropy, .. } = instance;
    let id = configuration.sign_in_client_id().context("OIDC_AUDIENCE is required")?.to_owned();
    let secret = configuration.oidc_client_secret.as_ref().map(|secret| Zeroizing::new(secret.expose().to_owned()));
    let (operator_claim, wants_profile) = (configuration.operator_claim.clone(), configuration.owner_profile);
    let client = OidcClient { id, secret, operator_claim, wants_profile };
    let provider = OidcProvider::new(Arc::clone(identity), client);
    let redirect_uri = format!("{public_url}/console/callback");
    let settings = SignInSettings { redirect_uri, operators: configuration.operators.clone() };
    let system = (Arc::clone(clock), Arc::clone(entropy));
    let sign_in = SignIn::new(provider, sessions.clone(), Arc::clone(keys), settings, system);
    Ok(if configuration.owner_profile { sign_in.filling(owners.clone()) } else { sign_in })
}
