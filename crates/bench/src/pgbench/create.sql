\set n :n + 1
\set user (:n * :clients + :client_id) % :users
\set id :client_id * 1000000 + :n
\startpipeline
BEGIN ISOLATION LEVEL READ COMMITTED;
INSERT INTO "key_owners" ("owner_issuer", "owner_subject") VALUES (:issuer, 'user-' || :user) ON CONFLICT ("owner_issuer", "owner_subject") DO UPDATE SET "owner_issuer" = excluded."owner_issuer" WHERE false;
SELECT COUNT(*) FROM "api_keys" WHERE (((("api_keys"."owner_issuer" = :issuer) AND ("api_keys"."owner_subject" = 'user-' || :user)) AND (("api_keys"."revoked_at" IS NULL) AND ("api_keys"."ends_at" > :at))) AND ("api_keys"."replaced_by" IS NULL));
\endpipeline
\startpipeline
INSERT INTO "api_keys" ("id", "digest", "owner_issuer", "owner_subject", "label", "prefix", "created_at", "last_used_at", "expires_at", "revoked_at", "scopes", "replaced_by") VALUES (decode(lpad(to_hex(:id::bigint), 32, '0'), 'hex'), sha256(int8send(:id::bigint)), :issuer, 'user-' || :user, 'bench', 'svc_live_0dc...', :at, NULL, NULL, NULL, '', NULL);
INSERT INTO "audit_events" ("id", "owner_issuer", "owner_subject", "actor", "actor_issuer", "actor_name", "means", "action", "target", "changes", "request_id", "address", "to_announce") VALUES (decode(lpad(to_hex(:id::bigint), 32, '0'), 'hex'), :issuer, 'user-' || :user, 'user', :issuer, 'user-' || :user, 'id_token', 'key.created', 'key_01m83771b6fc79fyzvsem' || :id, '[{"field":"label","after":"bench"}]', 'a3c32e2747d306c3acf4343a335c4b9b', '127.0.0.1', true);
--LIST--;
COMMIT;
\endpipeline
