// Generated from docs/openapi.json: `npm run generate`.
export interface components {
    schemas: {
        /** @description An attempt that has ended. */
        Attempt: {
            /**
             * Format: int64
             * @description The duration of the attempt in milliseconds.
             */
            durationMs: number;
            /**
             * @description Why the attempt failed: `address_refused`, `dns`, `connect`, `tls`, `timeout`, `redirect`, `status` or
             *     `too_slow`; `null` after a success.
             * @enum {string|null}
             */
            error: "address_refused" | "dns" | "connect" | "tls" | "timeout" | "redirect" | "status" | "too_slow" | null;
            /**
             * Format: int32
             * @description The number of the attempt within its delivery, from 1.
             */
            number: number;
            /** @description The first 16 KiB of the answer's body as text. */
            response?: string;
            /** @description The headers of the answer to an attempt that failed, at most 2 KiB and without `set-cookie`. */
            responseHeaders?: components["schemas"]["Header"][];
            /**
             * Format: date-time
             * @description When the attempt started.
             */
            startedAt: string;
            /**
             * Format: int32
             * @description The HTTP status of the receiver's answer; `null` when there was no answer.
             */
            status: number | null;
        };
        /** @description Attempts to deliver, by outcome. */
        AttemptCounts: {
            /**
             * Format: int64
             * @description Attempts that a shutdown cut off.
             */
            cutOff: number;
            /**
             * Format: int64
             * @description Attempts that delivered.
             */
            delivered: number;
            /**
             * Format: int64
             * @description Attempts that the receiver failed.
             */
            failed: number;
            /**
             * Format: int64
             * @description Attempts that Gatepost could not make.
             */
            notCharged: number;
        };
        /** @description How long attempts took, in milliseconds. */
        AttemptTimes: {
            /**
             * Format: int32
             * @description How many attempts count.
             */
            attempts: number;
            /**
             * Format: int64
             * @description Half of the attempts took no longer; `null` without an attempt.
             */
            p50Ms: number | null;
            /**
             * Format: int64
             * @description 95 % of the attempts took no longer; `null` without an attempt.
             */
            p95Ms: number | null;
            /**
             * Format: date-time
             * @description Only attempts that ended after this time count.
             */
            since: string;
        };
        /** @description An actor. */
        AuditActor: {
            /** @description The user's id, or the name of the operator token. */
            id?: string;
            /**
             * @description `user`, `operator` or `service`.
             * @enum {string}
             */
            type: "user" | "operator" | "service";
        };
        /** @description A field before and after. */
        AuditChange: {
            /** @description After; absent if there is nothing. */
            after?: string;
            /** @description Before; absent if there was nothing. */
            before?: string;
            /**
             * @description The field.
             * @enum {string}
             */
            field: "label" | "scopes" | "expiresAt" | "metadata" | "rateLimit" | "successor" | "url" | "events" | "filter" | "description" | "headers" | "auth" | "maxPerSecond" | "signing" | "status" | "health" | "activeKeys" | "deliveries" | "role" | "logFilter" | "name" | "email" | "maxActiveKeys" | "maxSubscriptions" | "reason" | "eventType" | "schemaVersion" | "validation" | "visibility";
        };
        /** @description Who did what, how, when and from where. */
        AuditEvent: {
            /**
             * @description What was done.
             * @enum {string}
             */
            action: "key.created" | "key.changed" | "key.rotated" | "key.revoked" | "key.leaked" | "key.expiring" | "key.limit_reached" | "data.read" | "subscription.created" | "subscription.changed" | "subscription.deleted" | "subscription.secret_rotated" | "subscription.disabled" | "subscription.failing" | "subscription.recovered" | "delivery.retried" | "delivery.cancelled" | "session.opened" | "session.ended" | "log.filter_changed" | "owner.changed" | "owner.suspended" | "owner.activated" | "event_type.changed";
            /** @description Who did it. */
            actor: components["schemas"]["AuditActor"];
            /** @description The address from which the request came. */
            address?: string;
            /**
             * Format: date-time
             * @description When it was done.
             */
            at: string;
            /** @description What changed, of what is not secret. */
            changes: components["schemas"]["AuditChange"][];
            /** @description Identifies the event. */
            id: string;
            /** @description Whose the target is, if it is an organization. */
            organizationId?: string;
            /** @description The id of the request. */
            requestId?: string;
            /** @description What it was done to. */
            target: components["schemas"]["AuditTarget"];
            /** @description Whose the target is, by the subject (`sub`); absent if it is an organization. */
            userId?: string;
            /** @description How the actor proved who they are. */
            via: components["schemas"]["AuditMeans"];
        };
        /** @description The means of an actor. */
        AuditMeans: {
            /** @description The id of the API key or the session, or the name of another means. */
            id?: string;
            /** @description `idToken`, `apiKey`, `session`, `operatorToken` or `service`; `other` for one of a later version. */
            type: string;
        };
        /** @description A page of the audit log. */
        AuditPage: {
            /** @description The events, newest first. */
            events: components["schemas"]["AuditEvent"][];
            /** @description The `cursor` of the next page; absent on the last page. */
            nextCursor?: string;
        };
        /** @description A target. */
        AuditTarget: {
            /** @description The id. */
            id?: string;
            /**
             * @description `apiKey`, `subscription`, `delivery`, `session` or `event`; or `apiKeys`, `subscriptions`, `deliveries`, `sessions`
             *     or `events` for all of the user's; or `log` for the log of an instance; `other` for one of a later version.
             */
            type: string;
        };
        /** @description A user name and a password, in the header `authorization`. */
        BasicAuth: {
            /** @description The password: ASCII, without control characters; may be empty. */
            password: string;
            /**
             * @description Always `basic`.
             * @enum {string}
             */
            type: "basic";
            /** @description The user name: ASCII, without control characters and colons. */
            username: string;
        };
        /** @description A bearer token, in the header `authorization`. */
        BearerAuth: {
            /** @description The token: visible ASCII characters, without spaces. */
            token: string;
            /**
             * @description Always `bearer`.
             * @enum {string}
             */
            type: "bearer";
        };
        /** @description The code of a portal link. */
        BeginVisit: {
            /** @description The fragment of the link. */
            code: string;
        };
        /** @description The changes. */
        ChangeApiKey: {
            /** @description Whether the key is refused until it is enabled again. */
            disabled?: boolean;
            /**
             * Format: date-time
             * @description An earlier end of the key: RFC 3339, in the future.
             */
            expiresAt?: string;
            /** @description The ID token, if no header carries it. */
            idToken?: string;
            /** @description The new name of the key: 1 to 100 characters after trimming, no control characters. */
            label?: string;
            /** @description Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** @description How often the key may be used, such as `100/s`. */
            rateLimit?: string | null;
        };
        /** @description The changes. */
        ChangeApiKeyForOwner: {
            /** @description Whether the key is refused until it is enabled again. */
            disabled?: boolean;
            /**
             * Format: date-time
             * @description An earlier end of the key: RFC 3339, in the future.
             */
            expiresAt?: string;
            /** @description The new name of the key: 1 to 100 characters after trimming, no control characters. */
            label?: string;
            /** @description Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** @description How often the key may be used, such as `100/s`. */
            rateLimit?: string | null;
        };
        /** @description Which lines the log of this instance is to have. */
        ChangeLogFilter: {
            /**
             * Format: log-filter
             * @description `error`, `warn`, `info`, `debug`, `trace` or `off`, and `target=level` for parts, separated by commas.
             */
            filter: string;
        };
        /** @description The changes. */
        ChangeOwner: {
            /** @description The e-mail address, for people. */
            email?: string | null;
            /**
             * Format: int32
             * @description The most active keys, in place of `API_KEYS_MAX_ACTIVE`.
             */
            maxActiveKeys?: number | null;
            /**
             * Format: int32
             * @description The most subscriptions, in place of `WEBHOOK_MAX_SUBSCRIPTIONS`.
             */
            maxSubscriptions?: number | null;
            /** @description Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** @description The name, for people. */
            name?: string | null;
        };
        /** @description The changes. */
        ChangeSubscription: {
            /** @description The authentication of each request. */
            auth?: components["schemas"]["BearerAuth"] | components["schemas"]["BasicAuth"] | components["schemas"]["HeaderAuth"] | null;
            /** @description The new description. */
            description?: string;
            /** @description Whether to send events. */
            enabled?: boolean;
            /** @description The new event types and patterns. */
            events?: string[];
            filter?: components["schemas"]["PayloadFilter"] | null;
            /** @description The headers to set, and with `null` those to remove. */
            headers?: {
                [key: string]: string | null;
            } | null;
            /**
             * @description The most deliveries in a second, over all instances of the service, retries included: 0.1 (one in ten seconds) to 1,000, rounded to three decimal places.
             * @example 5
             */
            maxPerSecond?: number | null;
            /**
             * Format: uri
             * @description The new URL.
             */
            url?: string;
        };
        /** @description The delivery after a change. */
        ChangedDelivery: {
            /** @description The delivery. */
            delivery: components["schemas"]["Delivery"];
        };
        /** @description The subscription after a change. */
        ChangedSubscription: {
            /**
             * @description Which fields lost values that the call did not set, because the URL has another scheme, host or port: `headers`,
             *     `auth`.
             */
            dropped?: string[];
            /** @description The subscription. */
            subscription: components["schemas"]["Subscription"];
        };
        /** @description The outcome of a readiness check. */
        CheckOutcome: {
            /** @description Why the check failed; absent when it passed. */
            detail?: string;
            /** @description The name of the check. */
            name: string;
            /** @description Whether the check passed. */
            status: components["schemas"]["CheckStatus"];
        };
        /**
         * @description Whether a check passed.
         * @enum {string}
         */
        CheckStatus: "ok" | "failed";
        /** @description How a command line signs in at the identity provider. */
        CommandLineClient: {
            /** @description The client id. */
            clientId: string;
            /** @description The identity provider, as its ID tokens have it in `iss`. */
            issuer: string;
        };
        /** @description The properties of the new key. */
        CreateApiKey: {
            /**
             * Format: date-time
             * @description When the key expires: RFC 3339, in the future.
             */
            expiresAt?: string | null;
            /** @description The ID token, if no header carries it. */
            idToken?: string | null;
            /** @description The name of the key: 1 to 100 characters after trimming, no control characters. */
            label: string;
            /** @description Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata?: {
                [key: string]: string;
            };
            /** @description How often the key may be used, such as `100/s`: a count, and `s`, `m` or `h`. */
            rateLimit?: string | null;
            /** @description The scopes of the key, as the host application defines them: at most 32 scope tokens (RFC 6749). */
            scopes?: string[] | null;
        };
        /** @description The properties of the new key. */
        CreateApiKeyForOwner: {
            /**
             * Format: date-time
             * @description When the key expires: RFC 3339, in the future.
             */
            expiresAt?: string | null;
            /** @description The name of the key: 1 to 100 characters after trimming, no control characters. */
            label: string;
            /** @description Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata?: {
                [key: string]: string;
            };
            /** @description How often the key may be used, such as `100/s`: a count, and `s`, `m` or `h`. */
            rateLimit?: string | null;
            /** @description The scopes of the key, as the host application defines them: at most 32 scope tokens (RFC 6749). */
            scopes?: string[] | null;
        };
        /** @description What the link is for. */
        CreatePortalLink: {
            /** @description What the visitor may do: `keys` and `webhooks` to change, `keys:read` and `webhooks:read` only to see. */
            capabilities?: ("keys" | "keys:read" | "webhooks" | "webhooks:read")[] | null;
            /** @description The organization for which somebody visits, in place of a user. */
            organizationId?: string | null;
            /**
             * Format: uri
             * @description The page of your application to which the console leads back.
             */
            returnUrl?: string | null;
            /**
             * Format: int64
             * @description How many seconds the visit lasts at most: 60 to 604,800 (a week).
             * @default 43200
             */
            ttlSeconds?: number | null;
            /** @description The user who visits, by the `sub` at the configured issuer. */
            userId?: string | null;
        };
        /** @description The properties of the new subscription. */
        CreateSubscription: {
            /** @description The authentication of each request. */
            auth?: components["schemas"]["BearerAuth"] | components["schemas"]["BasicAuth"] | components["schemas"]["HeaderAuth"] | null;
            /** @description A description: up to 1,000 characters, no control characters except line breaks and tabs. */
            description?: string | null;
            /**
             * @description Which events to send: 1 to 100 event types (`invoice.paid`), patterns (`invoice.*`), or `*` for all but those
             *     that begin with `gatepost.`.
             */
            events: string[];
            filter?: components["schemas"]["PayloadFilter"] | null;
            /** @description Headers that the service adds to each request: at most 16, 8 KiB together, with values of visible ASCII. */
            headers?: {
                [key: string]: string;
            } | null;
            /**
             * @description The most deliveries in a second, over all instances of the service, retries included: 0.1 (one in ten seconds) to 1,000, rounded to three decimal places.
             * @example 5
             */
            maxPerSecond?: number | null;
            /**
             * @description The secret that signs webhooks: `whsec_` and 24 to 64 bytes in base64, or 1 to 256 other characters, whose bytes
             *     are the key.
             */
            secret?: string | null;
            /**
             * @description Which signatures webhooks carry: `hmac` (`v1`, by the secret), `ed25519` (`v1a`, by a private key that never leaves
             *     the service, so that a stolen receiver cannot sign), or `both`.
             * @default hmac
             * @enum {string|null}
             */
            signing?: "hmac" | "ed25519" | "both" | null;
            /**
             * Format: uri
             * @description Where to send events: an absolute `https` URL (or `http`, if the operator allows it) without user information.
             */
            url: string;
        };
        /** @description The new key, which is shown only this once, and the user's list of keys. */
        CreatedApiKey: {
            /** @description The full key. */
            key: string;
            /** @description The new key's id. */
            keyId: string;
            /** @description The user's keys, including the new key, newest first. */
            keys: components["schemas"]["KeyRecord"][];
        };
        /** @description The session of the browser that calls. */
        CurrentSession: {
            /**
             * @description What the session may do with what belongs to the user: `keys` and `webhooks` to change, `keys:read` and
             *     `webhooks:read` to see.
             */
            capabilities: string[];
            /**
             * Format: date-time
             * @description When the user signed in.
             */
            createdAt: string;
            /** @description The organization with which the console begins; absent if it begins with the user. */
            defaultOrganizationId?: string;
            /**
             * Format: date-time
             * @description When the session ends, however much it is used.
             */
            expiresAt: string;
            /** @description Identifies the session in the list of sessions. */
            id: string;
            /**
             * Format: date-time
             * @description When the session ends if it is not used again.
             */
            idleExpiresAt: string;
            /** @description The organizations for which the session can act, with `?organization=`; absent if there are none. */
            organizations?: components["schemas"]["SessionOrganization"][];
            /**
             * @description `user`, `operator`, or `visitor`: a user who came by a link of the host application.
             * @enum {string}
             */
            role: "user" | "operator" | "visitor";
            /**
             * Format: date-time
             * @description When the session can no longer act for them, until the user signs in again; absent if there are none.
             */
            rolesExpireAt?: string;
            /** @description Who signed in. */
            user: components["schemas"]["SessionUser"];
        };
        /** @description How often the caller's keys were used, by the day. */
        DailyUses: {
            /** @description The keys, those that were used or made last first. */
            keys: components["schemas"]["DailyUsesOfKey"][];
            /**
             * Format: date-time
             * @description When the first of the 30 days began.
             */
            since: string;
        };
        /** @description How often one key was used. */
        DailyUsesOfKey: {
            /** @description How often the key was found good on each day. */
            days: number[];
            /** @description The key. */
            keyId: string;
        };
        /** @description The delivery of one event to one subscription. */
        Delivery: {
            /**
             * Format: int32
             * @description How many attempts have started.
             */
            attempts: number;
            /**
             * Format: date-time
             * @description When the delivery ended; `null` until then.
             */
            completedAt: string | null;
            /**
             * Format: date-time
             * @description When the event was published.
             */
            createdAt: string;
            /** @description The id of the event, which the receiver sees as `webhook-id`. */
            eventId: string;
            /** @description The event's type. */
            eventType: string;
            /** @description Identifies the delivery. */
            id: string;
            lastAttempt?: components["schemas"]["Attempt"] | null;
            /**
             * Format: date-time
             * @description When the next attempt is due; `null` unless the delivery waits.
             */
            nextAttemptAt: string | null;
            /**
             * @description Why the delivery failed or was cancelled: `schedule_spent`, `subscription_disabled`, `unreadable`, `cancelled` or
             *     `subscription_deleted`.
             */
            reason?: string;
            /**
             * @description `waiting`, `sending`, `delivered`, `failed` or `cancelled`.
             * @enum {string}
             */
            state: "waiting" | "sending" | "delivered" | "failed" | "cancelled";
            /** @description The subscription that receives the event. */
            subscriptionId: string;
        };
        /** @description A delivery with its event and its attempts. */
        DeliveryHistory: {
            /** @description The attempts that have ended, oldest first. */
            attempts: components["schemas"]["Attempt"][];
            /** @description The delivery. */
            delivery: components["schemas"]["Delivery"];
            /** @description The event, including the body that is sent. */
            event: components["schemas"]["Event"];
        };
        /** @description A page of the caller's deliveries. */
        DeliveryPage: {
            /** @description The deliveries, newest first. */
            deliveries: components["schemas"]["Delivery"][];
            /** @description The `cursor` of the next page; absent on the last page. */
            nextCursor?: string;
        };
        /** @description From when on receivers should stop using a type. */
        Deprecation: {
            /** @description The type to use in its place. */
            replacement?: string;
            /**
             * Format: date-time
             * @description From when on.
             */
            since: string;
        };
        /** @description A published event. */
        Event: {
            /**
             * Format: date-time
             * @description When the event was published.
             */
            createdAt: string;
            /** @description Identifies the event. */
            id: string;
            /** @description Who receives the event, if it is an organization. */
            organizationId?: string;
            /** @description The body that is signed and sent, byte for byte. */
            payload?: Record<string, unknown>;
            /** @description The type of the event. */
            type: string;
            /** @description Who receives the event, by the subject (`sub`); absent if it is an organization. */
            userId?: string;
        };
        /** @description Published events, by result. */
        EventCounts: {
            /**
             * Format: int64
             * @description Events that were stored.
             */
            accepted: number;
            /**
             * Format: int64
             * @description Events in conflict with another event of the same id.
             */
            conflict: number;
            /**
             * Format: int64
             * @description Events that were published before.
             */
            duplicate: number;
            /**
             * Format: int64
             * @description Events without an answer, because the database did not answer.
             */
            failed: number;
        };
        /** @description A page of events. */
        EventPage: {
            /** @description The events, newest first, without their payloads. */
            events: components["schemas"]["LoggedEvent"][];
            /** @description The `cursor` of the next page; absent on the last page. */
            nextCursor?: string;
        };
        /** @description What the catalogue has about a type of events. */
        EventType: {
            /** @description Whether the type is not to be published any more. */
            archived: boolean;
            /** @description Present if receivers should stop using the type. */
            deprecated?: components["schemas"]["Deprecation"];
            /** @description When the event happens and what it means: Markdown without HTML. */
            description?: string;
            /** @description Examples of `data`, as they were written. */
            examples?: unknown[];
            /** @description The type of the events. */
            name: string;
            /** @description The JSON Schema (2020-12) of `data`, as it was written. */
            schema?: Record<string, unknown>;
            /** @description A short name for people. */
            title?: string;
            /**
             * Format: date-time
             * @description When the entry was changed last.
             */
            updatedAt: string;
            /**
             * @description The treatment of events whose `data` breaks the schema: `off`, `warn` or `enforce`.
             * @enum {string}
             */
            validation: "off" | "warn" | "enforce";
            /**
             * Format: int32
             * @description The number of the schema, from 1.
             */
            version: number;
            /**
             * @description Who sees the entry: `public` or `hidden`.
             * @enum {string}
             */
            visibility: "public" | "hidden";
        };
        /** @description Event types. */
        EventTypeList: {
            /** @description The event types, sorted by name, without schemas and examples. */
            eventTypes: components["schemas"]["EventType"][];
        };
        /** @description An enabled subscription whose last attempt failed. */
        FailingSubscription: {
            /**
             * Format: date-time
             * @description When the current run of failures began.
             */
            failingSince: string | null;
            /**
             * Format: int32
             * @description How many attempts have failed in a row.
             */
            failuresInARow: number;
            /** @description The subscription's id. */
            id: string;
            lastAttempt: components["schemas"]["Attempt"] | null;
            /** @description Whose subscription it is, if it is an organization. */
            organizationId?: string;
            /**
             * @description The `error` of the last attempt, or `retry_after` when the receiver asked for the pause; `null` when it is no
             *     longer known.
             */
            reason: string | null;
            /** @description Scheme, host and port of the receiver. */
            receiver: string;
            /** @description `failing` or `paused`. */
            state: string;
            /** @description Whose subscription it is, by the subject (`sub`); absent if it is an organization. */
            userId?: string;
        };
        /** @description A page of failing subscriptions. */
        FailingSubscriptionPage: {
            /** @description The `cursor` of the next page; absent on the last page. */
            nextCursor?: string;
            /** @description The subscriptions. */
            subscriptions: components["schemas"]["FailingSubscription"][];
        };
        /** @description Deliveries that failed for the same cause. */
        FailureGroup: {
            /**
             * Format: int32
             * @description How many deliveries failed for this cause.
             */
            deliveries: number;
            /**
             * @description Why the last attempt failed: an error as in an attempt.
             * @enum {string|null}
             */
            error: "address_refused" | "dns" | "connect" | "tls" | "timeout" | "redirect" | "status" | "too_slow" | null;
            /** @description The delivery of the newest event. */
            newestDeliveryId: string;
            /**
             * Format: int32
             * @description The HTTP status of the answer to the last attempt; `null` when there was no answer.
             */
            status: number | null;
            /** @description The subscription that was to receive the events. */
            subscriptionId: string;
            /** @description The subscription's URL. */
            url: string;
        };
        /** @description The caller's failed deliveries, by cause. */
        Failures: {
            /** @description The groups, the largest first. */
            failures: components["schemas"]["FailureGroup"][];
            /** @description Whether all failed deliveries are counted. */
            isComplete: boolean;
        };
        /** @description A fault in a field of the body or in a parameter of the query. */
        FieldFault: {
            /** @description What the field must be. */
            detail: string;
            /** @description The field's name, or its path in the body: `events[3].type`. */
            field: string;
        };
        /** @description What the filter says about the event. */
        FilterVerdict: {
            /** @description The leaf that was checked last: with it the answer was certain. */
            decidedBy: string;
            /** @description Whether the event passes. */
            passes: boolean;
        };
        /** @description A header of an answer. */
        Header: {
            /** @description The name, in lower case. */
            name: string;
            /** @description The value. */
            value: string;
        };
        /** @description A header with a credential. */
        HeaderAuth: {
            /** @description The name of the header: one that `headers` may have, or `authorization`. */
            name: string;
            /**
             * @description Always `header`.
             * @enum {string}
             */
            type: "header";
            /** @description The value of the header. */
            value: string;
        };
        /** @description The key to verify. */
        Introspect: {
            /** @description The scopes that the key must have. */
            scopes?: string[] | null;
            /** @description The full key. */
            token: string;
        };
        /** @description The key to verify, as RFC 7662 defines it. */
        IntrospectForm: {
            /** @description The full key. */
            token: string;
        } & {
            [key: string]: string;
        };
        /** @description The introspection answer of RFC 7662. */
        Introspection: {
            /** @description Whether the key is valid now and has every required scope. */
            active: boolean;
            /** @description The key's id. */
            client_id?: string;
            /** @description The member of the organization who created the key, by the `sub`; absent if no member did. */
            created_by?: string;
            /**
             * Format: int64
             * @description When the key expires, in the same seconds; absent if it does not expire.
             */
            exp?: number;
            /**
             * Format: int64
             * @description When the key was created: seconds since 1970-01-01T00:00:00Z.
             */
            iat?: number;
            /** @description The identity provider of the user or the organization. */
            iss?: string;
            /** @description The name that the owner gave the key. */
            label?: string;
            /** @description Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata?: {
                [key: string]: string;
            };
            /** @description The organization that owns the key; absent if a user does. */
            org_id?: string;
            /** @description The scopes of the key, separated by spaces; absent if it has none. */
            scope?: string;
            /** @description The user who owns the key; absent if an organization does. */
            sub?: string;
            /**
             * @description Always `api_key`.
             * @enum {string}
             */
            token_type?: "api_key";
        };
        /** @description The user's keys: every active key and the 100 keys that ended last, newest first. */
        KeyList: {
            /** @description The keys. */
            keys: components["schemas"]["KeyRecord"][];
        };
        /** @description An API key without its secret. */
        KeyRecord: {
            /**
             * Format: date-time
             * @description When the key was created: UTC, with milliseconds.
             */
            createdAt: string;
            /**
             * @description The member of the organization who created the key, by the `sub` at the identity provider; absent if the owner is a
             *     user, or no member created the key.
             */
            createdBy?: string;
            /**
             * Format: date-time
             * @description When the key was disabled; absent if it is enabled.
             */
            disabledAt?: string;
            /**
             * Format: date-time
             * @description When the key expires; absent if it does not expire.
             */
            expiresAt?: string;
            /** @description Identifies the key. */
            id: string;
            /** @description The name that the owner gave the key. */
            label: string;
            /**
             * Format: date-time
             * @description When the key was last used; `null` if it was never used.
             */
            lastUsedAt: string | null;
            /** @description Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata?: {
                [key: string]: string;
            };
            /** @description The start of the full key, followed by an ellipsis. */
            prefix: string;
            /** @description How often the key may be used; absent if the limit of the service holds. */
            rateLimit?: string;
            /** @description The key that replaced this key in a rotation; absent if the key was not rotated. */
            replacedBy?: string;
            /**
             * Format: date-time
             * @description When the key was revoked; `null` if it is not revoked.
             */
            revokedAt: string | null;
            /** @description The scopes of the key; absent if it has none. */
            scopes?: string[];
        };
        /** @description The verifications of an API key by the hour. */
        KeyUsage: {
            /** @description Every hour of the request, the earliest first. */
            hours: components["schemas"]["KeyUsageHour"][];
            /** @description The sums of all hours. */
            total: components["schemas"]["KeyUsageCounts"];
        };
        /** @description How many verifications had each result. */
        KeyUsageCounts: {
            /**
             * Format: int64
             * @description The key was good, and within its rate limit.
             */
            accepted: number;
            /**
             * Format: int64
             * @description The key was good, and its rate limit was reached.
             */
            limited: number;
            /**
             * Format: int64
             * @description The key was revoked or expired.
             */
            refused: number;
        };
        /** @description The verifications in one hour. */
        KeyUsageHour: components["schemas"]["KeyUsageCounts"] & {
            /**
             * Format: date-time
             * @description When the hour began.
             */
            start: string;
        };
        /** @description How many keys were revoked. */
        KeysRevoked: {
            /**
             * Format: int64
             * @description How many keys this call revoked.
             */
            revokedCount: number;
        };
        /** @description Queues of subscriptions, by their state. */
        LaneCounts: {
            /**
             * Format: int32
             * @description Closed with the subscription.
             */
            closed: number;
            /**
             * Format: int32
             * @description May deliver.
             */
            open: number;
            /**
             * Format: int32
             * @description Paused after failures of the receiver.
             */
            paused: number;
        };
        /** @description The leaked keys. */
        LeaksReported: {
            /** @description For each token, in the same order, the id of the key, which is now revoked. */
            keyIds: (string | null)[];
        };
        /** @description A user or an organization in a list. */
        ListedOwner: components["schemas"]["Owner"] & {
            /**
             * Format: int32
             * @description How many keys are active: at most 1,000.
             */
            activeKeys: number;
            /**
             * Format: int32
             * @description How many subscriptions are enabled: at most 1,000.
             */
            enabledSubscriptions: number;
            /**
             * Format: int32
             * @description How many of these failed at their last attempt.
             */
            failingSubscriptions: number;
            /** @description The user's `sub` at the configured issuer, or the organization's id. */
            id: string;
            /** @description Whether it is a user or an organization. */
            kind: components["schemas"]["OwnerKind"];
        };
        /** @description The process is alive. */
        Liveness: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
        };
        /** @description Which lines the log of this instance has. */
        LogFilter: {
            /** @description The filter that applies. */
            filter: string;
        };
        /** @description The change of a filter. */
        LogFilterChanged: {
            /** @description The filter that applied before. */
            before: string;
            /** @description The filter that applies now. */
            filter: string;
        };
        /** @description A published event, and how many subscriptions it went to. */
        LoggedEvent: {
            /**
             * Format: int32
             * @description How many subscriptions it went to when it was published.
             */
            deliveries: number;
            /** @description The event. */
            event: components["schemas"]["Event"];
        };
        /** @description How many attempts had each outcome. */
        OutcomeCounts: {
            /**
             * Format: int64
             * @description The receiver took the webhook.
             */
            delivered: number;
            /**
             * Format: int64
             * @description The attempt failed, and none follows: the delivery has failed.
             */
            exhausted: number;
            /**
             * Format: int64
             * @description The attempt failed, and another one follows.
             */
            retried: number;
        };
        /** @description The outcomes in one hour. */
        OutcomeHour: components["schemas"]["OutcomeCounts"] & {
            /**
             * Format: date-time
             * @description When the hour began.
             */
            start: string;
        };
        /** @description The outcomes of attempts by the hour. */
        Outcomes: {
            /** @description Every hour of the request, the earliest first. */
            hours: components["schemas"]["OutcomeHour"][];
            /** @description The sums of all hours. */
            total: components["schemas"]["OutcomeCounts"];
        };
        /** @description What the operator has set for a user or an organization. */
        Owner: {
            /** @description The e-mail address, for people. */
            email: string | null;
            /**
             * Format: int32
             * @description The most active keys.
             */
            maxActiveKeys: number | null;
            /**
             * Format: int32
             * @description The most subscriptions.
             */
            maxSubscriptions: number | null;
            /** @description Pairs for your application, such as the plan of a customer: at most 2 KiB together */
            metadata: {
                [key: string]: string;
            };
            /** @description The name, for people. */
            name: string | null;
            /** @description Whether the owner may act. */
            state: components["schemas"]["OwnerState"];
        };
        /**
         * @description The kind of an owner.
         * @enum {string}
         */
        OwnerKind: "user" | "organization";
        /** @description A page of owners. */
        OwnerPage: {
            /** @description The `cursor` of the next page; absent on the last page. */
            nextCursor?: string;
            /** @description The owners, in the order of what is found. */
            owners: components["schemas"]["ListedOwner"][];
        };
        /** @description Whether an owner may act. */
        OwnerState: {
            /** @description Why the owner is suspended; absent if no reason was given. */
            reason?: string;
            /** @description When the owner was suspended; absent if the owner is active. */
            since?: string;
            /**
             * @description `active` or `suspended`.
             * @enum {string}
             */
            state: "active" | "suspended";
        };
        /** @description Which events a subscription receives, by their content: a condition about the body that receivers get. */
        PayloadFilter: {
            all: components["schemas"]["PayloadFilter"][];
        } | {
            any: components["schemas"]["PayloadFilter"][];
        } | {
            not: components["schemas"]["PayloadFilter"];
        } | {
            /** @enum {string} */
            op: "eq";
            path: string;
            value: string | number | boolean | null;
        } | {
            /** @enum {string} */
            op: "ne";
            path: string;
            value: string | number | boolean;
        } | {
            /** @enum {string} */
            op: "in";
            path: string;
            value: (string | number | boolean | null)[];
        } | {
            /** @enum {string} */
            op: "lt" | "lte" | "gt" | "gte";
            path: string;
            value: string | number;
        } | {
            /** @enum {string} */
            op: "prefix" | "suffix" | "contains";
            path: string;
            value: string;
        } | {
            /** @enum {string} */
            op: "exists";
            path: string;
        };
        /** @description The new link. */
        PortalLink: {
            /**
             * Format: date-time
             * @description When the link stops working.
             */
            expiresAt: string;
            /** @description Where to send the user's browser. */
            url: string;
        };
        /** @description A credential, without its secret. */
        PresentedCredential: {
            /** @description The key's id. */
            keyId: string;
            /** @enum {string} */
            kind: "apiKey";
            /** @description The name that the owner gave the key. */
            label: string;
            /** @description The scopes of the key; may be empty. */
            scopes: string[];
        } | {
            /** @enum {string} */
            kind: "idToken";
        } | {
            /** @enum {string} */
            kind: "session";
        };
        /** @description A problem document (RFC 9457): the body of every error. */
        Problem: {
            /** @description The outcome of each check. */
            checks?: components["schemas"]["CheckOutcome"][];
            /** @description The stable, machine-readable name of this kind of error. */
            code: string;
            /** @description What is wrong with this request. */
            detail: string;
            /** @description The fields that have faults. */
            errors?: components["schemas"]["FieldFault"][];
            /** @description Where the data of an event breaks the schema of its type, at most ten places. */
            faults?: components["schemas"]["SchemaFault"][];
            /** @description Identifies this request in the logs. */
            requestId: string;
            /**
             * Format: int32
             * @description The HTTP status.
             */
            status: number;
            /** @description A short summary of the error. */
            title: string;
            /**
             * @description The page that explains this kind of error: an absolute URL if `PUBLIC_URL` is configured, and otherwise relative to
             *     the URL of this service.
             */
            type: string;
        };
        /** @description A public key of Ed25519 as a JSON Web Key (RFC 8037). */
        PublicKey: {
            /**
             * @description Always `EdDSA`.
             * @enum {string}
             */
            alg: "EdDSA";
            /**
             * @description Always `Ed25519`.
             * @enum {string}
             */
            crv: "Ed25519";
            /** @description The thumbprint of the key (RFC 7638). */
            kid: string;
            /**
             * @description Always `OKP`.
             * @enum {string}
             */
            kty: "OKP";
            /**
             * @description Always `sig`.
             * @enum {string}
             */
            use: "sig";
            /** @description The key in base64url. */
            x: string;
        };
        /** @description A set of JSON Web Keys (RFC 7517). */
        PublicKeySet: {
            /** @description The keys, newest first. */
            keys: components["schemas"]["PublicKey"][];
        };
        /** @description The event to publish. */
        PublishEvent: {
            /** @description The data for the receivers: any JSON value, delivered byte for byte. */
            data: unknown;
            /** @description The publisher's id of the event, 1 to 256 characters. */
            id?: string | null;
            /** @description The organization that the event belongs to, in place of a user. */
            organizationId?: string | null;
            /** @description The type of the event: 1 to 128 of `A-Z a-z 0-9 _ . : / -`. */
            type: string;
            /** @description The user that the event belongs to, by the `sub` at the configured issuer. */
            userId?: string | null;
        };
        /** @description The events to publish. */
        PublishEvents: {
            /** @description The events. */
            events: components["schemas"]["PublishEvent"][];
        };
        /** @description An accepted event. */
        PublishedEvent: {
            /**
             * Format: int32
             * @description How many subscriptions receive the event.
             */
            deliveries: number;
            /** @description `true` when the event was published before, so that this call changed nothing. */
            duplicate?: boolean;
            /** @description The event. */
            event: components["schemas"]["Event"];
            /** @description Where the data breaks the schema of its type, at most ten places. */
            warnings?: components["schemas"]["SchemaFault"][];
        };
        /** @description The accepted events. */
        PublishedEvents: {
            /** @description For each event, in the same order, the answer that publishing only this event would get. */
            results: components["schemas"]["PublishedEvent"][];
        };
        /** @description From when on receivers should stop using a type. */
        PutDeprecation: {
            /** @description The type to use in its place. */
            replacement?: string;
            /**
             * Format: date-time
             * @description From when on: a time with an offset (RFC 3339).
             */
            since: string;
        };
        /** @description All settings of an event type. */
        PutEventType: {
            /** @description Says that receivers should stop using the type. */
            deprecated?: components["schemas"]["PutDeprecation"];
            /** @description When the event happens and what it means: Markdown without HTML (`<` before a letter, `/`, `!` or `?`). */
            description?: string;
            /** @description Examples of `data`, of at most 16 KiB each. */
            examples?: unknown[];
            /** @description Whether the schema may change so that it breaks what was good before. */
            force?: boolean;
            /** @description The JSON Schema (2020-12) of `data`, of at most 64 KiB. */
            schema?: Record<string, unknown>;
            /** @description A short name for people: one line. */
            title?: string;
            /**
             * @description The treatment of events whose `data` breaks the schema: `off` (the default) accepts it without a check, `warn`
             *     accepts it with warnings in the answer, and `enforce` refuses it.
             * @enum {string}
             */
            validation?: "off" | "warn" | "enforce";
            /**
             * @description The readers of the event type: all callers with a credential (`public`, the default), or operators (`hidden`).
             * @enum {string}
             */
            visibility?: "public" | "hidden";
        };
        /** @description The queue. */
        QueueState: {
            /**
             * Format: double
             * @description How old this reading is, in seconds.
             */
            ageSeconds: number;
            /** @description Queues of subscriptions, by their state. */
            lanes: components["schemas"]["LaneCounts"];
            /**
             * Format: double
             * @description For how long the oldest due delivery has been due that no instance has claimed, in seconds; 0 without one.
             */
            oldestDueAgeSeconds: number;
            /** @description Subscriptions, by their state. */
            subscriptions: components["schemas"]["SubscriptionCount"][];
            /**
             * Format: int32
             * @description Deliveries that have not ended.
             */
            waiting: number;
        };
        /** @description The service is ready. */
        Readiness: {
            /** @description The outcome of each check. */
            checks?: components["schemas"]["CheckOutcome"][];
            /**
             * @description Always `ready`.
             * @enum {string}
             */
            status: "ready";
        };
        /** @description The start of the recovery. */
        RecoverSubscription: {
            /**
             * Format: date-time
             * @description Recovers deliveries of events that were published at this time or later: RFC 3339, not in the future.
             */
            since: string;
        };
        /** @description What a recovery would bring back. */
        RecoverableDeliveries: {
            /**
             * Format: int32
             * @description How many deliveries a recovery would make due now, counted up to 10,000.
             */
            deliveries: number;
        };
        /** @description The result of a recovery. */
        RecoveredSubscription: {
            /**
             * Format: int32
             * @description How many deliveries are now due: at most 100,000.
             */
            deliveries: number;
        };
        /** @description Leaked strings. */
        ReportLeaks: {
            /** @description Strings that may be full keys. */
            tokens: string[];
        };
        /** @description The result of a retry of failed deliveries. */
        RetriedFailures: {
            /**
             * Format: int32
             * @description How many deliveries are now due.
             */
            deliveries: number;
        };
        /** @description The cause of the failures, as the list of failures has it. */
        RetryFailures: {
            /**
             * @description Why the last attempt failed; absent or `null` as in the list.
             * @enum {string|null}
             */
            error?: "address_refused" | "dns" | "connect" | "tls" | "timeout" | "redirect" | "status" | "too_slow" | null;
            /**
             * Format: int32
             * @description The HTTP status of the answer to the last attempt; absent or `null` as in the list.
             */
            status?: number | null;
            /** @description The subscription. */
            subscriptionId: string;
        };
        /** @description The key to revoke. */
        RevokeApiKey: {
            /** @description The ID token, if no header carries it. */
            idToken?: string | null;
            /** @description The key's id. */
            keyId: string;
        };
        /** @description How to rotate the key. */
        RotateApiKey: {
            /** @description The ID token, if no header carries it. */
            idToken?: string | null;
            /**
             * Format: int64
             * @description How many seconds the old key stays valid: 0 to 604,800 (a week).
             * @default 0
             */
            overlapSeconds?: number | null;
        };
        /** @description How to rotate the key. */
        RotateApiKeyForOwner: {
            /**
             * Format: int64
             * @description How many seconds the old key stays valid: 0 to 604,800 (a week).
             * @default 0
             */
            overlapSeconds?: number | null;
        };
        /** @description How to rotate the secret. */
        RotateSecret: {
            /**
             * Format: int64
             * @description How many seconds the old secret and the old key sign too: 0 to 604,800 (a week).
             * @default 86400
             */
            overlapSeconds?: number | null;
            /** @description The new secret, in the same form as in the creation. */
            secret?: string | null;
            /**
             * @description Which signatures webhooks carry from now on: `hmac`, `ed25519` or `both`, as in the creation.
             * @enum {string|null}
             */
            signing?: "hmac" | "ed25519" | "both" | null;
        };
        /** @description A place where `data` breaks the schema of its type. */
        SchemaFault: {
            /** @description The keyword of the schema. */
            keyword: string;
            /** @description What `data` must follow. */
            message: string;
            /** @description The place in `data`: a JSON Pointer (RFC 6901), without the names after its first 256 bytes. */
            pointer: string;
        };
        /** @description A session of the user. */
        Session: {
            /** @description The address from which the user signed in; `null` if it is not known. */
            address: string | null;
            /** @description What the session may do with what belongs to the user. */
            capabilities: string[];
            /**
             * Format: date-time
             * @description When the user signed in.
             */
            createdAt: string;
            /** @description Whether it is the session that makes the call. */
            current: boolean;
            /**
             * Format: date-time
             * @description When the session ends, however much it is used.
             */
            expiresAt: string;
            /** @description Identifies the session. */
            id: string;
            /**
             * Format: date-time
             * @description When the session ends if it is not used again.
             */
            idleExpiresAt: string;
            /**
             * @description `user`, `operator` or `visitor`.
             * @enum {string}
             */
            role: "user" | "operator" | "visitor";
            /**
             * Format: date-time
             * @description When the session was last used.
             */
            seenAt: string;
            /** @description What the browser said of itself (`User-Agent`) when it signed in; `null` if nothing. */
            userAgent: string | null;
        };
        /** @description The user's sessions, newest first. */
        SessionList: {
            /** @description The sessions. */
            sessions: components["schemas"]["Session"][];
        };
        /** @description An organization for which a session can act. */
        SessionOrganization: {
            /** @description The capabilities of the user in the organization. */
            capabilities: string[];
            /** @description The id at the identity provider. */
            organizationId: string;
        };
        /** @description A user, or the organization for which a visitor came. */
        SessionUser: {
            /** @description The `userId` or the `organizationId` of the operator API. */
            id: string;
            /** @description The issuer of the identity provider (`iss`). */
            issuer: string;
            /** @description The id of the organization, if it is one; absent for a user. */
            organizationId?: string;
            /** @description The subject at the identity provider (`sub`), or the id of the organization. */
            subject: string;
        };
        /** @description The new state. */
        SetOwnerState: {
            /** @description Why the owner is suspended. */
            reason?: string;
            /**
             * @description `suspended`: nothing of the owner is accepted, and nothing is sent to the owner.
             * @enum {string}
             */
            state: "active" | "suspended";
        };
        /** @description An attempt in a stream: the `data` of a server-sent event. */
        StreamedAttempt: {
            /** @description The attempt. */
            attempt: components["schemas"]["Attempt"];
            /** @description The delivery of the attempt. */
            deliveryId: string;
            /** @description The event that is delivered. */
            eventId: string;
            /** @description The subscription that receives the event. */
            subscriptionId: string;
        };
        /** @description A webhook subscription. */
        Subscription: {
            /** @description The authentication, without its secrets; absent if there is none. */
            auth?: components["schemas"]["SubscriptionAuth"];
            /**
             * Format: date-time
             * @description When the subscription was created: UTC, with milliseconds.
             */
            createdAt: string;
            /**
             * @description The member of the organization who created the subscription, by the `sub` at the identity provider; absent if the
             *     owner is a user, or no member created the subscription.
             */
            createdBy?: string;
            /** @description The owner's description; may be empty. */
            description: string;
            /**
             * @description Why the subscription is disabled: `owner` (the owner disabled it), `gone` (the receiver answered 410),
             *     `only_failures` (every attempt failed for five days) or `key_leaked` (the API key that set the URL was reported as
             *     leaked).
             */
            disabledReason?: string;
            /** @description Whether the subscription receives events. */
            enabled: boolean;
            /** @description The event types and patterns of the subscription. */
            events: string[];
            /** @description Which of these events the subscription receives, by their content; absent if it receives all. */
            filter?: components["schemas"]["PayloadFilter"];
            /** @description The headers that the subscription adds, without their values; absent if it adds none. */
            headers?: components["schemas"]["SubscriptionHeader"][];
            /** @description The health of the subscription. */
            health?: components["schemas"]["SubscriptionHealth"];
            /** @description Identifies the subscription. */
            id: string;
            /**
             * Format: double
             * @description The most deliveries in a second, over all instances of the service; absent if there is no limit.
             */
            maxPerSecond?: number;
            /** @description The public keys that verify signatures `v1a`, newest first: two during the overlap of a rotation. */
            publicKeys?: string[];
            /**
             * @description Which signatures the webhooks carry: `hmac` (`v1`), `ed25519` (`v1a`) or `both`.
             * @enum {string}
             */
            signing?: "hmac" | "ed25519" | "both";
            /**
             * Format: date-time
             * @description When the owner or the service last changed the subscription.
             */
            updatedAt: string;
            /** @description The URL that receives the webhooks, in normal form. */
            url: string;
            /** @description The API key that set the URL, when the subscription was created or later; absent if an ID token did. */
            urlSetBy?: string;
        };
        /** @description The authentication of the requests of a subscription. */
        SubscriptionAuth: {
            /** @description The name of the header; absent if it is `authorization` by the type. */
            name?: string;
            /**
             * Format: date-time
             * @description When it was set.
             */
            setAt: string;
            /**
             * @description `bearer`, `basic` or `header`.
             * @enum {string}
             */
            type: "bearer" | "basic" | "header";
        };
        /** @description How many subscriptions have a state. */
        SubscriptionCount: {
            /**
             * Format: int32
             * @description How many.
             */
            count: number;
            /** @description `enabled`, or why they are disabled: `owner`, `gone`, `only_failures`, `key_leaked`. */
            state: string;
        };
        /** @description A header that a subscription adds to its requests. */
        SubscriptionHeader: {
            /** @description The name, in lower case. */
            name: string;
            /**
             * Format: date-time
             * @description When its value was set.
             */
            setAt: string;
        };
        /** @description The health of a subscription. */
        SubscriptionHealth: {
            /**
             * Format: date-time
             * @description When the current run of failures began; `null` when the last attempt succeeded.
             */
            failingSince: string | null;
            lastAttempt: components["schemas"]["Attempt"] | null;
            /**
             * Format: date-time
             * @description When the pause ends, and a delivery is tried again; `null` unless paused.
             */
            pausedUntil: string | null;
            /** @description The reason for the state. */
            reason: string | null;
            /** @description `healthy`: no attempt has failed since the last success, or since the subscription was enabled. */
            state: string;
            /**
             * Format: int32
             * @description How many deliveries wait or are being sent, counted up to 10,000.
             */
            waiting: number;
        };
        /** @description A page of the caller's subscriptions. */
        SubscriptionPage: {
            /** @description The `cursor` of the next page; absent on the last page. */
            nextCursor?: string;
            /** @description The subscriptions, newest first. */
            subscriptions: components["schemas"]["Subscription"][];
        };
        /** @description A test event and its delivery. */
        SubscriptionTest: {
            /** @description The delivery of the event. */
            delivery: components["schemas"]["Delivery"];
            /** @description The event. */
            event: components["schemas"]["Event"];
        };
        /** @description A subscription and its health. */
        SubscriptionWithHealth: {
            /** @description The health of the subscription. */
            health: components["schemas"]["SubscriptionHealth"];
            /** @description The subscription. */
            subscription: components["schemas"]["Subscription"];
        };
        /** @description A subscription and, if the service made one, its secret, which is shown only this once. */
        SubscriptionWithSecret: {
            /** @description The secret that signs the webhooks. */
            secret?: string;
            /** @description The subscription. */
            subscription: components["schemas"]["Subscription"];
        };
        /** @description How the instance that answers and the store are doing. */
        SystemState: {
            attempts: components["schemas"]["AttemptCounts"] | null;
            /**
             * Format: double
             * @description The age of the last successful read of the change feed, in seconds.
             */
            changeFeedAgeSeconds: number | null;
            /** @description The commit that it was built from, or `unknown`. */
            commit: string;
            /** @description `sqlite` or `postgres`. */
            database: string;
            /** @description Events that the host application published. */
            events: components["schemas"]["EventCounts"];
            /**
             * Format: double
             * @description The age of the identity provider's keys, in seconds; `null` before the first fetch.
             */
            identityKeysAgeSeconds: number | null;
            /** @description The processes on this database, by version, as they were counted with the queue. */
            instances: components["schemas"]["VersionCount"][];
            queue: components["schemas"]["QueueState"] | null;
            /**
             * Format: date-time
             * @description When the process started.
             */
            startedAt: string;
            /** @description API keys that were presented. */
            verifications: components["schemas"]["VerificationCounts"];
            /** @description The version of the program. */
            version: string;
        };
        /** @description A filter, and an event or its data. */
        TestFilter: {
            /** @description The `data` of an event without other members. */
            data?: unknown;
            /** @description The body that receivers get */
            event?: {
                [key: string]: unknown;
            } | null;
            filter: components["schemas"]["PayloadFilter"];
        };
        /** @description The URL to test. */
        TestUrl: {
            /** @description The authentication of each request. */
            auth?: components["schemas"]["BearerAuth"] | components["schemas"]["BasicAuth"] | components["schemas"]["HeaderAuth"] | null;
            /** @description Headers that the service adds to each request: at most 16, 8 KiB together, with values of visible ASCII. */
            headers?: {
                [key: string]: string;
            } | null;
            /** @description The secret that signs the request, as for a subscription. */
            secret?: string | null;
            /**
             * Format: uri
             * @description Where to send the event: the same rules as for the URL of a subscription.
             */
            url: string;
        };
        /** @description A test of a URL. */
        UrlTest: {
            /** @description The attempt to send the event, with the start of the answer. */
            attempt: components["schemas"]["Attempt"];
            /** @description The event. */
            event: components["schemas"]["Event"];
        };
        /** @description API keys that were presented, by result. */
        VerificationCounts: {
            /**
             * Format: int64
             * @description Calls without an answer, because the database did not answer.
             */
            failed: number;
            /**
             * Format: int64
             * @description Good keys.
             */
            good: number;
            /**
             * Format: int64
             * @description Keys that were refused.
             */
            refused: number;
        };
        /** @description How many processes have a version. */
        VersionCount: {
            /**
             * Format: int32
             * @description How many processes have it.
             */
            count: number;
            /** @description The version of the program. */
            version: string;
        };
        /** @description The new session of a visitor. */
        Visit: {
            /** @description The page of the host application to which the console leads back; absent if the link names none. */
            returnUrl?: string;
            /** @description The session. */
            session: components["schemas"]["CurrentSession"];
        };
        /** @description The caller. */
        Whoami: {
            /** @description The credential that the caller presented. */
            credential: components["schemas"]["PresentedCredential"];
            /** @description The organization for which the call is made; absent if it is made for the user. */
            organizationId?: string;
            /** @description The user, by the subject (`sub`) at the identity provider; absent if the credential is an organization's. */
            userId?: string;
        };
        /** @description An event type after a call that changes it. */
        WrittenEventType: {
            /** @description Whether this call has changed it. */
            changed: boolean;
            /** @description The event type. */
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
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The public keys */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller's keys */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
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
            /** @description The key is created */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
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
            /** @description The key is revoked. */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The uses of the keys */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The key's id */
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
            /** @description The changed key */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The key's id */
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
            /** @description The key is rotated. */
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
                /** @description How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** @description A time in the last hour: RFC 3339. */
                until?: string;
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verifications of the key */
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
                /** @description Only this action, such as `key.revoked` */
                action?: "key.created" | "key.changed" | "key.rotated" | "key.revoked" | "key.leaked" | "key.expiring" | "key.limit_reached" | "data.read" | "subscription.created" | "subscription.changed" | "subscription.deleted" | "subscription.secret_rotated" | "subscription.disabled" | "subscription.failing" | "subscription.recovered" | "delivery.retried" | "delivery.cancelled" | "session.opened" | "session.ended" | "log.filter_changed" | "owner.changed" | "owner.suspended" | "owner.activated" | "event_type.changed";
                /** @description Only what was done to the key, subscription, delivery or session with this id; or `keys` */
                target?: string;
                /** @description Only events at this time or later: RFC 3339 */
                since?: string;
                /** @description Only events before this time: RFC 3339 */
                until?: string;
                /** @description The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** @description Items on a page: 1 to 200, default 50. */
                limit?: number;
                /** @description `json`, the default, `jsonl` or `csv` */
                format?: "json" | "jsonl" | "csv";
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events, or all events */
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
            /** @description The issuer and the client */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event types */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The event type. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event type */
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
                /** @description Only what belongs to this user: the `sub` at the configured issuer */
                userId?: string;
                /** @description Only what belongs to this organization. */
                organizationId?: string;
                /** @description Only what this actor did: `user:` and the user's id, `operator:` and the name of the token, or `service` */
                actor?: string;
                /** @description Only this action, such as `key.revoked` */
                action?: "key.created" | "key.changed" | "key.rotated" | "key.revoked" | "key.leaked" | "key.expiring" | "key.limit_reached" | "data.read" | "subscription.created" | "subscription.changed" | "subscription.deleted" | "subscription.secret_rotated" | "subscription.disabled" | "subscription.failing" | "subscription.recovered" | "delivery.retried" | "delivery.cancelled" | "session.opened" | "session.ended" | "log.filter_changed" | "owner.changed" | "owner.suspended" | "owner.activated" | "event_type.changed";
                /** @description Only what was done to the key, subscription, delivery or session with this id; or `keys` */
                target?: string;
                /** @description Only events at this time or later: RFC 3339 */
                since?: string;
                /** @description Only events before this time: RFC 3339 */
                until?: string;
                /** @description The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** @description Items on a page: 1 to 200, default 50. */
                limit?: number;
                /** @description `json`, the default, `jsonl` or `csv` */
                format?: "json" | "jsonl" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events, or all events */
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
            /** @description The event types */
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
    findAnyEventType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The event type. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event type */
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
                /** @description The event type. */
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
            /** @description The event type */
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
                /** @description The event type. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event type */
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
                /** @description Only events of this user: the `sub` at the configured issuer */
                userId?: string;
                /** @description Only events of this organization. */
                organizationId?: string;
                /** @description Only events of this type. */
                type?: string;
                /** @description Only events published at this time or later: RFC 3339 */
                since?: string;
                /** @description Only events published before this time: RFC 3339 */
                until?: string;
                /** @description The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** @description Items on a page: 1 to 200, default 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events */
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
            /** @description The event is accepted and stored */
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
            /** @description The events are accepted and stored */
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
                /** @description The event's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event */
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
                /** @description The `nextCursor` of the previous page */
                cursor?: string;
                /** @description Items on a page: 1 to 200, default 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of failing subscriptions */
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
            /** @description The state of the key */
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
            /** @description The keys are revoked */
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
            /** @description The filter */
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
            /** @description The filter has changed */
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
                /** @description The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record of the organization */
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
    changeOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id. */
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
            /** @description The changed record of the organization */
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
                /** @description Only this action, such as `key.revoked` */
                action?: "key.created" | "key.changed" | "key.rotated" | "key.revoked" | "key.leaked" | "key.expiring" | "key.limit_reached" | "data.read" | "subscription.created" | "subscription.changed" | "subscription.deleted" | "subscription.secret_rotated" | "subscription.disabled" | "subscription.failing" | "subscription.recovered" | "delivery.retried" | "delivery.cancelled" | "session.opened" | "session.ended" | "log.filter_changed" | "owner.changed" | "owner.suspended" | "owner.activated" | "event_type.changed";
                /** @description Only what was done to the key, subscription, delivery or session with this id; or `keys` */
                target?: string;
                /** @description Only events at this time or later: RFC 3339 */
                since?: string;
                /** @description Only events before this time: RFC 3339 */
                until?: string;
                /** @description The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** @description Items on a page: 1 to 200, default 50. */
                limit?: number;
                /** @description `json`, the default, `jsonl` or `csv` */
                format?: "json" | "jsonl" | "csv";
            };
            header?: never;
            path: {
                /** @description The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events, or all events */
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
                /** @description Only deliveries to this subscription */
                subscriptionId?: string;
                /** @description Only deliveries of events of this type. */
                eventType?: string;
                /** @description Only deliveries in this state: `waiting`, `sending`, `delivered`, `failed` or `cancelled` */
                state?: "waiting" | "sending" | "delivered" | "failed" | "cancelled";
                /** @description Only events published at this time or later: RFC 3339 */
                since?: string;
                /** @description Only events published before this time: RFC 3339 */
                until?: string;
                /** @description The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** @description Items on a page: 1 to 200, default 50 */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries */
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
                /** @description Only attempts of this subscription */
                subscriptionId?: string;
            };
            header?: {
                /** @description The id of the last event that the client received */
                "last-event-id"?: string;
            };
            path: {
                /** @description The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream */
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
                /** @description The organization's id. */
                organizationId: string;
                /** @description The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery */
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
                /** @description The organization's id. */
                organizationId: string;
                /** @description The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery has ended */
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
                /** @description The organization's id. */
                organizationId: string;
                /** @description The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery is due */
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
                /** @description Only deliveries to this subscription */
                subscriptionId?: string;
            };
            header?: never;
            path: {
                /** @description The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The causes */
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
                /** @description The organization's id. */
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
            /** @description The deliveries are due */
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
                /** @description The organization's id. */
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
            /** @description Whether the event passes */
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
                /** @description The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization's keys */
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
                /** @description The organization's id. */
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
            /** @description The key is created */
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
                /** @description Revoke only keys that were created before this time (RFC 3339) */
                createdBefore?: string;
            };
            header?: never;
            path: {
                /** @description The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys are revoked */
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
                /** @description The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The uses of the keys */
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
                /** @description The organization's id. */
                organizationId: string;
                /** @description The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
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
                /** @description The organization's id. */
                organizationId: string;
                /** @description The key's id */
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
            /** @description The changed key */
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
                /** @description The organization's id. */
                organizationId: string;
                /** @description The key's id */
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
            /** @description The key is rotated. */
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
                /** @description How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** @description A time in the last hour: RFC 3339. */
                until?: string;
            };
            header?: never;
            path: {
                /** @description The organization's id. */
                organizationId: string;
                /** @description The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verifications of the key */
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
                /** @description How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** @description A time in the last hour: RFC 3339. */
                until?: string;
            };
            header?: never;
            path: {
                /** @description The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The outcomes of attempts */
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
                /** @description The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization's sessions */
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
                /** @description The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions have ended. */
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
                /** @description The organization's id. */
                organizationId: string;
                /** @description The session's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
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
                /** @description The organization's id. */
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
            /** @description The changed record of the organization */
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
                /** @description The `nextCursor` of the previous page */
                cursor?: string;
                /** @description Items on a page: 1 to 200, default 50 */
                limit?: number;
                /** @description `health`: each subscription with its health */
                include?: "health";
            };
            header?: never;
            path: {
                /** @description The organization's id. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of subscriptions */
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
                /** @description The organization's id. */
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
            /** @description The subscription is created */
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
                /** @description The organization's id. */
                organizationId: string;
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription */
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
                /** @description The organization's id. */
                organizationId: string;
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription is deleted */
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
                /** @description The organization's id. */
                organizationId: string;
                /** @description The subscription's id */
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
            /** @description The changed subscription */
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
    showOrganizationSubscriptionOutcomes: {
        parameters: {
            query?: {
                /** @description How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** @description A time in the last hour: RFC 3339. */
                until?: string;
            };
            header?: never;
            path: {
                /** @description The organization's id. */
                organizationId: string;
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The outcomes of attempts */
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
                /** @description The organization's id. */
                organizationId: string;
                /** @description The subscription's id */
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
            /** @description The subscription is enabled, and its failed deliveries are due */
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
                /** @description Only events published at this time or later: RFC 3339, not in the future */
                since: string;
            };
            header?: never;
            path: {
                /** @description The organization's id. */
                organizationId: string;
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The count */
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
                /** @description Names this rotation, so that it can be repeated */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization's id. */
                organizationId: string;
                /** @description The subscription's id */
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
            /** @description The secret is rotated */
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
                /** @description The organization's id. */
                organizationId: string;
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The test event is due */
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
                /** @description The organization's id. */
                organizationId: string;
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The times of attempts */
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
                /** @description The organization's id. */
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
            /** @description How the test ended */
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
                /** @description The start of an id, a name, an e-mail address or a key. */
                query?: string;
                /** @description Only active owners, or only suspended ones */
                state?: "active" | "suspended";
                /** @description The `nextCursor` of the previous page; same query and state */
                cursor?: string;
                /** @description Items on a page: 1 to 200, default 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of owners */
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
            /** @description The link */
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
            /** @description The state */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record of the user */
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
    changeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's `sub` at the configured issuer. */
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
            /** @description The changed record of the user */
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
                /** @description Only this action, such as `key.revoked` */
                action?: "key.created" | "key.changed" | "key.rotated" | "key.revoked" | "key.leaked" | "key.expiring" | "key.limit_reached" | "data.read" | "subscription.created" | "subscription.changed" | "subscription.deleted" | "subscription.secret_rotated" | "subscription.disabled" | "subscription.failing" | "subscription.recovered" | "delivery.retried" | "delivery.cancelled" | "session.opened" | "session.ended" | "log.filter_changed" | "owner.changed" | "owner.suspended" | "owner.activated" | "event_type.changed";
                /** @description Only what was done to the key, subscription, delivery or session with this id; or `keys` */
                target?: string;
                /** @description Only events at this time or later: RFC 3339 */
                since?: string;
                /** @description Only events before this time: RFC 3339 */
                until?: string;
                /** @description The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** @description Items on a page: 1 to 200, default 50. */
                limit?: number;
                /** @description `json`, the default, `jsonl` or `csv` */
                format?: "json" | "jsonl" | "csv";
            };
            header?: never;
            path: {
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events, or all events */
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
                /** @description Only deliveries to this subscription */
                subscriptionId?: string;
                /** @description Only deliveries of events of this type. */
                eventType?: string;
                /** @description Only deliveries in this state: `waiting`, `sending`, `delivered`, `failed` or `cancelled` */
                state?: "waiting" | "sending" | "delivered" | "failed" | "cancelled";
                /** @description Only events published at this time or later: RFC 3339 */
                since?: string;
                /** @description Only events published before this time: RFC 3339 */
                until?: string;
                /** @description The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** @description Items on a page: 1 to 200, default 50 */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries */
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
                /** @description Only attempts of this subscription */
                subscriptionId?: string;
            };
            header?: {
                /** @description The id of the last event that the client received */
                "last-event-id"?: string;
            };
            path: {
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery has ended */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery is due */
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
                /** @description Only deliveries to this subscription */
                subscriptionId?: string;
            };
            header?: never;
            path: {
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The causes */
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
                /** @description The user's `sub` at the configured issuer. */
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
            /** @description The deliveries are due */
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
                /** @description The user's `sub` at the configured issuer. */
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
            /** @description Whether the event passes */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user's keys */
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
                /** @description The user's `sub` at the configured issuer. */
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
            /** @description The key is created */
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
                /** @description Revoke only keys that were created before this time (RFC 3339) */
                createdBefore?: string;
            };
            header?: never;
            path: {
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys are revoked */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The uses of the keys */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The key's id */
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
            /** @description The changed key */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The key's id */
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
            /** @description The key is rotated. */
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
                /** @description How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** @description A time in the last hour: RFC 3339. */
                until?: string;
            };
            header?: never;
            path: {
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The key's id */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verifications of the key */
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
                /** @description How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** @description A time in the last hour: RFC 3339. */
                until?: string;
            };
            header?: never;
            path: {
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The outcomes of attempts */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user's sessions */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions have ended. */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The session's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
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
                /** @description The user's `sub` at the configured issuer. */
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
            /** @description The changed record of the user */
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
                /** @description The `nextCursor` of the previous page */
                cursor?: string;
                /** @description Items on a page: 1 to 200, default 50 */
                limit?: number;
                /** @description `health`: each subscription with its health */
                include?: "health";
            };
            header?: never;
            path: {
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of subscriptions */
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
                /** @description The user's `sub` at the configured issuer. */
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
            /** @description The subscription is created */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription is deleted */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The subscription's id */
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
            /** @description The changed subscription */
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
    showUserSubscriptionOutcomes: {
        parameters: {
            query?: {
                /** @description How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** @description A time in the last hour: RFC 3339. */
                until?: string;
            };
            header?: never;
            path: {
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The outcomes of attempts */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The subscription's id */
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
            /** @description The subscription is enabled, and its failed deliveries are due */
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
                /** @description Only events published at this time or later: RFC 3339, not in the future */
                since: string;
            };
            header?: never;
            path: {
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The count */
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
                /** @description Names this rotation, so that it can be repeated */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The subscription's id */
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
            /** @description The secret is rotated */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The test event is due */
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
                /** @description The user's `sub` at the configured issuer. */
                userId: string;
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The times of attempts */
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
                /** @description The user's `sub` at the configured issuer. */
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
            /** @description How the test ended */
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
            /** @description The session of this browser */
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
            /** @description Signed in */
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
            /** @description The session has ended */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user's sessions */
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
                /** @description `true`: the session that makes the call stays */
                keepCurrent?: boolean;
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions have ended. */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The session's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
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
                /** @description Only deliveries to this subscription */
                subscriptionId?: string;
                /** @description Only deliveries of events of this type. */
                eventType?: string;
                /** @description Only deliveries in this state: `waiting`, `sending`, `delivered`, `failed` or `cancelled` */
                state?: "waiting" | "sending" | "delivered" | "failed" | "cancelled";
                /** @description Only events published at this time or later: RFC 3339 */
                since?: string;
                /** @description Only events published before this time: RFC 3339 */
                until?: string;
                /** @description The `nextCursor` of the previous page; same filters */
                cursor?: string;
                /** @description Items on a page: 1 to 200, default 50 */
                limit?: number;
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries */
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
                /** @description Only attempts of this subscription */
                subscriptionId?: string;
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: {
                /** @description The id of the last event that the client received */
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery has ended */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery is due */
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
                /** @description Only deliveries to this subscription */
                subscriptionId?: string;
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The causes */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
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
            /** @description The deliveries are due */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
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
            /** @description Whether the event passes */
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
                /** @description How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** @description A time in the last hour: RFC 3339. */
                until?: string;
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The outcomes of attempts */
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
                /** @description The `nextCursor` of the previous page */
                cursor?: string;
                /** @description Items on a page: 1 to 200, default 50 */
                limit?: number;
                /** @description `health`: each subscription with its health */
                include?: "health";
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of subscriptions */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
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
            /** @description The subscription is created */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription is deleted */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The subscription's id */
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
            /** @description The changed subscription */
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
    showSubscriptionOutcomes: {
        parameters: {
            query?: {
                /** @description How many hours: 1 to 744 (31 days), default 24 */
                hours?: number;
                /** @description A time in the last hour: RFC 3339. */
                until?: string;
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The outcomes of attempts */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The subscription's id */
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
            /** @description The subscription is enabled, and its failed deliveries are due */
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
                /** @description Only events published at this time or later: RFC 3339, not in the future */
                since: string;
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The count */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: {
                /** @description Names this rotation, so that it can be repeated */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The subscription's id */
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
            /** @description The secret is rotated */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The test event is due */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path: {
                /** @description The subscription's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The times of attempts */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
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
            /** @description How the test ended */
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
                /** @description The organization for which a member calls, with an ID token or a session that names it. */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user and the credential */
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
                /** @description The authorization code */
                code?: string;
                /** @description The state of the sign-in */
                state?: string;
                /** @description The issuer (RFC 9207) */
                iss?: string;
                /** @description Why the identity provider signed nobody in */
                error?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed in. */
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
                /** @description The page to show afterwards: a path under `/console/`. */
                next?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Leads to the identity provider */
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
            /** @description Signed out. */
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
            /** @description The page */
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
            /** @description The page */
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
                /** @description The code of a problem document */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
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
                /** @description The file's name */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
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
            /** @description The icon */
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
                /** @description The scopes that the key must have. */
                scope?: string[];
                /** @description `nginx`: a key over its rate limit gets a 403 with `X-Auth-Status: 429`, because nginx turns a 429 into a 500 */
                profile?: "nginx";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request may pass */
            200: {
                headers: {
                    /** @description The key's id */
                    "x-auth-key-id"?: string;
                    /** @description The metadata of the key that `FORWARD_METADATA` names, form-encoded */
                    "x-auth-metadata"?: string;
                    /** @description The organization's id, percent-encoded. */
                    "x-auth-organization"?: string;
                    /** @description The key's scopes, separated by spaces; may be empty */
                    "x-auth-scopes"?: string;
                    /** @description The user's `sub`, percent-encoded. */
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
                /** @description The path of the caller's request, including slashes; ignored */
                tail: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request may pass */
            200: {
                headers: {
                    /** @description The key's id */
                    "x-auth-key-id"?: string;
                    /** @description The metadata of the key that `FORWARD_METADATA` names, form-encoded */
                    "x-auth-metadata"?: string;
                    /** @description The organization's id, percent-encoded. */
                    "x-auth-organization"?: string;
                    /** @description The key's scopes, separated by spaces; may be empty */
                    "x-auth-scopes"?: string;
                    /** @description The user's `sub`, percent-encoded. */
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
                /** @description Lists each check. */
                verbose?: string;
                /** @description `verify`: checks only what verification depends on */
                for?: "verify";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service is ready */
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
            /** @description The process is alive */
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
            /** @description OpenAPI 3.1 */
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
                /** @description Lists each check. */
                verbose?: string;
                /** @description `verify`: checks only what verification depends on */
                for?: "verify";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service is ready */
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
