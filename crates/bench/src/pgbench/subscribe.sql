\set n :n + 1
\set user (:n * :clients + :client_id) % :users
\set id :client_id * 1000000 + :n
\set event 2000000000 + :id
\startpipeline
BEGIN ISOLATION LEVEL READ COMMITTED;
INSERT INTO "key_owners" ("owner_issuer", "owner_subject") VALUES (:issuer, 'user-' || :user) ON CONFLICT ("owner_issuer", "owner_subject") DO UPDATE SET "owner_issuer" = excluded."owner_issuer" WHERE false;
SELECT COUNT(*), count("webhook_subscriptions"."deleted_at") FROM "webhook_subscriptions" WHERE (("webhook_subscriptions"."owner_issuer" = :issuer) AND ("webhook_subscriptions"."owner_subject" = 'user-' || :user));
\endpipeline
\startpipeline
INSERT INTO "webhook_subscriptions" ("id", "owner_issuer", "owner_subject", "url", "events", "description", "status", "url_set_by", "secret", "previous_secret", "previous_secret_until", "created_at", "updated_at", "deleted_at") VALUES (decode(lpad(to_hex(:id::bigint), 32, '0'), 'hex'), :issuer, 'user-' || :user, 'https://example.com/bench', '*', '', 'enabled', NULL, decode(repeat('a5', 75), 'hex'), NULL, NULL, :at, :at, NULL);
INSERT INTO "webhook_lanes" ("subscription_id", "owner", "is_open", "wakes", "failures_in_a_row", "failing_since", "paused_until", "pause_millis") VALUES (decode(lpad(to_hex(:id::bigint), 32, '0'), 'hex'), -1326214523536356077 + :user, true, 0, 0, NULL, NULL, 0);
INSERT INTO "audit_events" ("id", "owner_issuer", "owner_subject", "actor", "actor_issuer", "actor_name", "means", "action", "target", "changes", "request_id", "address", "to_announce") VALUES (decode(lpad(to_hex(:event::bigint), 32, '0'), 'hex'), :issuer, 'user-' || :user, 'user', :issuer, 'user-' || :user, 'id_token', 'subscription.created', 'sub_01m83771b6fc79fyzvsem' || :id, '[{"field":"url","after":"https://example.com"},{"field":"events","after":"*"},{"field":"status","after":"enabled"}]', 'a3c32e2747d306c3acf4343a335c4b9b', '127.0.0.1', false);
INSERT INTO webhook_patterns (owner_issuer, owner_subject, pattern, subscription_id) SELECT :issuer, 'user-' || :user, unnest(ARRAY['*']), decode(lpad(to_hex(:id::bigint), 32, '0'), 'hex');
COMMIT;
\endpipeline
