use domain::memory::SeededEntropy;
use domain::memory::unique_cause;
use domain::ports::{EventStore as _, RotateSecretRequest, SealedSecretStore as _, SubscriptionStore as _};
use domain::webhooks::SigningSecret;
use domain::{SealingKeys, SubscriptionId};

use crate::world::{alice, at, event, hexadecimal, instances, query, subscribe_as};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_database_holds_no_signing_secret() {
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let (stores, database) = instances(1).await;
    let (store, entropy) = (&stores[0], SeededEntropy::new(6));
    let keys = SealingKeys::new(vec![[7; 32].into()]).unwrap();
    let id = SubscriptionId::mint(at(0), &entropy);
    let secret = SigningSecret::parse(SECRET).unwrap().into();
    subscribe_as(store, id, &keys.seal(&secret, id, &entropy)).await;
    let other = keys.seal(&secret, id, &entropy);
    store
        .rotate_secret(&RotateSecretRequest {
            owner: alice(),
            id,
            of_kind: None,
            secret: other.clone(),
            previous_until: at(1_000),
            at: at(1),
            cause: unique_cause(),
        })
        .await
        .unwrap();
    store.publish(&[event(&entropy)]).await.unwrap();
    let (_, secrets) = store.list_secrets(None, 10).await.unwrap().remove(0);
    assert_eq!(
        keys.unseal(&secrets.current, id).unwrap().signer.secret().unwrap().expose(),
        SECRET,
        "the key unseals the secret"
    );

    let tables = query(&database, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'").await;
    let mut dump = String::new();
    for table in tables.lines() {
        dump += &query(&database, &format!("SELECT row_to_json(one)::text FROM {table} AS one")).await;
    }
    assert!(dump.contains("hooks.example") && dump.contains(&hexadecimal(other.as_bytes())), "the dump is complete");
    for form in [SECRET, "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
        assert!(!dump.contains(form) && !dump.contains(&hexadecimal(form.as_bytes())), "{form}");
    }
}
