use domain::SealingKeys;
use domain::memory::{SeededEntropy, unique_cause};
use domain::ports::{EventStore as _, RotateSecretRequest, SealedSecretStore as _, SubscriptionStore as _};
use domain::webhooks::SigningSecret;
use storage_conformance::requests::new_subscription_request;

use crate::world::{alice, at, event, hexadecimal, instance, query};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_database_holds_no_signing_secret() {
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let (store, database) = &instance().await;
    let keys = SealingKeys::new(vec![[7; 32].into()]).unwrap();
    let (secret, entropy) = (SigningSecret::parse(SECRET).unwrap().into(), SeededEntropy::new(6));
    let mut new = new_subscription_request(&alice());
    let id = new.subscription.id;
    new.secret = keys.seal(&secret, id, &entropy);
    store.insert_within(&new).await.unwrap();
    let other = keys.seal(&secret, id, &entropy);
    let rotation = RotateSecretRequest {
        owner: alice(),
        id,
        of_kind: None,
        secret: other.clone(),
        previous_until: at(1_000),
        at: at(1),
        cause: unique_cause(),
    };
    store.rotate_secret(&rotation).await.unwrap();
    store.publish(&[event()]).await.unwrap();
    let (_, secrets) = store.list_secrets(None, 10).await.unwrap().remove(0);
    let unsealed = keys.unseal(&secrets.current, id).unwrap();
    assert_eq!(unsealed.signer.secret().unwrap().expose(), SECRET, "the key unseals the secret");

    let tables = query(database, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'").await;
    let mut dump = String::new();
    for table in tables.lines() {
        dump += &query(database, &format!("SELECT row_to_json(one)::text FROM {table} AS one")).await;
    }
    assert!(dump.contains("hooks.example") && dump.contains(&hexadecimal(other.as_bytes())), "the dump is complete");
    for form in [SECRET, "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
        assert!(!dump.contains(form) && !dump.contains(&hexadecimal(form.as_bytes())), "{form}");
    }
}
