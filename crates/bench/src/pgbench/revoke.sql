\set n :n + 1
\set user (:n * :clients + :client_id) % :users
\set id :client_id * 1000000 + :n
\set event 1000000000 + :id
\startpipeline
BEGIN ISOLATION LEVEL READ COMMITTED;
UPDATE "api_keys" SET "revoked_at" = :at WHERE ((("api_keys"."owner_issuer" = :issuer) AND ("api_keys"."owner_subject" = 'user-' || :user)) AND ("api_keys"."id" = decode(lpad(to_hex(:id::bigint), 32, '0'), 'hex'))) AND ("api_keys"."revoked_at" IS NULL);
SELECT "api_keys"."owner_issuer", "api_keys"."owner_subject", "api_keys"."id", "api_keys"."label", "api_keys"."prefix", "api_keys"."created_at", "api_keys"."last_used_at", "api_keys"."expires_at", "api_keys"."revoked_at", "api_keys"."scopes", "api_keys"."replaced_by", "api_keys"."digest" FROM "api_keys" WHERE ("api_keys"."id" = decode(lpad(to_hex(:id::bigint), 32, '0'), 'hex'));
--LIST--;
\endpipeline
\startpipeline
INSERT INTO credential_changes (writer, number, digest) SELECT :client_id, :n, digest FROM unnest(ARRAY[decode(lpad(to_hex(:id::bigint), 64, '0'), 'hex')]) AS digest WHERE NOT EXISTS (SELECT FROM key_owners LIMIT 0);
INSERT INTO "audit_events" ("id", "owner_issuer", "owner_subject", "actor", "actor_issuer", "actor_name", "means", "action", "target", "changes", "request_id", "address", "to_announce") VALUES (decode(lpad(to_hex(:event::bigint), 32, '0'), 'hex'), :issuer, 'user-' || :user, 'user', :issuer, 'user-' || :user, 'id_token', 'key.revoked', 'key_01m83771b6fc79fyzvsem' || :id, '[]', 'a3c32e2747d306c3acf4343a335c4b9b', '127.0.0.1', true);
SELECT 1 / (clock_timestamp() < now() + INTERVAL '4 seconds')::int;
COMMIT;
\endpipeline
