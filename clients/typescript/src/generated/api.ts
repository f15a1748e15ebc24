// Generated from docs/openapi.json: `npm run generate`.
export interface components {
    schemas: {
        /** An event type that an import changes. */
        AppliedEventType: {
            /** `created`, `changed` or `archived`. */
            change: string;
            /** The type of the events. */
            name: string;
        };
        /** An attempt that has ended. */
        Attempt: {
            /** The duration of the attempt in milliseconds. */
            durationMs: number;
            /** Why the attempt failed: `address_refused`, `dns`, `connect`, `tls`, `timeout`, `redirect`, `status`, `too_slow` or `no_token`; `null` after a success. */
            error: "address_refused" | "dns" | "connect" | "tls" | "timeout" | "redirect" | "status" | "too_slow" | "no_token" | null;
            /** The number of the attempt within its delivery, from 1. */
            number: number;
            /** The first 16 KiB of the answer's body as text. */
            response?: string;
            /** The headers of the answer to an attempt that failed, at most 2 KiB and without `set-cookie`. */
            responseHeaders?: components["schemas"]["Header"][];
            /** When the attempt started. */
            startedAt: string;
            /** The HTTP status of the receiver's answer; `null` when there was no answer. */
            status: number | null;
        };
        /** Attempts to deliver, by outcome. */
        AttemptCounts: {
            /** Attempts that a shutdown cut off. */
            cutOff: number;
            /** Attempts that delivered. */
            delivered: number;
            /** Attempts that the receiver failed. */
            failed: number;
            /** Attempts that Gatepost could not make. */
            notCharged: number;
        };
        /** How long attempts took, in milliseconds. */
        AttemptTimes: {
            /** How many attempts count. */
            attempts: number;
            /** Half of the attempts took no longer; `null` without an attempt. */
            p50Ms: number | null;
            /** 95 % of the attempts took no longer; `null` without an attempt. */
            p95Ms: number | null;
            /** Only attempts that ended after this time count. */
            since: string;
        };
        /** An actor. */
        AuditActor: {
            /** The user's id, or the name of the operator token. */
            id?: string;
            /** `user`, `operator` or `service`. */
            type: "user" | "operator" | "service";
        };
        /** A field before and after. */
        AuditChange: {
            /** After; absent if there is nothing. */
            after?: string;
            /** Before; absent if there was nothing. */
            before?: string;
            /** The field. */
            field: "label" | "scopes" | "expiresAt" | "metadata" | "rateLimit" | "successor" | "url" | "events" | "filter" | "description" | "headers" | "auth" | "maxPerSecond" | "onExhausted" | "clientCertificate" | "signing" | "status" | "health" | "consumer" | "position" | "activeKeys" | "deliveries" | "role" | "logFilter" | "name" | "email" | "maxActiveKeys" | "maxSubscriptions" | "keyRateLimit" | "requestRateLimit" | "reason" | "suspendsAt" | "eventType" | "schemaVersion" | "validation" | "visibility";
        };
        /** Who did what, how, when and from where. */
        AuditEvent: {
            /** What was done. */
            action: "key.created" | "key.changed" | "key.rotated" | "key.revoked" | "key.leaked" | "key.expiring" | "key.limit_reached" | "data.read" | "subscription.created" | "subscription.changed" | "subscription.deleted" | "subscription.secret_rotated" | "subscription.disabled" | "subscription.failing" | "subscription.recovered" | "subscription.certificate_expiring" | "consumer.moved" | "consumer.deleted" | "delivery.retried" | "delivery.cancelled" | "session.opened" | "session.ended" | "log.filter_changed" | "owner.changed" | "owner.suspending" | "owner.suspended" | "owner.activated" | "owner.erasing" | "owner.erased" | "event_type.changed";
            /** Who did it. */
            actor: components["schemas"]["AuditActor"];
            /** The address from which the request came. */
            address?: string;
            /** When it was done. */
            at: string;
            /** What changed, of what is not secret. */
            changes: components["schemas"]["AuditChange"][];
            /** Identifies the event. */
            id: string;
            /** Whose the target is, if it is an organization. */
            organizationId?: string;
            /** The id of the request. */
            requestId?: string;
            /** What it was done to. */
            target: components["schemas"]["AuditTarget"];
            /** Whose the target is, by the subject (`sub`); absent if it is an organization. */
            userId?: string;
            /** How the actor proved who they are. */
            via: components["schemas"]["AuditMeans"];
        };
        /** The means of an actor. */
        AuditMeans: {
            /** The id of the API key or the session, or the name of another means. */
            id?: string;
            /** `idToken`, `apiKey`, `session`, `operatorToken` or `service`; `other` for one of a later version. */
            type: string;
        };
        /** A page of the audit log. */
        AuditPage: {
            /** The events, newest first. */
            events: components["schemas"]["AuditEvent"][];
            /** The `cursor` of the next page; absent on the last page. */
            nextCursor?: string;
        };
        /** A target. */
        AuditTarget: {
            /** The id. */
            id?: string;
            /** `apiKey`, `subscription`, `delivery`, `session` or `event`; or `apiKeys`, `subscriptions`, `deliveries`, `sessions` or `events` for all of the user's; or `log` for the log of an instance; `other` for one of a later version. */
            type: string;
        };
        /** A user name and a password, in the header `authorization`. */
        BasicAuth: {
            /** The password: ASCII, without control characters; may be empty. */
            password: string;
            /** Always `basic`. */
            type: "basic";
            /** The user name: ASCII, without control characters and colons. */
            username: string;
        };
        /** A bearer token, in the header `authorization`. */
        BearerAuth: {
            /** The token: visible ASCII characters, without spaces. */
            token: string;
            /** Always `bearer`. */
            type: "bearer";
        };
        /** The code of a portal link. */
        BeginVisit: {
            /** The fragment of the link. */
            code: string;
        };
        /** The changes. */
        ChangeApiKey: {
            /** Whether the key is refused until it is enabled again. */
            disabled?: boolean;
            /** An earlier end of the key: RFC 3339, in the future. */
            expiresAt?: string;
            /** The ID token, if no header carries it. */
            idToken?: string;
            /** The new name of the key: 1 to 100 characters after trimming, no control characters. */
            label?: string;
            /** Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** How often the key may be used, such as `100/s`. */
            rateLimit?: string | null;
        };
        /** The changes. */
        ChangeApiKeyForOwner: {
            /** Whether the key is refused until it is enabled again. */
            disabled?: boolean;
            /** An earlier end of the key: RFC 3339, in the future. */
            expiresAt?: string;
            /** The new name of the key: 1 to 100 characters after trimming, no control characters. */
            label?: string;
            /** Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** How often the key may be used, such as `100/s`. */
            rateLimit?: string | null;
        };
        /** Which lines the log of this instance is to have. */
        ChangeLogFilter: {
            /** `error`, `warn`, `info`, `debug`, `trace` or `off`, and `target=level` for parts, separated by commas. */
            filter: string;
        };
        /** The changes. */
        ChangeOwner: {
            /** The e-mail address, for people. */
            email?: string | null;
            /** How often each key may be used, such as `100/s`, in place of `RATE_LIMIT`. */
            keyRateLimit?: string | null;
            /** The most active keys, in place of `API_KEYS_MAX_ACTIVE`. */
            maxActiveKeys?: number | null;
            /** The most subscriptions, in place of `WEBHOOK_MAX_SUBSCRIPTIONS`. */
            maxSubscriptions?: number | null;
            /** Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** The name, for people. */
            name?: string | null;
            /** How often the owner may call, with all credentials together, in place of `USER_RATE_LIMIT`. */
            requestRateLimit?: string | null;
        };
        /** The changes. */
        ChangeSubscription: {
            /** The authentication of each request. */
            auth?: components["schemas"]["BearerAuth"] | components["schemas"]["BasicAuth"] | components["schemas"]["HeaderAuth"] | components["schemas"]["OAuth2Auth"] | null;
            /** The certificate with which the service authenticates at a receiver that asks for one (mTLS). */
            clientCertificate?: components["schemas"]["ClientCertificate"] | null;
            /** The new description. */
            description?: string;
            /** Whether to send events. */
            enabled?: boolean;
            /** The new event types and patterns. */
            events?: string[];
            filter?: components["schemas"]["PayloadFilter"] | null;
            /** The headers to set, and with `null` those to remove. */
            headers?: {
                [key: string]: string | null;
            } | null;
            /** The most deliveries in a second, over all instances of the service, retries included: 0.1 (one in ten seconds) to 1,000, rounded to three decimal places. */
            maxPerSecond?: number | null;
            /** The rule of a subscription with an order for a delivery that has no attempts left: `skip` or `stop`. */
            onExhausted?: "skip" | "stop";
            /** The new URL. */
            url?: string;
        };
        /** The delivery after a change. */
        ChangedDelivery: {
            /** The delivery. */
            delivery: components["schemas"]["Delivery"];
        };
        /** The subscription after a change. */
        ChangedSubscription: {
            /** Which fields lost values that the call did not set, because the URL has another scheme, host or port: `headers`, `auth`, `clientCertificate`. */
            dropped?: string[];
            /** The subscription. */
            subscription: components["schemas"]["Subscription"];
        };
        /** The outcome of a readiness check. */
        CheckOutcome: {
            /** Why the check failed; absent when it passed. */
            detail?: string;
            /** The name of the check. */
            name: string;
            /** Whether the check passed. */
            status: components["schemas"]["CheckStatus"];
        };
        /** Whether a check passed. */
        CheckStatus: "ok" | "failed";
        /** The certificate with which the service authenticates in the TLS handshake, and its private key: ECDSA (P-256, P-384, P-521), Ed25519, or RSA of 2,048 to 8,192 bits. */
        ClientCertificate: {
            /** One to ten certificates in PEM: the client's certificate, and then the certificates of its issuers. */
            chain: string;
            /** The private key of the first certificate in PEM (PKCS #8, SEC 1 or PKCS #1), not encrypted. */
            key: string;
        };
        /** How a command line signs in at the identity provider. */
        CommandLineClient: {
            /** The client id. */
            clientId: string;
            /** The identity provider, as its ID tokens have it in `iss`. */
            issuer: string;
        };
        /** A commit of events. */
        CommitEvents: {
            /** The lease, from the answer with the events. */
            lease: string;
            /** The id of the last event that was handled. */
            through?: string | null;
        };
        /** A reader's place in the log of a subscription. */
        Consumer: {
            /** How many events are not committed. */
            lag: number;
            /** Until when a reader has leased events; absent if none has. */
            leasedUntil?: string;
            /** Its name. */
            name: string;
        };
        /** The consumers of a subscription. */
        Consumers: {
            /** The consumers, sorted by name. */
            consumers: components["schemas"]["Consumer"][];
        };
        /** The properties of the new key. */
        CreateApiKey: {
            /** When the key expires: RFC 3339, in the future. */
            expiresAt?: string | null;
            /** The ID token, if no header carries it. */
            idToken?: string | null;
            /** The name of the key: 1 to 100 characters after trimming, no control characters. */
            label: string;
            /** Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata?: {
                [key: string]: string;
            };
            /** How often the key may be used, such as `100/s`: a count, and `s`, `m` or `h`. */
            rateLimit?: string | null;
            /** The scopes of the key, as the host application defines them: at most 32 scope tokens (RFC 6749). */
            scopes?: string[] | null;
        };
        /** The properties of the new key. */
        CreateApiKeyForOwner: {
            /** When the key expires: RFC 3339, in the future. */
            expiresAt?: string | null;
            /** The name of the key: 1 to 100 characters after trimming, no control characters. */
            label: string;
            /** Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata?: {
                [key: string]: string;
            };
            /** How often the key may be used, such as `100/s`: a count, and `s`, `m` or `h`. */
            rateLimit?: string | null;
            /** The scopes of the key, as the host application defines them: at most 32 scope tokens (RFC 6749). */
            scopes?: string[] | null;
        };
        /** What the link is for. */
        CreatePortalLink: {
            /** What the visitor may do: `keys` and `webhooks` to change, `keys:read` and `webhooks:read` only to see. */
            capabilities?: ("keys" | "keys:read" | "webhooks" | "webhooks:read")[] | null;
            /** The organization for which somebody visits, in place of a user. */
            organizationId?: string | null;
            /** The page of your application to which the console leads back. */
            returnUrl?: string | null;
            /** How many seconds the visit lasts at most: 60 to 604,800 (a week). @default 43200 */
            ttlSeconds?: number | null;
            /** The user who visits, by the `sub` at the configured issuer. */
            userId?: string | null;
        };
        /** The properties of the new subscription. */
        CreateSubscription: {
            /** The authentication of each request. */
            auth?: components["schemas"]["BearerAuth"] | components["schemas"]["BasicAuth"] | components["schemas"]["HeaderAuth"] | components["schemas"]["OAuth2Auth"] | null;
            /** The certificate with which the service authenticates at a receiver that asks for one (mTLS). */
            clientCertificate?: components["schemas"]["ClientCertificate"] | null;
            /** A description: up to 1,000 characters, no control characters except line breaks and tabs. */
            description?: string | null;
            /** Which events to send: 1 to 100 event types (`invoice.paid`), patterns (`invoice.*`), or `*` for all but those that begin with `gatepost.`. */
            events: string[];
            filter?: components["schemas"]["PayloadFilter"] | null;
            /** Headers that the service adds to each request: at most 16, 8 KiB together, with values of visible ASCII. */
            headers?: {
                [key: string]: string;
            } | null;
            /** The most deliveries in a second, over all instances of the service, retries included: 0.1 (one in ten seconds) to 1,000, rounded to three decimal places. */
            maxPerSecond?: number | null;
            /** With `ordering`: the rule for a delivery that has no attempts left. @default skip */
            onExhausted?: "skip" | "stop" | null;
            /** The order in which deliveries leave: `none`, as many at a time as the receiver takes; or `subscription`, one after the other in the order of publication, each with a number in the header `webhook-sequence`. @default none */
            ordering?: "none" | "subscription" | null;
            /** The secret that signs webhooks: `whsec_` and 24 to 64 bytes in base64, or 1 to 256 other characters, whose bytes are the key. */
            secret?: string | null;
            /** Which signatures webhooks carry: `hmac` (`v1`, by the secret), `ed25519` (`v1a`, by a private key that never leaves the service, so that a stolen receiver cannot sign), or `both`. @default hmac */
            signing?: "hmac" | "ed25519" | "both" | null;
            /** `webhook` (the default): events are sent to `url`. */
            type?: "webhook" | "pull" | null;
            /** Required, unless the type is `pull`. */
            url?: string;
        };
        /** The new key, which is shown only this once, and the user's list of keys. */
        CreatedApiKey: {
            /** The full key. */
            key: string;
            /** The new key's id. */
            keyId: string;
            /** The user's keys, including the new key, newest first. */
            keys: components["schemas"]["KeyRecord"][];
        };
        /** The session of the browser that calls. */
        CurrentSession: {
            /** What the session may do with what belongs to the user: `keys` and `webhooks` to change, `keys:read` and `webhooks:read` to see. */
            capabilities: string[];
            /** When the user signed in. */
            createdAt: string;
            /** The organization with which the console begins; absent if it begins with the user. */
            defaultOrganizationId?: string;
            /** When the session ends, however much it is used. */
            expiresAt: string;
            /** Identifies the session in the list of sessions. */
            id: string;
            /** When the session ends if it is not used again. */
            idleExpiresAt: string;
            /** The organizations for which the session can act, with `?organization=`; absent if there are none. */
            organizations?: components["schemas"]["SessionOrganization"][];
            /** `user`, `operator`, or `visitor`: a user who came by a link of the host application. */
            role: "user" | "operator" | "visitor";
            /** When the session can no longer act for them, until the user signs in again; absent if there are none. */
            rolesExpireAt?: string;
            /** Who signed in. */
            user: components["schemas"]["SessionUser"];
        };
        /** How often the caller's keys were used, by the day. */
        DailyUses: {
            /** The keys, those that were used or made last first. */
            keys: components["schemas"]["DailyUsesOfKey"][];
            /** When the first of the 30 days began. */
            since: string;
        };
        /** How often one key was used. */
        DailyUsesOfKey: {
            /** How often the key was found good on each day. */
            days: number[];
            /** The key. */
            keyId: string;
        };
        /** The delivery of one event to one subscription. */
        Delivery: {
            /** How many attempts have started. */
            attempts: number;
            /** When the delivery ended; `null` until then. */
            completedAt: string | null;
            /** When the event was published. */
            createdAt: string;
            /** The id of the event, which the receiver sees as `webhook-id`. */
            eventId: string;
            /** The event's type. */
            eventType: string;
            /** Identifies the delivery. */
            id: string;
            lastAttempt?: components["schemas"]["Attempt"] | null;
            /** When the next attempt is due; `null` unless the delivery waits. */
            nextAttemptAt: string | null;
            /** Why the delivery failed or was cancelled: `schedule_spent`, `subscription_disabled`, `unreadable`, `cancelled` or `subscription_deleted`. */
            reason?: string;
            /** `waiting`, `sending`, `delivered`, `failed`, `cancelled` or `missed`: the subscription was disabled when the event was published. */
            state: "waiting" | "sending" | "delivered" | "failed" | "cancelled" | "missed";
            /** The subscription that receives the event. */
            subscriptionId: string;
        };
        /** A delivery with its event and its attempts. */
        DeliveryHistory: {
            /** The attempts that have ended, oldest first. */
            attempts: components["schemas"]["Attempt"][];
            /** The delivery. */
            delivery: components["schemas"]["Delivery"];
            /** The event, including the body that is sent. */
            event: components["schemas"]["Event"];
        };
        /** A page of the caller's deliveries. */
        DeliveryPage: {
            /** The deliveries, newest first. */
            deliveries: components["schemas"]["Delivery"][];
            /** The `cursor` of the next page; absent on the last page. */
            nextCursor?: string;
        };
        /** From when on receivers should stop using a type. */
        Deprecation: {
            /** The type to use in its place. */
            replacement?: string;
            /** From when on. */
            since: string;
        };
        /** A published event. */
        Event: {
            /** When the event was published. */
            createdAt: string;
            /** Identifies the event. */
            id: string;
            /** Who receives the event, if it is an organization. */
            organizationId?: string;
            /** The body that is signed and sent, byte for byte. */
            payload?: Record<string, unknown>;
            /** The type of the event. */
            type: string;
            /** Who receives the event, by the subject (`sub`); absent if it is an organization. */
            userId?: string;
        };
        /** Published events, by result. */
        EventCounts: {
            /** Events that were stored. */
            accepted: number;
            /** Events in conflict with another event of the same id. */
            conflict: number;
            /** Events that were published before. */
            duplicate: number;
            /** Events without an answer, because the database did not answer. */
            failed: number;
        };
        /** A page of events. */
        EventPage: {
            /** The events, newest first, without their payloads. */
            events: components["schemas"]["LoggedEvent"][];
            /** The `cursor` of the next page; absent on the last page. */
            nextCursor?: string;
        };
        /** What the catalogue has about a type of events. */
        EventType: {
            /** Whether the type is not to be published any more. */
            archived: boolean;
            /** Present if receivers should stop using the type. */
            deprecated?: components["schemas"]["Deprecation"];
            /** When the event happens and what it means: Markdown without HTML. */
            description?: string;
            /** Examples of `data`, as they were written. */
            examples?: unknown[];
            /** The type of the events. */
            name: string;
            /** The JSON Schema (2020-12) of `data`, as it was written. */
            schema?: Record<string, unknown>;
            /** A short name for people. */
            title?: string;
            /** When the entry was changed last. */
            updatedAt: string;
            /** The treatment of events whose `data` breaks the schema: `off`, `warn` or `enforce`. */
            validation: "off" | "warn" | "enforce";
            /** The number of the schema, from 1. */
            version: number;
            /** Who sees the entry: `public` or `hidden`. */
            visibility: "public" | "hidden";
        };
        /** Event types. */
        EventTypeList: {
            /** The event types, sorted by name, without schemas and examples. */
            eventTypes: components["schemas"]["EventType"][];
        };
        /** An enabled subscription whose last attempt failed. */
        FailingSubscription: {
            /** When the current run of failures began. */
            failingSince: string | null;
            /** How many attempts have failed in a row. */
            failuresInARow: number;
            /** The subscription's id. */
            id: string;
            lastAttempt: components["schemas"]["Attempt"] | null;
            /** Whose subscription it is, if it is an organization. */
            organizationId?: string;
            /** The `error` of the last attempt, or `retry_after` when the receiver asked for the pause; `null` when it is no longer known. */
            reason: string | null;
            /** Scheme, host and port of the receiver. */
            receiver: string;
            /** `failing` or `paused`. */
            state: string;
            /** Whose subscription it is, by the subject (`sub`); absent if it is an organization. */
            userId?: string;
        };
        /** A page of failing subscriptions. */
        FailingSubscriptionPage: {
            /** The `cursor` of the next page; absent on the last page. */
            nextCursor?: string;
            /** The subscriptions. */
            subscriptions: components["schemas"]["FailingSubscription"][];
        };
        /** Deliveries that failed for the same cause. */
        FailureGroup: {
            /** How many deliveries failed for this cause. */
            deliveries: number;
            /** Why the last attempt failed: an error as in an attempt. */
            error: "address_refused" | "dns" | "connect" | "tls" | "timeout" | "redirect" | "status" | "too_slow" | "no_token" | null;
            /** The delivery of the newest event. */
            newestDeliveryId: string;
            /** The HTTP status of the answer to the last attempt; `null` when there was no answer. */
            status: number | null;
            /** The subscription that was to receive the events. */
            subscriptionId: string;
            /** The subscription's URL. */
            url: string;
        };
        /** The caller's failed deliveries, by cause. */
        Failures: {
            /** The groups, the largest first. */
            failures: components["schemas"]["FailureGroup"][];
            /** Whether all failed deliveries are counted. */
            isComplete: boolean;
        };
        /** A fault in a field of the body or in a parameter of the query. */
        FieldFault: {
            /** What the field must be. */
            detail: string;
            /** The field's name, or its path in the body: `events[3].type`. */
            field: string;
        };
        /** What the filter says about the event. */
        FilterVerdict: {
            /** The leaf that was checked last: with it the answer was certain. */
            decidedBy: string;
            /** Whether the event passes. */
            passes: boolean;
        };
        /** A header of an answer. */
        Header: {
            /** The name, in lower case. */
            name: string;
            /** The value. */
            value: string;
        };
        /** A header with a credential. */
        HeaderAuth: {
            /** The name of the header: one that `headers` may have, or `authorization`. */
            name: string;
            /** Always `header`. */
            type: "header";
            /** The value of the header. */
            value: string;
        };
        /** Event types, or a document that describes them: exactly one of `types` and `openapi`. */
        ImportEventTypes: {
            /** Whether to say what would change, and change nothing. */
            dryRun?: boolean;
            /** Whether schemas may change so that they break what was good before. */
            force?: boolean;
            /** An OpenAPI 3.1 document. */
            openapi?: Record<string, unknown>;
            /** Whether to archive the event types that the body does not have. */
            prune?: boolean;
            /** The event types, each with all of its settings: what is left out has its default afterwards. */
            types?: components["schemas"]["NewEventType"][];
        };
        /** The changes of an import. */
        ImportedEventTypes: {
            /** The event types that the import has changed or would change. */
            changes: components["schemas"]["AppliedEventType"][];
        };
        /** The key to verify. */
        Introspect: {
            /** The scopes that the key must have. */
            scopes?: string[] | null;
            /** The full key. */
            token: string;
        };
        /** The key to verify, as RFC 7662 defines it. */
        IntrospectForm: {
            /** The full key. */
            token: string;
        } & {
            [key: string]: string;
        };
        /** The introspection answer of RFC 7662. */
        Introspection: {
            /** Whether the key is valid now and has every required scope. */
            active: boolean;
            /** The key's id. */
            client_id?: string;
            /** The member of the organization who created the key, by the `sub`; absent if no member did. */
            created_by?: string;
            /** When the key expires, in the same seconds; absent if it does not expire. */
            exp?: number;
            /** When the key was created: seconds since 1970-01-01T00:00:00Z. */
            iat?: number;
            /** The identity provider of the user or the organization. */
            iss?: string;
            /** The name that the owner gave the key. */
            label?: string;
            /** Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata?: {
                [key: string]: string;
            };
            /** The organization that owns the key; absent if a user does. */
            org_id?: string;
            /** The scopes of the key, separated by spaces; absent if it has none. */
            scope?: string;
            /** The user who owns the key; absent if an organization does. */
            sub?: string;
            /** Always `api_key`. */
            token_type?: "api_key";
        };
        /** The user's keys: every active key and the 100 keys that ended last, newest first. */
        KeyList: {
            /** The keys. */
            keys: components["schemas"]["KeyRecord"][];
        };
        /** An API key without its secret. */
        KeyRecord: {
            /** When the key was created: UTC, with milliseconds. */
            createdAt: string;
            /** The member of the organization who created the key, by the `sub` at the identity provider; absent if the owner is a user, or no member created the key. */
            createdBy?: string;
            /** When the key was disabled; absent if it is enabled. */
            disabledAt?: string;
            /** When the key expires; absent if it does not expire. */
            expiresAt?: string;
            /** Identifies the key. */
            id: string;
            /** The name that the owner gave the key. */
            label: string;
            /** When the key was last used; `null` if it was never used. */
            lastUsedAt: string | null;
            /** Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata?: {
                [key: string]: string;
            };
            /** The start of the full key, followed by an ellipsis. */
            prefix: string;
            /** How often the key may be used; absent if the limit of its owner's keys holds. */
            rateLimit?: string;
            /** The key that replaced this key in a rotation; absent if the key was not rotated. */
            replacedBy?: string;
            /** When the key was revoked; `null` if it is not revoked. */
            revokedAt: string | null;
            /** The scopes of the key; absent if it has none. */
            scopes?: string[];
        };
        /** The verifications of an API key by the hour. */
        KeyUsage: {
            /** Every hour of the request, the earliest first. */
            hours: components["schemas"]["KeyUsageHour"][];
            /** The sums of all hours. */
            total: components["schemas"]["KeyUsageCounts"];
        };
        /** How many verifications had each result. */
        KeyUsageCounts: {
            /** The key was good, and within its rate limit. */
            accepted: number;
            /** The key was good, and its rate limit was reached. */
            limited: number;
            /** The key was revoked or expired. */
            refused: number;
        };
        /** The verifications in one hour. */
        KeyUsageHour: components["schemas"]["KeyUsageCounts"] & {
            /** When the hour began. */
            start: string;
        };
        /** How many keys were revoked. */
        KeysRevoked: {
            /** How many keys this call revoked. */
            revokedCount: number;
        };
        /** Queues of subscriptions, by their state. */
        LaneCounts: {
            /** Closed with the subscription. */
            closed: number;
            /** May deliver. */
            open: number;
            /** Paused after failures of the receiver. */
            paused: number;
        };
        /** The leaked keys. */
        LeaksReported: {
            /** For each token, in the same order, the id of the key, which is now revoked. */
            keyIds: (string | null)[];
        };
        /** A user or an organization in a list. */
        ListedOwner: components["schemas"]["Owner"] & {
            /** How many keys are active, disabled ones too: at most 1,000. */
            activeKeys: number;
            /** How many subscriptions are enabled: at most 1,000. */
            enabledSubscriptions: number;
            /** How many of these failed at their last attempt. */
            failingSubscriptions: number;
            /** The user's `sub` at the configured issuer, or the organization's id. */
            id: string;
            /** Whether it is a user or an organization. */
            kind: components["schemas"]["OwnerKind"];
        };
        /** The process is alive. */
        Liveness: {
            /** Always `ok`. */
            status: "ok";
        };
        /** Which lines the log of this instance has. */
        LogFilter: {
            /** The filter that applies. */
            filter: string;
        };
        /** The change of a filter. */
        LogFilterChanged: {
            /** The filter that applied before. */
            before: string;
            /** The filter that applies now. */
            filter: string;
        };
        /** A published event, and how many subscriptions it went to. */
        LoggedEvent: {
            /** How many subscriptions it went to when it was published. */
            deliveries: number;
            /** The event. */
            event: components["schemas"]["Event"];
        };
        /** The events behind a place in the log. */
        LoggedEvents: {
            /** The `cursor` of the next call. */
            cursor: string;
            /** The events, in the order of the log. */
            events: components["schemas"]["PulledEvent"][];
        };
        /** An event type with its name and all of its settings. */
        NewEventType: {
            /** Says that receivers should stop using the type. */
            deprecated?: components["schemas"]["PutDeprecation"];
            /** When the event happens and what it means: Markdown without HTML (`<` before a letter, `/`, `!` or `?`). */
            description?: string;
            /** Examples of `data`, of at most 16 KiB each. */
            examples?: unknown[];
            /** The type of the events. */
            name: string;
            /** The JSON Schema (2020-12) of `data`, of at most 64 KiB. */
            schema?: Record<string, unknown>;
            /** A short name for people: one line. */
            title?: string;
            /** The treatment of events whose `data` breaks the schema: `off` (the default) accepts it without a check, `warn` accepts it with warnings in the answer, and `enforce` refuses it. */
            validation?: "off" | "warn" | "enforce";
            /** The readers of the event type: all callers with a credential (`public`, the default), or operators (`hidden`). */
            visibility?: "public" | "hidden";
        };
        /** An access token, in the header `authorization`. */
        OAuth2Auth: {
            /** The API that the token is for, at providers that require it. */
            audience?: string | null;
            /** The client, which authenticates at the endpoint with HTTP Basic. */
            clientId: string;
            /** The secret of the client. */
            clientSecret: string;
            /** The requested scopes, separated by spaces. */
            scope?: string | null;
            /** The token endpoint: a URL that webhooks may be sent to. */
            tokenUrl: string;
            /** Always `oauth2`. */
            type: "oauth2";
        };
        /** How many attempts had each outcome. */
        OutcomeCounts: {
            /** The receiver took the webhook. */
            delivered: number;
            /** The attempt failed, and none follows: the delivery has failed. */
            exhausted: number;
            /** The attempt failed, and another one follows. */
            retried: number;
        };
        /** The outcomes in one hour. */
        OutcomeHour: components["schemas"]["OutcomeCounts"] & {
            /** When the hour began. */
            start: string;
        };
        /** The outcomes of attempts by the hour. */
        Outcomes: {
            /** Every hour of the request, the earliest first. */
            hours: components["schemas"]["OutcomeHour"][];
            /** The sums of all hours. */
            total: components["schemas"]["OutcomeCounts"];
        };
        /** What the operator has set for a user or an organization. */
        Owner: {
            /** The e-mail address, for people. */
            email: string | null;
            /** How often each key may be used. */
            keyRateLimit: string | null;
            /** The last sign-in of the user, up to a day late. */
            lastSeenAt?: string;
            /** The most active keys. */
            maxActiveKeys: number | null;
            /** The most subscriptions. */
            maxSubscriptions: number | null;
            /** Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata: {
                [key: string]: string;
            };
            /** The name, for people. */
            name: string | null;
            /** How often the owner may call. */
            requestRateLimit: string | null;
            /** Whether the owner may act. */
            state: components["schemas"]["OwnerState"];
            /** The announced time at which the user is suspended, without a sign-in before. */
            suspendsAt?: string;
        };
        /** The kind of an owner. */
        OwnerKind: "user" | "organization";
        /** A page of owners. */
        OwnerPage: {
            /** The `cursor` of the next page; absent on the last page. */
            nextCursor?: string;
            /** The owners, in the order of what is found. */
            owners: components["schemas"]["ListedOwner"][];
        };
        /** Whether an owner may act. */
        OwnerState: {
            /** Why the owner is suspended; absent if no reason was given. */
            reason?: string;
            /** When the owner was suspended; absent if the owner is active. */
            since?: string;
            /** `active`, `suspended`, or `erasing`: suspended, until everything of the owner is erased. */
            state: "active" | "suspended";
        };
        /** Which events a subscription receives, by their content: a condition about the body that receivers get. */
        PayloadFilter: {
            all: components["schemas"]["PayloadFilter"][];
        } | {
            any: components["schemas"]["PayloadFilter"][];
        } | {
            not: components["schemas"]["PayloadFilter"];
        } | {
            op: "eq";
            path: string;
            value: string | number | boolean | null;
        } | {
            op: "ne";
            path: string;
            value: string | number | boolean;
        } | {
            op: "in";
            path: string;
            value: (string | number | boolean | null)[];
        } | {
            op: "lt" | "lte" | "gt" | "gte";
            path: string;
            value: string | number;
        } | {
            op: "prefix" | "suffix" | "contains";
            path: string;
            value: string;
        } | {
            op: "exists";
            path: string;
        };
        /** The new link. */
        PortalLink: {
            /** When the link stops working. */
            expiresAt: string;
            /** Where to send the user's browser. */
            url: string;
        };
        /** A credential, without its secret. */
        PresentedCredential: {
            /** The key's id. */
            keyId: string;
            kind: "apiKey";
            /** The name that the owner gave the key. */
            label: string;
            /** The scopes of the key; may be empty. */
            scopes: string[];
        } | {
            kind: "idToken";
        } | {
            kind: "session";
        };
        /** A problem document (RFC 9457): the body of every error. */
        Problem: {
            /** The outcome of each check. */
            checks?: components["schemas"]["CheckOutcome"][];
            /** The stable, machine-readable name of this kind of error. */
            code: string;
            /** What is wrong with this request. */
            detail: string;
            /** The fields that have faults. */
            errors?: components["schemas"]["FieldFault"][];
            /** Where the data of an event breaks the schema of its type, at most ten places. */
            faults?: components["schemas"]["SchemaFault"][];
            /** The `cursor` of the oldest event that is stored. */
            oldestCursor?: string;
            /** Identifies this request in the logs. */
            requestId: string;
            /** The HTTP status. */
            status: number;
            /** A short summary of the error. */
            title: string;
            /** The page that explains this kind of error: an absolute URL if `PUBLIC_URL` is configured, and otherwise relative to the URL of this service. */
            type: string;
        };
        /** A public key of Ed25519 as a JSON Web Key (RFC 8037). */
        PublicKey: {
            /** Always `EdDSA`. */
            alg: "EdDSA";
            /** Always `Ed25519`. */
            crv: "Ed25519";
            /** The thumbprint of the key (RFC 7638). */
            kid: string;
            /** Always `OKP`. */
            kty: "OKP";
            /** Always `sig`. */
            use: "sig";
            /** The key in base64url. */
            x: string;
        };
        /** A set of JSON Web Keys (RFC 7517). */
        PublicKeySet: {
            /** The keys, newest first. */
            keys: components["schemas"]["PublicKey"][];
        };
        /** The event to publish. */
        PublishEvent: {
            /** The data for the receivers: any JSON value, delivered byte for byte. */
            data: unknown;
            /** The publisher's id of the event, 1 to 256 characters. */
            id?: string | null;
            /** The organization that the event belongs to, in place of a user. */
            organizationId?: string | null;
            /** The type of the event: 1 to 128 of `A-Z a-z 0-9 _ . : / -`. */
            type: string;
            /** The user that the event belongs to, by the `sub` at the configured issuer. */
            userId?: string | null;
        };
        /** The events to publish. */
        PublishEvents: {
            /** The events. */
            events: components["schemas"]["PublishEvent"][];
        };
        /** An accepted event. */
        PublishedEvent: {
            /** How many subscriptions receive the event. */
            deliveries: number;
            /** `true` when the event was published before, so that this call changed nothing. */
            duplicate?: boolean;
            /** The event. */
            event: components["schemas"]["Event"];
            /** Where the data breaks the schema of its type, at most ten places. */
            warnings?: components["schemas"]["SchemaFault"][];
        };
        /** The accepted events. */
        PublishedEvents: {
            /** For each event, in the same order, the answer that publishing only this event would get. */
            results: components["schemas"]["PublishedEvent"][];
        };
        /** An event in the log of a subscription that is pulled. */
        PulledEvent: {
            /** The data of the publication, byte for byte. */
            data: unknown;
            /** Identifies the event. */
            id: string;
            /** Its number in the log: 1, 2, 3 and so on, without a gap. */
            sequence: number;
            /** When the event was published. */
            timestamp: string;
            /** The type of the event. */
            type: string;
        };
        /** From when on receivers should stop using a type. */
        PutDeprecation: {
            /** The type to use in its place. */
            replacement?: string;
            /** From when on: a time with an offset (RFC 3339). */
            since: string;
        };
        /** All settings of an event type. */
        PutEventType: {
            /** Says that receivers should stop using the type. */
            deprecated?: components["schemas"]["PutDeprecation"];
            /** When the event happens and what it means: Markdown without HTML (`<` before a letter, `/`, `!` or `?`). */
            description?: string;
            /** Examples of `data`, of at most 16 KiB each. */
            examples?: unknown[];
            /** Whether the schema may change so that it breaks what was good before. */
            force?: boolean;
            /** The JSON Schema (2020-12) of `data`, of at most 64 KiB. */
            schema?: Record<string, unknown>;
            /** A short name for people: one line. */
            title?: string;
            /** The treatment of events whose `data` breaks the schema: `off` (the default) accepts it without a check, `warn` accepts it with warnings in the answer, and `enforce` refuses it. */
            validation?: "off" | "warn" | "enforce";
            /** The readers of the event type: all callers with a credential (`public`, the default), or operators (`hidden`). */
            visibility?: "public" | "hidden";
        };
        /** The queue. */
        QueueState: {
            /** How old this reading is, in seconds. */
            ageSeconds: number;
            /** Queues of subscriptions, by their state. */
            lanes: components["schemas"]["LaneCounts"];
            /** For how long the oldest due delivery has been due that no instance has claimed, in seconds; 0 without one. */
            oldestDueAgeSeconds: number;
            /** Subscriptions, by their state. */
            subscriptions: components["schemas"]["SubscriptionCount"][];
            /** Deliveries that have not ended. */
            waiting: number;
        };
        /** The service is ready. */
        Readiness: {
            /** The outcome of each check. */
            checks?: components["schemas"]["CheckOutcome"][];
            /** Always `ready`. */
            status: "ready";
        };
        /** How a reader receives events. */
        ReceiveEvents: {
            /** The length of the lease in seconds: 60 by default. */
            leaseSeconds?: number;
            /** The maximum number of events: 100 by default. */
            limit?: number;
            /** How many seconds to wait for an event: 0 by default. */
            wait?: number;
        };
        /** The next events of a consumer. */
        ReceivedEvents: {
            /** The events, in the order of the log. */
            events: components["schemas"]["PulledEvent"][];
            /** Commits them. */
            lease?: string;
            /** When another reader may receive the events that are not committed. */
            leasedUntil?: string;
        };
        /** The start of the recovery. */
        RecoverSubscription: {
            /** Only these event types and patterns: 1 to 100. */
            events?: string[];
            /** Recovers deliveries of events that were published at this time or later: RFC 3339, not in the future. */
            since: string;
            /** The deliveries to recover: `failed` (failed or waiting for a retry), `missed` (published while the subscription was disabled), or `all` (the default). */
            what?: "all" | "failed" | "missed";
        };
        /** What a recovery would bring back. */
        RecoverableDeliveries: {
            /** How many deliveries a recovery would make due now, counted up to 10,000. */
            deliveries: number;
        };
        /** The result of a recovery. */
        RecoveredSubscription: {
            /** How many deliveries are now due: at most 100,000. */
            deliveries: number;
        };
        /** Leaked strings. */
        ReportLeaks: {
            /** Strings that may be full keys. */
            tokens: string[];
        };
        /** The result of a retry of failed deliveries. */
        RetriedFailures: {
            /** How many deliveries are now due. */
            deliveries: number;
        };
        /** The cause of the failures, as the list of failures has it. */
        RetryFailures: {
            /** Why the last attempt failed; absent or `null` as in the list. */
            error?: "address_refused" | "dns" | "connect" | "tls" | "timeout" | "redirect" | "status" | "too_slow" | "no_token" | null;
            /** The HTTP status of the answer to the last attempt; absent or `null` as in the list. */
            status?: number | null;
            /** The subscription. */
            subscriptionId: string;
        };
        /** The key to revoke. */
        RevokeApiKey: {
            /** The ID token, if no header carries it. */
            idToken?: string | null;
            /** The key's id. */
            keyId: string;
        };
        /** How to rotate the key. */
        RotateApiKey: {
            /** The ID token, if no header carries it. */
            idToken?: string | null;
            /** How many seconds the old key stays valid: 0 to 604,800 (a week). @default 0 */
            overlapSeconds?: number | null;
        };
        /** How to rotate the key. */
        RotateApiKeyForOwner: {
            /** How many seconds the old key stays valid: 0 to 604,800 (a week). @default 0 */
            overlapSeconds?: number | null;
        };
        /** How to rotate the secret. */
        RotateSecret: {
            /** How many seconds the old secret and the old key sign too: 0 to 604,800 (a week). @default 86400 */
            overlapSeconds?: number | null;
            /** The new secret, in the same form as in the creation. */
            secret?: string | null;
            /** Which signatures webhooks carry from now on: `hmac`, `ed25519` or `both`, as in the creation. */
            signing?: "hmac" | "ed25519" | "both" | null;
        };
        /** A place where `data` breaks the schema of its type. */
        SchemaFault: {
            /** The keyword of the schema. */
            keyword: string;
            /** What `data` must follow. */
            message: string;
            /** The place in `data`: a JSON Pointer (RFC 6901), without the names after its first 256 bytes. */
            pointer: string;
        };
        /** A new place of a consumer. */
        SeekConsumer: {
            /** The place: `start`, before the oldest event that is stored; `end`, behind the last event; or a time (RFC 3339), before the first event that was published then or later. */
            to: string;
        };
        /** A session of the user. */
        Session: {
            /** The address from which the user signed in; `null` if it is not known. */
            address: string | null;
            /** What the session may do with what belongs to the user. */
            capabilities: string[];
            /** When the user signed in. */
            createdAt: string;
            /** Whether it is the session that makes the call. */
            current: boolean;
            /** When the session ends, however much it is used. */
            expiresAt: string;
            /** Identifies the session. */
            id: string;
            /** When the session ends if it is not used again. */
            idleExpiresAt: string;
            /** `user`, `operator` or `visitor`. */
            role: "user" | "operator" | "visitor";
            /** When the session was last used. */
            seenAt: string;
            /** What the browser said of itself (`User-Agent`) when it signed in; `null` if nothing. */
            userAgent: string | null;
        };
        /** The user's sessions, newest first. */
        SessionList: {
            /** The sessions. */
            sessions: components["schemas"]["Session"][];
        };
        /** An organization for which a session can act. */
        SessionOrganization: {
            /** The capabilities of the user in the organization. */
            capabilities: string[];
            /** The id at the identity provider. */
            organizationId: string;
        };
        /** A user, or the organization for which a visitor came. */
        SessionUser: {
            /** The `userId` or the `organizationId` of the operator API. */
            id: string;
            /** The issuer of the identity provider (`iss`). */
            issuer: string;
            /** The id of the organization, if it is one; absent for a user. */
            organizationId?: string;
            /** The subject at the identity provider (`sub`), or the id of the organization. */
            subject: string;
        };
        /** The new state. */
        SetOwnerState: {
            /** Why the owner is suspended. */
            reason?: string;
            /** `suspended`: nothing of the owner is accepted, and nothing is sent to the owner. */
            state: "active" | "suspended";
        };
        /** An attempt in a stream: the `data` of a server-sent event. */
        StreamedAttempt: {
            /** The attempt. */
            attempt: components["schemas"]["Attempt"];
            /** The delivery of the attempt. */
            deliveryId: string;
            /** The event that is delivered. */
            eventId: string;
            /** The subscription that receives the event. */
            subscriptionId: string;
        };
        /** A webhook subscription. */
        Subscription: {
            /** The authentication, without its secrets; absent if there is none. */
            auth?: components["schemas"]["SubscriptionAuth"];
            /** The client certificate, without its key; absent if there is none. */
            clientCertificate?: components["schemas"]["SubscriptionCertificate"];
            /** When the subscription was created: UTC, with milliseconds. */
            createdAt: string;
            /** The member of the organization who created the subscription, by the `sub` at the identity provider; absent if the owner is a user, or no member created the subscription. */
            createdBy?: string;
            /** The owner's description; may be empty. */
            description: string;
            /** Why the subscription is disabled: `owner` (the owner disabled it), `gone` (the receiver answered 410), `only_failures` (every attempt failed for five days), `order_stopped` (a delivery had no attempts left, and `onExhausted` is `stop`) or `key_leaked` (the API key that set the URL was reported as leaked). */
            disabledReason?: string;
            /** Whether the subscription receives events. */
            enabled: boolean;
            /** The event types and patterns of the subscription. */
            events: string[];
            /** Which of these events the subscription receives, by their content; absent if it receives all. */
            filter?: components["schemas"]["PayloadFilter"];
            /** The headers that the subscription adds, without their values; absent if it adds none. */
            headers?: components["schemas"]["SubscriptionHeader"][];
            /** The health of the subscription. */
            health?: components["schemas"]["SubscriptionHealth"];
            /** Identifies the subscription. */
            id: string;
            /** The maximum number of deliveries in a second, over all instances of the service. */
            maxPerSecond?: number;
            /** The rule for a delivery that has no attempts left: `skip` or `stop`. */
            onExhausted?: "skip" | "stop";
            /** `subscription` if deliveries leave one after the other, in the order of publication. */
            ordering?: "subscription";
            /** The public keys that verify signatures `v1a`, newest first: two during the overlap of a rotation. */
            publicKeys?: string[];
            /** Which signatures the webhooks carry: `hmac` (`v1`), `ed25519` (`v1a`) or `both`. */
            signing?: "hmac" | "ed25519" | "both";
            /** `pull` if readers fetch the events. */
            type?: "pull";
            /** When the owner or the service last changed the subscription. */
            updatedAt: string;
            /** The URL that receives the webhooks, in normal form; `pull:` if readers fetch the events. */
            url: string;
            /** The API key that set the URL, when the subscription was created or later; absent if an ID token did. */
            urlSetBy?: string;
        };
        /** The authentication of the requests of a subscription. */
        SubscriptionAuth: {
            /** The name of the header; absent if it is `authorization` by the type. */
            name?: string;
            /** When it was set. */
            setAt: string;
            /** `bearer`, `basic`, `header` or `oauth2`. */
            type: "bearer" | "basic" | "header" | "oauth2";
        };
        /** The certificate with which the service authenticates at the receiver of a subscription. */
        SubscriptionCertificate: {
            /** When it expires. */
            expiresAt: string;
            /** The SHA-256 of the certificate, in hexadecimal digits. */
            fingerprint: string;
            /** When it was set. */
            setAt: string;
            /** The subject (RFC 4514), at most 256 characters of it. */
            subject: string;
        };
        /** How many subscriptions have a state. */
        SubscriptionCount: {
            /** How many. */
            count: number;
            /** `enabled`, or why they are disabled: `owner`, `gone`, `only_failures`, `order_stopped`, `key_leaked`. */
            state: string;
        };
        /** A header that a subscription adds to its requests. */
        SubscriptionHeader: {
            /** The name, in lower case. */
            name: string;
            /** When its value was set. */
            setAt: string;
        };
        /** The health of a subscription. */
        SubscriptionHealth: {
            /** When the current run of failures began; `null` when the last attempt succeeded. */
            failingSince: string | null;
            lastAttempt: components["schemas"]["Attempt"] | null;
            /** When the pause ends, and a delivery is tried again; `null` unless paused. */
            pausedUntil: string | null;
            /** The reason for the state. */
            reason: string | null;
            /** `healthy`: no attempt has failed since the last success, or since the subscription was enabled. */
            state: string;
            /** How many deliveries wait or are being sent, counted up to 10,000. */
            waiting: number;
        };
        /** A page of the caller's subscriptions. */
        SubscriptionPage: {
            /** The `cursor` of the next page; absent on the last page. */
            nextCursor?: string;
            /** The subscriptions, newest first. */
            subscriptions: components["schemas"]["Subscription"][];
        };
        /** A test event and its delivery. */
        SubscriptionTest: {
            /** The delivery of the event. */
            delivery: components["schemas"]["Delivery"];
            /** The event. */
            event: components["schemas"]["Event"];
        };
        /** A subscription and its health. */
        SubscriptionWithHealth: {
            /** The health of the subscription. */
            health: components["schemas"]["SubscriptionHealth"];
            /** The subscription. */
            subscription: components["schemas"]["Subscription"];
        };
        /** A subscription and, if the service made one, its secret, which is shown only this once. */
        SubscriptionWithSecret: {
            /** The secret that signs the webhooks. */
            secret?: string;
            /** The subscription. */
            subscription: components["schemas"]["Subscription"];
        };
        /** How the instance that answers and the store are doing. */
        SystemState: {
            attempts: components["schemas"]["AttemptCounts"] | null;
            /** The age of the last successful read of the change feed, in seconds. */
            changeFeedAgeSeconds: number | null;
            /** The commit that it was built from, or `unknown`. */
            commit: string;
            /** `sqlite` or `postgres`. */
            database: string;
            /** Events that the host application published. */
            events: components["schemas"]["EventCounts"];
            /** The age of the identity provider's keys, in seconds; `null` before the first fetch. */
            identityKeysAgeSeconds: number | null;
            /** The processes on this database, by version, as they were counted with the queue. */
            instances: components["schemas"]["VersionCount"][];
            queue: components["schemas"]["QueueState"] | null;
            /** When the process started. */
            startedAt: string;
            /** API keys that were presented. */
            verifications: components["schemas"]["VerificationCounts"];
            /** The version of the program. */
            version: string;
        };
        /** A filter, and an event or its data. */
        TestFilter: {
            /** The `data` of an event without other members. */
            data?: unknown;
            /** The body that receivers get */
            event?: {
                [key: string]: unknown;
            } | null;
            filter: components["schemas"]["PayloadFilter"];
        };
        /** The URL to test. */
        TestUrl: {
            /** The authentication of each request. */
            auth?: components["schemas"]["BearerAuth"] | components["schemas"]["BasicAuth"] | components["schemas"]["HeaderAuth"] | components["schemas"]["OAuth2Auth"] | null;
            /** The certificate with which the service authenticates at a receiver that asks for one (mTLS). */
            clientCertificate?: components["schemas"]["ClientCertificate"] | null;
            /** Headers that the service adds to each request: at most 16, 8 KiB together, with values of visible ASCII. */
            headers?: {
                [key: string]: string;
            } | null;
            /** The secret that signs the request, as for a subscription. */
            secret?: string | null;
            /** Where to send the event: the same rules as for the URL of a subscription. */
            url: string;
        };
        /** A test of a URL. */
        UrlTest: {
            /** The attempt to send the event, with the start of the answer. */
            attempt: components["schemas"]["Attempt"];
            /** The event. */
            event: components["schemas"]["Event"];
        };
        /** API keys that were presented, by result. */
        VerificationCounts: {
            /** Calls without an answer, because the database did not answer. */
            failed: number;
            /** Good keys. */
            good: number;
            /** Keys that were refused. */
            refused: number;
        };
        /** How many processes have a version. */
        VersionCount: {
            /** How many processes have it. */
            count: number;
            /** The version of the program. */
            version: string;
        };
        /** The new session of a visitor. */
        Visit: {
            /** The page of the host application to which the console leads back; absent if the link names none. */
            returnUrl?: string;
            /** The session. */
            session: components["schemas"]["CurrentSession"];
        };
        /** The caller. */
        Whoami: {
            /** The credential that the caller presented. */
            credential: components["schemas"]["PresentedCredential"];
            /** The organization for which the call is made; absent if it is made for the user. */
            organizationId?: string;
            /** The user, by the subject (`sub`) at the identity provider; absent if the credential is an organization's. */
            userId?: string;
        };
        /** An event type after a call that changes it. */
        WrittenEventType: {
            /** Whether this call has changed it. */
            changed: boolean;
            /** The event type. */
            eventType: components["schemas"]["EventType"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    showWebhookKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The public keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicKeySet"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The caller's keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
        };
    };
    /** Creates an API key. Only this answer contains the full key. */
    createApiKey: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        responses: {
            /** The key is created */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevokeApiKey"];
            };
        };
        responses: {
            /** The key is revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
        };
    };
    showDailyUses: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The uses of the keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DailyUses"];
                };
            };
        };
    };
    changeApiKey: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeApiKey"];
            };
        };
        responses: {
            /** The changed key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyRecord"];
                };
            };
        };
    };
    rotateApiKey: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateApiKey"];
            };
        };
        responses: {
            /** The key is rotated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    showKeyUsage: {
        parameters: {
            query?: {
                /** How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** A time in the last hour: RFC 3339. */
                until?: string;
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The verifications of the key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyUsage"];
                };
            };
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /** Only this action, such as `key.revoked` */
                action?: "key.created" | "key.changed" | "key.rotated" | "key.revoked" | "key.leaked" | "key.expiring" | "key.limit_reached" | "data.read" | "subscription.created" | "subscription.changed" | "subscription.deleted" | "subscription.secret_rotated" | "subscription.disabled" | "subscription.failing" | "subscription.recovered" | "subscription.certificate_expiring" | "consumer.moved" | "consumer.deleted" | "delivery.retried" | "delivery.cancelled" | "session.opened" | "session.ended" | "log.filter_changed" | "owner.changed" | "owner.suspending" | "owner.suspended" | "owner.activated" | "owner.erasing" | "owner.erased" | "event_type.changed";
                /** Only what was done to the key, subscription, delivery or session with this id; or `keys` */
                target?: string;
                /** Only events at this time or later: RFC 3339 */
                since?: string;
                /** Only events before this time: RFC 3339 */
                until?: string;
                /** The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** Items on a page: 1 to 200, default 50. */
                limit?: number;
                /** `json`, the default, `jsonl` or `csv` */
                format?: "json" | "jsonl" | "csv";
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of events, or all events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                    "application/jsonl": components["schemas"]["AuditEvent"];
                    "text/csv": string;
                };
            };
        };
    };
    findCommandLineClient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The issuer and the client */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandLineClient"];
                };
            };
        };
    };
    listEventTypes: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The event types */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventTypeList"];
                };
            };
        };
    };
    exportEventTypes: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    findEventType: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The event type. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The event type */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventType"];
                };
            };
        };
    };
    listAllAuditEvents: {
        parameters: {
            query?: {
                /** Only what belongs to this user: the `sub` at the configured issuer */
                userId?: string;
                /** Only what belongs to this organization. */
                organizationId?: string;
                /** Only what this actor did: `user:` and the user's id, `operator:` and the name of the token, or `service` */
                actor?: string;
                /** Only this action, such as `key.revoked` */
                action?: "key.created" | "key.changed" | "key.rotated" | "key.revoked" | "key.leaked" | "key.expiring" | "key.limit_reached" | "data.read" | "subscription.created" | "subscription.changed" | "subscription.deleted" | "subscription.secret_rotated" | "subscription.disabled" | "subscription.failing" | "subscription.recovered" | "subscription.certificate_expiring" | "consumer.moved" | "consumer.deleted" | "delivery.retried" | "delivery.cancelled" | "session.opened" | "session.ended" | "log.filter_changed" | "owner.changed" | "owner.suspending" | "owner.suspended" | "owner.activated" | "owner.erasing" | "owner.erased" | "event_type.changed";
                /** Only what was done to the key, subscription, delivery or session with this id; or `keys` */
                target?: string;
                /** Only events at this time or later: RFC 3339 */
                since?: string;
                /** Only events before this time: RFC 3339 */
                until?: string;
                /** The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** Items on a page: 1 to 200, default 50. */
                limit?: number;
                /** `json`, the default, `jsonl` or `csv` */
                format?: "json" | "jsonl" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of events, or all events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                    "application/jsonl": components["schemas"]["AuditEvent"];
                    "text/csv": string;
                };
            };
        };
    };
    listAllEventTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The event types */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventTypeList"];
                };
            };
        };
    };
    importEventTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportEventTypes"];
            };
        };
        responses: {
            /** The changes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedEventTypes"];
                };
            };
        };
    };
    findAnyEventType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The event type. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The event type */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventType"];
                };
            };
        };
    };
    putEventType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The event type. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PutEventType"];
            };
        };
        responses: {
            /** The event type */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenEventType"];
                };
            };
        };
    };
    archiveEventType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The event type. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The event type */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenEventType"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** Only events of this user: the `sub` at the configured issuer */
                userId?: string;
                /** Only events of this organization. */
                organizationId?: string;
                /** Only events of this type. */
                type?: string;
                /** Only events published at this time or later: RFC 3339 */
                since?: string;
                /** Only events published before this time: RFC 3339 */
                until?: string;
                /** The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** Items on a page: 1 to 200, default 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    /** Publishes an event. If an event with the same `id`, owner, `type` and exactly the same bytes of `data` exists, the answer is that event with `duplicate: true`. If the `type` or the `data` differ, the answer is a 409. */
    publishEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublishEvent"];
            };
        };
        responses: {
            /** The event is accepted and stored */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedEvent"];
                };
            };
        };
    };
    publishEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublishEvents"];
            };
        };
        responses: {
            /** The events are accepted and stored */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedEvents"];
                };
            };
        };
    };
    findEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The event's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The event */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoggedEvent"];
                };
            };
        };
    };
    listFailingSubscriptions: {
        parameters: {
            query?: {
                /** The `nextCursor` of the previous page */
                cursor?: string;
                /** Items on a page: 1 to 200, default 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of failing subscriptions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FailingSubscriptionPage"];
                };
            };
        };
    };
    introspect: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Introspect"];
                "application/x-www-form-urlencoded": components["schemas"]["IntrospectForm"];
            };
        };
        responses: {
            /** The state of the key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Introspection"];
                };
            };
        };
    };
    reportLeaks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportLeaks"];
            };
        };
        responses: {
            /** The keys are revoked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeaksReported"];
                };
            };
        };
    };
    findLogFilter: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The filter */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogFilter"];
                };
            };
        };
    };
    changeLogFilter: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeLogFilter"];
            };
        };
        responses: {
            /** The filter has changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogFilterChanged"];
                };
            };
        };
    };
    findOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The record of the organization */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"];
                };
            };
        };
    };
    eraseOrganization: {
        parameters: {
            query: {
                /** The id of the path again, so that a slip erases nobody */
                confirm: string;
            };
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The record of the organization, with the state `erasing` */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"];
                };
            };
        };
    };
    changeOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeOwner"];
            };
        };
        responses: {
            /** The changed record of the organization */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"];
                };
            };
        };
    };
    listOrganizationAuditEvents: {
        parameters: {
            query?: {
                /** Only this action, such as `key.revoked` */
                action?: "key.created" | "key.changed" | "key.rotated" | "key.revoked" | "key.leaked" | "key.expiring" | "key.limit_reached" | "data.read" | "subscription.created" | "subscription.changed" | "subscription.deleted" | "subscription.secret_rotated" | "subscription.disabled" | "subscription.failing" | "subscription.recovered" | "subscription.certificate_expiring" | "consumer.moved" | "consumer.deleted" | "delivery.retried" | "delivery.cancelled" | "session.opened" | "session.ended" | "log.filter_changed" | "owner.changed" | "owner.suspending" | "owner.suspended" | "owner.activated" | "owner.erasing" | "owner.erased" | "event_type.changed";
                /** Only what was done to the key, subscription, delivery or session with this id; or `keys` */
                target?: string;
                /** Only events at this time or later: RFC 3339 */
                since?: string;
                /** Only events before this time: RFC 3339 */
                until?: string;
                /** The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** Items on a page: 1 to 200, default 50. */
                limit?: number;
                /** `json`, the default, `jsonl` or `csv` */
                format?: "json" | "jsonl" | "csv";
            };
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of events, or all events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                    "application/jsonl": components["schemas"]["AuditEvent"];
                    "text/csv": string;
                };
            };
        };
    };
    listOrganizationDeliveries: {
        parameters: {
            query?: {
                /** Only deliveries to this subscription */
                subscriptionId?: string;
                /** Only deliveries of events of this type. */
                eventType?: string;
                /** Only deliveries in this state: `waiting`, `sending`, `delivered`, `failed`, `cancelled` or `missed` */
                state?: "waiting" | "sending" | "delivered" | "failed" | "cancelled" | "missed";
                /** Only events published at this time or later: RFC 3339 */
                since?: string;
                /** Only events published before this time: RFC 3339 */
                until?: string;
                /** The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** Items on a page: 1 to 200, default 50 */
                limit?: number;
            };
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of deliveries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
        };
    };
    streamOrganizationAttempts: {
        parameters: {
            query?: {
                /** Only attempts of this subscription */
                subscriptionId?: string;
            };
            header?: {
                /** The id of the last event that the client received */
                "last-event-id"?: string;
            };
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The stream */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["StreamedAttempt"];
                };
            };
        };
    };
    findOrganizationDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The delivery */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryHistory"];
                };
            };
        };
    };
    cancelOrganizationDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The delivery has ended */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedDelivery"];
                };
            };
        };
    };
    retryOrganizationDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The delivery is due */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedDelivery"];
                };
            };
        };
    };
    listOrganizationFailures: {
        parameters: {
            query?: {
                /** Only deliveries to this subscription */
                subscriptionId?: string;
            };
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The causes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failures"];
                };
            };
        };
    };
    retryOrganizationFailures: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetryFailures"];
            };
        };
        responses: {
            /** The deliveries are due */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetriedFailures"];
                };
            };
        };
    };
    testOrganizationFilter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestFilter"];
            };
        };
        responses: {
            /** Whether the event passes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FilterVerdict"];
                };
            };
        };
    };
    listOrganizationApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The organization's keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
        };
    };
    /** Creates an API key, for an organization. Only this answer contains the full key. */
    createOrganizationApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKeyForOwner"];
            };
        };
        responses: {
            /** The key is created */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    revokeOrganizationApiKeys: {
        parameters: {
            query?: {
                /** Revoke only keys that were created before this time (RFC 3339) */
                createdBefore?: string;
            };
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The keys are revoked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeysRevoked"];
                };
            };
        };
    };
    showOrganizationDailyUses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The uses of the keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DailyUses"];
                };
            };
        };
    };
    revokeOrganizationApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The key is revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
        };
    };
    changeOrganizationApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeApiKeyForOwner"];
            };
        };
        responses: {
            /** The changed key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyRecord"];
                };
            };
        };
    };
    rotateOrganizationApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateApiKeyForOwner"];
            };
        };
        responses: {
            /** The key is rotated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    showOrganizationKeyUsage: {
        parameters: {
            query?: {
                /** How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** A time in the last hour: RFC 3339. */
                until?: string;
            };
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The verifications of the key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyUsage"];
                };
            };
        };
    };
    showOrganizationOutcomes: {
        parameters: {
            query?: {
                /** How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** A time in the last hour: RFC 3339. */
                until?: string;
            };
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The outcomes of attempts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcomes"];
                };
            };
        };
    };
    listOrganizationSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The organization's sessions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    endOrganizationSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The sessions have ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    endOrganizationSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The session's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The session has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    setOrganizationState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetOwnerState"];
            };
        };
        responses: {
            /** The changed record of the organization */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"];
                };
            };
        };
    };
    listOrganizationSubscriptions: {
        parameters: {
            query?: {
                /** The `nextCursor` of the previous page */
                cursor?: string;
                /** Items on a page: 1 to 200, default 50 */
                limit?: number;
                /** `health`: each subscription with its health */
                include?: "health";
            };
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of subscriptions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionPage"];
                };
            };
        };
    };
    createOrganizationSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSubscription"];
            };
        };
        responses: {
            /** The subscription is created */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionWithSecret"];
                };
            };
        };
    };
    findOrganizationSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The subscription */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionWithHealth"];
                };
            };
        };
    };
    deleteOrganizationSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The subscription is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeOrganizationSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeSubscription"];
            };
        };
        responses: {
            /** The changed subscription */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedSubscription"];
                };
            };
        };
    };
    listOrganizationConsumers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The consumers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consumers"];
                };
            };
        };
    };
    readOrganizationEvents: {
        parameters: {
            query?: {
                /** The `cursor` of the last answer */
                cursor?: string;
                /** The most events */
                limit?: number;
            };
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoggedEvents"];
                };
            };
        };
    };
    showOrganizationSubscriptionOutcomes: {
        parameters: {
            query?: {
                /** How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** A time in the last hour: RFC 3339. */
                until?: string;
            };
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The outcomes of attempts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcomes"];
                };
            };
        };
    };
    recoverOrganizationSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecoverSubscription"];
            };
        };
        responses: {
            /** The subscription is enabled, and its failed deliveries are due */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveredSubscription"];
                };
            };
        };
    };
    countOrganizationRecoverable: {
        parameters: {
            query: {
                /** Only events published at this time or later: RFC 3339, not in the future */
                since: string;
                /** The deliveries to count: `failed` (failed or waiting for a retry), `missed` (published while the subscription was disabled), or `all` (the default) */
                what?: "all" | "failed" | "missed";
                /** Only these event types and patterns, at most 100, separated by commas */
                events?: string;
            };
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The count */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoverableDeliveries"];
                };
            };
        };
    };
    rotateOrganizationSecret: {
        parameters: {
            query?: never;
            header?: {
                /** Names this rotation, so that it can be repeated */
                "idempotency-key"?: string;
            };
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateSecret"];
            };
        };
        responses: {
            /** The secret is rotated */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionWithSecret"];
                };
            };
        };
    };
    testOrganizationSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The test event is due */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionTest"];
                };
            };
        };
    };
    showOrganizationAttemptTimes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The times of attempts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttemptTimes"];
                };
            };
        };
    };
    testOrganizationUrl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestUrl"];
            };
        };
        responses: {
            /** How the test ended */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UrlTest"];
                };
            };
        };
    };
    listOwners: {
        parameters: {
            query?: {
                /** The start of an id, a name, an e-mail address or a key. */
                query?: string;
                /** Only active owners, or only suspended ones */
                state?: "active" | "suspended";
                /** The `nextCursor` of the previous page; same query and state */
                cursor?: string;
                /** Items on a page: 1 to 200, default 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of owners */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnerPage"];
                };
            };
        };
    };
    /** Makes a link by which a user enters the console without a sign-in. Send the browser of a user whom your application has authenticated to the URL at once: it works for five minutes, and once. */
    createPortalLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePortalLink"];
            };
        };
        responses: {
            /** The link */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalLink"];
                };
            };
        };
    };
    findSystemState: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The state */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemState"];
                };
            };
        };
    };
    findUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The record of the user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"];
                };
            };
        };
    };
    eraseUser: {
        parameters: {
            query: {
                /** The id of the path again, so that a slip erases nobody */
                confirm: string;
            };
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The record of the user, with the state `erasing` */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"];
                };
            };
        };
    };
    changeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeOwner"];
            };
        };
        responses: {
            /** The changed record of the user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"];
                };
            };
        };
    };
    listUserAuditEvents: {
        parameters: {
            query?: {
                /** Only this action, such as `key.revoked` */
                action?: "key.created" | "key.changed" | "key.rotated" | "key.revoked" | "key.leaked" | "key.expiring" | "key.limit_reached" | "data.read" | "subscription.created" | "subscription.changed" | "subscription.deleted" | "subscription.secret_rotated" | "subscription.disabled" | "subscription.failing" | "subscription.recovered" | "subscription.certificate_expiring" | "consumer.moved" | "consumer.deleted" | "delivery.retried" | "delivery.cancelled" | "session.opened" | "session.ended" | "log.filter_changed" | "owner.changed" | "owner.suspending" | "owner.suspended" | "owner.activated" | "owner.erasing" | "owner.erased" | "event_type.changed";
                /** Only what was done to the key, subscription, delivery or session with this id; or `keys` */
                target?: string;
                /** Only events at this time or later: RFC 3339 */
                since?: string;
                /** Only events before this time: RFC 3339 */
                until?: string;
                /** The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** Items on a page: 1 to 200, default 50. */
                limit?: number;
                /** `json`, the default, `jsonl` or `csv` */
                format?: "json" | "jsonl" | "csv";
            };
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of events, or all events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                    "application/jsonl": components["schemas"]["AuditEvent"];
                    "text/csv": string;
                };
            };
        };
    };
    listUserDeliveries: {
        parameters: {
            query?: {
                /** Only deliveries to this subscription */
                subscriptionId?: string;
                /** Only deliveries of events of this type. */
                eventType?: string;
                /** Only deliveries in this state: `waiting`, `sending`, `delivered`, `failed`, `cancelled` or `missed` */
                state?: "waiting" | "sending" | "delivered" | "failed" | "cancelled" | "missed";
                /** Only events published at this time or later: RFC 3339 */
                since?: string;
                /** Only events published before this time: RFC 3339 */
                until?: string;
                /** The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** Items on a page: 1 to 200, default 50 */
                limit?: number;
            };
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of deliveries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
        };
    };
    streamUserAttempts: {
        parameters: {
            query?: {
                /** Only attempts of this subscription */
                subscriptionId?: string;
            };
            header?: {
                /** The id of the last event that the client received */
                "last-event-id"?: string;
            };
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The stream */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["StreamedAttempt"];
                };
            };
        };
    };
    findUserDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The delivery */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryHistory"];
                };
            };
        };
    };
    cancelUserDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The delivery has ended */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedDelivery"];
                };
            };
        };
    };
    retryUserDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The delivery is due */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedDelivery"];
                };
            };
        };
    };
    listUserFailures: {
        parameters: {
            query?: {
                /** Only deliveries to this subscription */
                subscriptionId?: string;
            };
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The causes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failures"];
                };
            };
        };
    };
    retryUserFailures: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetryFailures"];
            };
        };
        responses: {
            /** The deliveries are due */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetriedFailures"];
                };
            };
        };
    };
    testUserFilter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestFilter"];
            };
        };
        responses: {
            /** Whether the event passes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FilterVerdict"];
                };
            };
        };
    };
    listUserApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The user's keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
        };
    };
    /** Creates an API key, for a user. Only this answer contains the full key. */
    createUserApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKeyForOwner"];
            };
        };
        responses: {
            /** The key is created */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    revokeUserApiKeys: {
        parameters: {
            query?: {
                /** Revoke only keys that were created before this time (RFC 3339) */
                createdBefore?: string;
            };
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The keys are revoked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeysRevoked"];
                };
            };
        };
    };
    showUserDailyUses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The uses of the keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DailyUses"];
                };
            };
        };
    };
    revokeUserApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The key is revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
        };
    };
    changeUserApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeApiKeyForOwner"];
            };
        };
        responses: {
            /** The changed key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyRecord"];
                };
            };
        };
    };
    rotateUserApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateApiKeyForOwner"];
            };
        };
        responses: {
            /** The key is rotated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    showUserKeyUsage: {
        parameters: {
            query?: {
                /** How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** A time in the last hour: RFC 3339. */
                until?: string;
            };
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The verifications of the key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyUsage"];
                };
            };
        };
    };
    showUserOutcomes: {
        parameters: {
            query?: {
                /** How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** A time in the last hour: RFC 3339. */
                until?: string;
            };
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The outcomes of attempts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcomes"];
                };
            };
        };
    };
    listUserSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The user's sessions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    endUserSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The sessions have ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    endUserSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The session's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The session has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    setUserState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetOwnerState"];
            };
        };
        responses: {
            /** The changed record of the user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"];
                };
            };
        };
    };
    listUserSubscriptions: {
        parameters: {
            query?: {
                /** The `nextCursor` of the previous page */
                cursor?: string;
                /** Items on a page: 1 to 200, default 50 */
                limit?: number;
                /** `health`: each subscription with its health */
                include?: "health";
            };
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of subscriptions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionPage"];
                };
            };
        };
    };
    createUserSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSubscription"];
            };
        };
        responses: {
            /** The subscription is created */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionWithSecret"];
                };
            };
        };
    };
    findUserSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The subscription */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionWithHealth"];
                };
            };
        };
    };
    deleteUserSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The subscription is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeUserSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeSubscription"];
            };
        };
        responses: {
            /** The changed subscription */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedSubscription"];
                };
            };
        };
    };
    listUserConsumers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The consumers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consumers"];
                };
            };
        };
    };
    readUserEvents: {
        parameters: {
            query?: {
                /** The `cursor` of the last answer */
                cursor?: string;
                /** The most events */
                limit?: number;
            };
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoggedEvents"];
                };
            };
        };
    };
    showUserSubscriptionOutcomes: {
        parameters: {
            query?: {
                /** How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** A time in the last hour: RFC 3339. */
                until?: string;
            };
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The outcomes of attempts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcomes"];
                };
            };
        };
    };
    recoverUserSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecoverSubscription"];
            };
        };
        responses: {
            /** The subscription is enabled, and its failed deliveries are due */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveredSubscription"];
                };
            };
        };
    };
    countUserRecoverable: {
        parameters: {
            query: {
                /** Only events published at this time or later: RFC 3339, not in the future */
                since: string;
                /** The deliveries to count: `failed` (failed or waiting for a retry), `missed` (published while the subscription was disabled), or `all` (the default) */
                what?: "all" | "failed" | "missed";
                /** Only these event types and patterns, at most 100, separated by commas */
                events?: string;
            };
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The count */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoverableDeliveries"];
                };
            };
        };
    };
    rotateUserSecret: {
        parameters: {
            query?: never;
            header?: {
                /** Names this rotation, so that it can be repeated */
                "idempotency-key"?: string;
            };
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateSecret"];
            };
        };
        responses: {
            /** The secret is rotated */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionWithSecret"];
                };
            };
        };
    };
    testUserSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The test event is due */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionTest"];
                };
            };
        };
    };
    showUserAttemptTimes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The times of attempts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttemptTimes"];
                };
            };
        };
    };
    testUserUrl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestUrl"];
            };
        };
        responses: {
            /** How the test ended */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UrlTest"];
                };
            };
        };
    };
    findCurrentSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The session of this browser */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentSession"];
                };
            };
        };
    };
    beginVisit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BeginVisit"];
            };
        };
        responses: {
            /** Signed in */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Visit"];
                };
            };
        };
    };
    endCurrentSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The session has ended */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The user's sessions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    endSessions: {
        parameters: {
            query?: {
                /** `true`: the session that makes the call stays */
                keepCurrent?: boolean;
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The sessions have ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The session's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The session has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** Only deliveries to this subscription */
                subscriptionId?: string;
                /** Only deliveries of events of this type. */
                eventType?: string;
                /** Only deliveries in this state: `waiting`, `sending`, `delivered`, `failed`, `cancelled` or `missed` */
                state?: "waiting" | "sending" | "delivered" | "failed" | "cancelled" | "missed";
                /** Only events published at this time or later: RFC 3339 */
                since?: string;
                /** Only events published before this time: RFC 3339 */
                until?: string;
                /** The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** Items on a page: 1 to 200, default 50 */
                limit?: number;
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of deliveries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
        };
    };
    streamAttempts: {
        parameters: {
            query?: {
                /** Only attempts of this subscription */
                subscriptionId?: string;
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: {
                /** The id of the last event that the client received */
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The stream */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["StreamedAttempt"];
                };
            };
        };
    };
    findDelivery: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The delivery */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryHistory"];
                };
            };
        };
    };
    cancelDelivery: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The delivery has ended */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedDelivery"];
                };
            };
        };
    };
    retryDelivery: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The delivery is due */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedDelivery"];
                };
            };
        };
    };
    listFailures: {
        parameters: {
            query?: {
                /** Only deliveries to this subscription */
                subscriptionId?: string;
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The causes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failures"];
                };
            };
        };
    };
    retryFailures: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetryFailures"];
            };
        };
        responses: {
            /** The deliveries are due */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetriedFailures"];
                };
            };
        };
    };
    testFilter: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestFilter"];
            };
        };
        responses: {
            /** Whether the event passes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FilterVerdict"];
                };
            };
        };
    };
    showOutcomes: {
        parameters: {
            query?: {
                /** How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** A time in the last hour: RFC 3339. */
                until?: string;
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The outcomes of attempts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcomes"];
                };
            };
        };
    };
    listSubscriptions: {
        parameters: {
            query?: {
                /** The `nextCursor` of the previous page */
                cursor?: string;
                /** Items on a page: 1 to 200, default 50 */
                limit?: number;
                /** `health`: each subscription with its health */
                include?: "health";
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of subscriptions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionPage"];
                };
            };
        };
    };
    createSubscription: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSubscription"];
            };
        };
        responses: {
            /** The subscription is created */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionWithSecret"];
                };
            };
        };
    };
    findSubscription: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The subscription */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionWithHealth"];
                };
            };
        };
    };
    deleteSubscription: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The subscription is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeSubscription: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeSubscription"];
            };
        };
        responses: {
            /** The changed subscription */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedSubscription"];
                };
            };
        };
    };
    listConsumers: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The consumers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consumers"];
                };
            };
        };
    };
    deleteConsumer: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The subscription's id */
                id: string;
                /** The consumer's name */
                consumer: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The consumer is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    commitEvents: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The subscription's id */
                id: string;
                /** The consumer's name */
                consumer: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommitEvents"];
            };
        };
        responses: {
            /** The events are committed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveEvents: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The subscription's id */
                id: string;
                /** The consumer's name */
                consumer: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReceiveEvents"];
            };
        };
        responses: {
            /** The events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceivedEvents"];
                };
            };
        };
    };
    seekConsumer: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The subscription's id */
                id: string;
                /** The consumer's name */
                consumer: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SeekConsumer"];
            };
        };
        responses: {
            /** The consumer is there */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readEvents: {
        parameters: {
            query?: {
                /** The `cursor` of the last answer */
                cursor?: string;
                /** The most events */
                limit?: number;
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoggedEvents"];
                };
            };
        };
    };
    showSubscriptionOutcomes: {
        parameters: {
            query?: {
                /** How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** A time in the last hour: RFC 3339. */
                until?: string;
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The outcomes of attempts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcomes"];
                };
            };
        };
    };
    recoverSubscription: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecoverSubscription"];
            };
        };
        responses: {
            /** The subscription is enabled, and its failed deliveries are due */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveredSubscription"];
                };
            };
        };
    };
    countRecoverable: {
        parameters: {
            query: {
                /** Only events published at this time or later: RFC 3339, not in the future */
                since: string;
                /** The deliveries to count: `failed` (failed or waiting for a retry), `missed` (published while the subscription was disabled), or `all` (the default) */
                what?: "all" | "failed" | "missed";
                /** Only these event types and patterns, at most 100, separated by commas */
                events?: string;
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The count */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoverableDeliveries"];
                };
            };
        };
    };
    rotateSecret: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: {
                /** Names this rotation, so that it can be repeated */
                "idempotency-key"?: string;
            };
            path: {
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateSecret"];
            };
        };
        responses: {
            /** The secret is rotated */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionWithSecret"];
                };
            };
        };
    };
    testSubscription: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The test event is due */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionTest"];
                };
            };
        };
    };
    showAttemptTimes: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The times of attempts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttemptTimes"];
                };
            };
        };
    };
    testUrl: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestUrl"];
            };
        };
        responses: {
            /** How the test ended */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UrlTest"];
                };
            };
        };
    };
    whoami: {
        parameters: {
            query?: {
                /** The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The user and the credential */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whoami"];
                };
            };
        };
    };
    completeSignIn: {
        parameters: {
            query?: {
                /** The authorization code */
                code?: string;
                /** The state of the sign-in */
                state?: string;
                /** The issuer (RFC 9207) */
                iss?: string;
                /** The error with which the identity provider refused the sign-in */
                error?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: {
                /** The page to show afterwards: a path under `/console/`. */
                next?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Leads to the identity provider */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Signed out. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    docsPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    errorIndex: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    errorPage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The code of a problem document */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    docsFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The file's name */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    favicon: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The icon */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                };
            };
        };
    };
    forwardAuth: {
        parameters: {
            query?: {
                /** The scopes that the key must have. */
                scope?: string[];
                /** `nginx`: a key over its rate limit gets a 403 with `X-Auth-Status: 429`, because nginx turns a 429 into a 500 */
                profile?: "nginx";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The request may pass */
            200: {
                headers: {
                    /** The key's id */
                    "x-auth-key-id"?: string;
                    /** The metadata of the key that `FORWARD_METADATA` names, form-encoded */
                    "x-auth-metadata"?: string;
                    /** The organization's id, percent-encoded. */
                    "x-auth-organization"?: string;
                    /** The key's scopes, separated by spaces; may be empty */
                    "x-auth-scopes"?: string;
                    /** The user's `sub`, percent-encoded. */
                    "x-auth-user"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    forwardAuthOfPath: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The path of the caller's request, including slashes; ignored */
                tail: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The request may pass */
            200: {
                headers: {
                    /** The key's id */
                    "x-auth-key-id"?: string;
                    /** The metadata of the key that `FORWARD_METADATA` names, form-encoded */
                    "x-auth-metadata"?: string;
                    /** The organization's id, percent-encoded. */
                    "x-auth-organization"?: string;
                    /** The key's scopes, separated by spaces; may be empty */
                    "x-auth-scopes"?: string;
                    /** The user's `sub`, percent-encoded. */
                    "x-auth-user"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    health: {
        parameters: {
            query?: {
                /** Lists each check. */
                verbose?: string;
                /** `verify`: checks only what verification depends on */
                for?: "verify";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The service is ready */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    live: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The process is alive */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Liveness"];
                };
            };
        };
    };
    openapiDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** OpenAPI 3.1 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: {
                /** Lists each check. */
                verbose?: string;
                /** `verify`: checks only what verification depends on */
                for?: "verify";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The service is ready */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
}
