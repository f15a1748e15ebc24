use std::sync::Arc;
use std::time::Duration;

use domain::catalogue::Catalogue;
use tokio_util::sync::CancellationToken;

/// How often the changes of other instances are read.
const INTERVAL: Duration = Duration::from_secs(1);

/// Follows the changes of the catalogue of event types, until `stop` is cancelled. While the database does not answer, the
/// types that were read last count.
pub async fn follow_catalogue(catalogue: Arc<Catalogue>, stop: CancellationToken) {
    let follow = async {
        let mut was_followed = true;
        loop {
            let followed = catalogue.follow().await;
            if let (Err(error), true) = (&followed, was_followed) {
                let error: &dyn std::error::Error = error;
                tracing::warn!(error, "cannot read the catalogue of event types; the types that were read last count");
            }
            was_followed = followed.is_ok();
            tokio::time::sleep(INTERVAL).await;
        }
    };
    let _: Option<()> = stop.run_until_cancelled(follow).await;
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;
    use domain::audit::Origin;
    use domain::catalogue::{EventTypeSettings, PublicationRefusal, PutEventType, UncataloguedTypes};
    use domain::memory::{ManualClock, MemoryEventTypes, SeededEntropy};
    use domain::ports::{EventTypes, InvalidPayloadSchema, PayloadSchema, PayloadSchemas, SchemaBreak};
    use domain::webhooks::EventType;

    use super::*;

    struct NoSchemas;

    #[async_trait::async_trait]
    impl PayloadSchemas for NoSchemas {
        async fn compile(&self, _: &str) -> Result<Arc<dyn PayloadSchema>, InvalidPayloadSchema> {
            Err(InvalidPayloadSchema("no schema is taken".to_owned()))
        }

        fn first_break(&self, _: &str, _: &str) -> Option<SchemaBreak> {
            None
        }

        fn are_same(&self, one: &str, other: &str) -> bool {
            one == other
        }
    }

    fn catalogue(store: &Arc<MemoryEventTypes>) -> Arc<Catalogue> {
        let clock = Arc::new(ManualClock::new(Timestamp::from_unix_millis(1_795_225_323_120).unwrap()));
        let (types, entropy) = (Arc::clone(store) as Arc<dyn EventTypes>, Arc::new(SeededEntropy::new(1)));
        Arc::new(Catalogue::new(types, Arc::new(NoSchemas), clock, entropy, UncataloguedTypes::Closed))
    }

    #[tokio::test(start_paused = true)]
    async fn changes_of_others_count_within_two_seconds() {
        let store = Arc::new(MemoryEventTypes::default());
        let (own, other) = (catalogue(&store), catalogue(&store));
        let stop = CancellationToken::new();
        let following = tokio::spawn(follow_catalogue(Arc::clone(&own), stop.clone()));
        tokio::time::sleep(INTERVAL * 3).await;
        let name = EventType::parse("invoice.paid").unwrap();
        let put = PutEventType { name: name.clone(), settings: EventTypeSettings::default(), force: false };
        other.put(&put, &Origin::SERVICE).await.unwrap();
        let check = async || own.check([(&name, "1")].into_iter()).await;
        assert!(matches!(check().await, Err(PublicationRefusal::UnknownType { index: 0 })));
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(check().await.unwrap().is_empty());
        stop.cancel();
        following.await.unwrap();
    }
}
