use std::time::Duration;

use domain::ports::ReadinessCheck;
use tokio::time::{Instant, sleep};

use crate::finding::{Finding, chain};

/// How long the provider may take to answer.
const PATIENCE: Duration = Duration::from_secs(6);
/// The time between two looks at the keys.
const PAUSE: Duration = Duration::from_millis(50);

/// Checks that the identity provider publishes keys under `issuer`, the configured one. The caller must run the
/// verifier at the same time.
pub async fn check_identity(identity: &dyn ReadinessCheck, issuer: &str) -> Option<Finding> {
    let start = Instant::now();
    loop {
        let error = identity.check().await.err()?;
        if start.elapsed() > PATIENCE {
            return Some(Finding {
                check: "identity provider",
                what: chain(&error),
                why: "ID tokens are answered with 503, so nobody can create or revoke keys with them",
                cure: format!(
                    "`curl -sS {}/.well-known/openid-configuration` shows what the provider answers here; set OIDC_ISSUER \
                     to exactly its `issuer`",
                    issuer.trim_end_matches('/')
                ),
            });
        }
        sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use domain::ports::NotReady;

    use super::*;

    /// A provider that answers after a time.
    struct Answers(Instant);

    #[async_trait]
    impl ReadinessCheck for Answers {
        async fn check(&self) -> Result<(), NotReady> {
            let not_yet = NotReady { summary: "not yet", source: Some("no answer".into()) };
            if Instant::now() < self.0 { Err(not_yet) } else { Ok(()) }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_provider_has_six_seconds_to_answer() {
        let after = |seconds| Answers(Instant::now() + Duration::from_secs(seconds));
        assert_eq!(check_identity(&after(5), "https://id.example").await, None);
        let finding = check_identity(&after(7), "https://id.example/").await.expect("a finding");
        assert_eq!(finding.what, "not yet: no answer");
        assert!(finding.cure.contains("`curl -sS https://id.example/.well-known/openid-configuration`"), "{finding:?}");
    }
}
