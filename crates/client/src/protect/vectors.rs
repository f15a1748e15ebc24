//! The vectors of `clients/conformance` for the verifier. The other vectors are in `tests/vectors`.

#[cfg(test)]
#[path = "../../tests/vectors/played.rs"]
mod played;

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, SystemTime};

    use futures_util::future::join_all;
    use serde::Deserialize;
    use serde_json::{Map, Value, json};
    use tokio::time::Instant;

    use super::played::{Answer, Played, cases};
    use crate::protect::clock::Mark;
    use crate::protect::{Caller, KeyVerifier, KeyVerifierSettings, Refusal, Scopes, Verdict, api_key_in};
    use crate::{Client, OperatorToken, Owner};

    const EPOCH: Duration = Duration::from_secs(1_795_225_323);

    /// Cases that depend on which key a full cache evicts, where this crate and the other clients differ.
    const CHOICE_OF_THE_CACHE: [&str; 1] = ["the cache of good keys is bounded"];

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Script {
        name: String,
        #[serde(default)]
        settings: Map<String, Value>,
        steps: Vec<Step>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Step {
        at_ms: u64,
        wall_ms: Option<i64>,
        gatepost: Option<Answer>,
        #[serde(default)]
        admit: String,
        #[serde(default)]
        scopes: String,
        times: Option<usize>,
        #[serde(default)]
        result: String,
        #[serde(default)]
        asked: usize,
    }

    /// A verifier, its clock and its Gatepost.
    struct Scene {
        keys: KeyVerifier,
        now: Arc<Mutex<Mark>>,
        start: Instant,
        service: Played,
    }

    impl Scene {
        async fn with(settings: KeyVerifierSettings) -> Self {
            let start = Instant::now();
            let now = Arc::new(Mutex::new(Mark { monotonic: start, wall: SystemTime::UNIX_EPOCH + EPOCH }));
            let service = Played::start().await;
            let client = Client::new(service.url()).unwrap().with_credential(OperatorToken::new("operator"));
            let clock = Arc::clone(&now);
            let keys = KeyVerifier::with_clock(client, settings, Arc::new(move || *clock.lock().unwrap()));
            Self { keys, now, start, service }
        }

        fn turn(&self, step: &Step) {
            let wall = SystemTime::UNIX_EPOCH + EPOCH;
            let wall_ms = step.wall_ms.unwrap_or_else(|| step.at_ms.try_into().unwrap());
            let apart = Duration::from_millis(wall_ms.unsigned_abs());
            let wall = if wall_ms < 0 { wall - apart } else { wall + apart };
            *self.now.lock().unwrap() = Mark { monotonic: self.start + Duration::from_millis(step.at_ms), wall };
        }

        async fn admit(&self, key: &str, scopes: &Scopes) -> Verdict {
            let presented = api_key_in(std::iter::empty(), std::iter::once(key.as_bytes()));
            self.keys.admit(presented, scopes).await
        }
    }

    fn settings(given: &Map<String, Value>) -> KeyVerifierSettings {
        // The machine may be busy, which is not an outage of Gatepost.
        let mut settings =
            KeyVerifierSettings { call_timeout: Duration::from_secs(20), ..KeyVerifierSettings::default() };
        for (name, value) in given {
            let value = value.as_u64().unwrap();
            let (time, count) = (Duration::from_millis(value), value.try_into().unwrap());
            match name.as_str() {
                "maxAgeMs" => settings.max_age = time,
                "trustMaxMs" => settings.trust_max = time,
                "refusedMaxAgeMs" => settings.refused_max_age = time,
                "keysMax" => settings.keys_max = count,
                "refusedMax" => settings.refused_max = count,
                _ => panic!("no setting is called {name}"),
            }
        }
        settings
    }

    fn word(verdict: &Verdict) -> &'static str {
        match verdict {
            Ok(_) => "ok",
            Err(Refusal::Missing) => "missing",
            Err(Refusal::Invalid) => "invalid",
            Err(Refusal::MissingScope(_)) => "missing_scope",
            Err(Refusal::RateLimited { .. }) => "rate_limited",
            Err(Refusal::Unavailable) => "unavailable",
        }
    }

    #[tokio::test]
    async fn verifier() {
        let vectors: Vec<Script> = cases("verifier.json");
        assert!(vectors.len() > 25, "{} vectors", vectors.len());
        for script in vectors.iter().filter(|script| !CHOICE_OF_THE_CACHE.contains(&script.name.as_str())) {
            let scene = Scene::with(settings(&script.settings)).await;
            for (number, step) in script.steps.iter().enumerate() {
                scene.turn(step);
                if let Some(answer) = &step.gatepost {
                    scene.service.answers(vec![answer.clone()]);
                    continue;
                }
                let scopes = Scopes::parse(&step.scopes);
                let calls = (0..step.times.unwrap_or(1)).map(|_| scene.admit(&step.admit, &scopes));
                for verdict in join_all(calls).await {
                    assert_eq!(word(&verdict), step.result, "{}, step {number}", script.name);
                }
                scene.keys.settle().await;
                assert_eq!(scene.service.requests(), step.asked, "{}, step {number}: questions", script.name);
            }
        }
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Introspected {
        name: String,
        answer: Value,
        caller: Value,
    }

    /// As the vectors write a caller: absent members are left out.
    fn written(caller: &Caller) -> Value {
        let (name, id) = match caller.owner() {
            Owner::User(id) => ("userId", id),
            Owner::Organization(id) => ("organizationId", id),
        };
        let scopes: Vec<&str> = caller.scopes().iter().collect();
        let mut value = json!({
            name: id, "issuer": caller.issuer(), "keyId": caller.key_id(), "label": caller.label(), "scopes": scopes,
            "metadata": caller.metadata(),
        });
        if let Some(member) = caller.created_by() {
            value["createdBy"] = json!(member);
        }
        value
    }

    #[tokio::test]
    async fn callers() {
        let vectors: Vec<Introspected> = cases("callers.json");
        for case in vectors {
            let scene = Scene::with(settings(&Map::new())).await;
            scene.service.answers(vec![Answer { body: case.answer, ..Answer::default() }]);
            match scene.keys.verify("k").await {
                Ok(caller) => assert_eq!(written(&caller), case.caller, "{}", case.name),
                Err(refusal) => {
                    assert_eq!((refusal, case.caller), (Refusal::Unavailable, Value::Null), "{}", case.name);
                }
            }
        }
    }
}
