\set n :n + 1
\set user (:n * :clients + :client_id) % :users
\set id :client_id * 1000000 + :n
\startpipeline
BEGIN ISOLATION LEVEL READ COMMITTED;
UPDATE "api_keys" SET "revoked_at" = coalesce("api_keys"."revoked_at", :at) WHERE ((("api_keys"."owner_issuer" = :issuer) AND ("api_keys"."owner_subject" = 'user-' || :user)) AND ("api_keys"."id" = decode(lpad(to_hex(:id::bigint), 32, '0'), 'hex')));
--LIST--;
COMMIT;
\endpipeline
