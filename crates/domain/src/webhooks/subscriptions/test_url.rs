use std::sync::Arc;

use crate::OwnerId;
use crate::ports::Attempt;
use crate::webhooks::{
    AttemptRecord, Event, EventType, InvalidOptions, OptionsChange, PayloadTooLarge, PublishEvent, SigningSecret,
    TargetUrl, Webhooks,
};

/// A test of a URL without a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlTest {
    /// The event, which is not stored.
    pub event: Event,
    /// The only attempt to send it.
    pub attempt: AttemptRecord,
}

/// Why the test failed.
#[derive(Debug, thiserror::Error)]
pub enum TestUrlError {
    /// The payload of the test is larger than the policy allows.
    #[error(transparent)]
    TooLarge(#[from] PayloadTooLarge),
    /// The options do not fit together, or do not fit the URL.
    #[error(transparent)]
    Options(#[from] InvalidOptions),
    /// This service failed, or sends as many tests as it can. The receiver may be well.
    #[error("the test could not be sent")]
    NotSent,
}

impl Webhooks {
    /// Sends one event of the type `webhook.test` to `url` and waits for the answer. Stores nothing, and repeats
    /// nothing. The request is signed with `secret`, or with one that is made for this test, and has the headers and the
    /// client certificate of `options`.
    ///
    /// # Errors
    ///
    /// See [`TestUrlError`].
    pub async fn test_url(
        &self,
        owner: &OwnerId,
        url: TargetUrl,
        secret: Option<SigningSecret>,
        options: &OptionsChange,
    ) -> Result<UrlTest, TestUrlError> {
        let (started_at, headers) = (self.clock.now(), options.request_headers(&url)?);
        let request = PublishEvent { owner: owner.clone(), event_type: EventType::of_tests(), data: "{}", id: None };
        let event = self.compose(request, None, started_at)?.event;
        let secret = secret.unwrap_or_else(|| SigningSecret::generate(&*self.entropy));
        let attempt = Attempt {
            url,
            event_id: event.id,
            payload: event.payload.clone(),
            signers: Arc::new([secret.into()]),
            headers,
            sequence: None,
            at: self.clock.world_time(),
            trace: None,
        };
        let outcome = self.tester.send(attempt).await;
        let attempt = AttemptRecord::of(1, started_at, self.clock.now().since(started_at), &outcome);
        Ok(UrlTest { event, attempt: attempt.ok_or(TestUrlError::NotSent)? })
    }
}
