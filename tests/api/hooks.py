"""What a good request of this API also is, which its OpenAPI document cannot say.

Only requests that are meant to be good are changed. A rule belongs here only if no schema can state it: a string that an
answer must have given, a time that depends on the present, a rule between two parameters, a setting of the instance.
"""

import json
from pathlib import Path

import schemathesis
from hypothesis import strategies as st

# Cookies and tokens of other schemes are the business of other tests.
PAST, FUTURE = "2020-01-01T00:00:00Z", "{}-01-01T00:00:00Z"

# Calls whose body names a user or an organization. `null` names nothing.
OF_ONE_OWNER = ["/api/operator/events", "/api/operator/events/batch", "/api/operator/portal-links"]

# What a filter may have at most, which no schema can state for a tree.
LEAVES_MAX, DEPTH_MAX, FILTER_BYTES_MAX = 20, 6, 8 * 1024

# The largest limit of an owner's keys and subscriptions.
OWNED_MAX = 10_000

# The instance sends webhooks to this machine only. Nothing listens on the port.
RECEIVERS = ["http://127.0.0.1:65533/", "http://127.0.0.1:65533/hooks?a=1#b"]
# A certificate of 2026 that expires in 2126, and its key.
PAIR = Path(__file__).parents[2] / "crates/adapters-egress/tests/suite/pairs/ecdsa.pem"
CHAIN_END = "-----END CERTIFICATE-----\n"
schemathesis.openapi.format("uri", st.sampled_from(RECEIVERS))
schemathesis.openapi.format("log-filter", st.sampled_from(["error", "error,gatepost=warn", "off"]))


@schemathesis.hook
def before_call(context, case, **_):
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    query = case.query if isinstance(case.query, dict) else {}
    headers, body = case.headers or {}, case.body if isinstance(case.body, dict) else {}
    # Positions of a list or a stream come from its answers.
    query.pop("cursor", None)
    headers.pop("last-event-id", None)
    # A list in another format has no pages.
    if query.get("format", "json") != "json":
        query.pop("limit", None)
    # Where no name is resolved, a test of another URL takes seconds.
    if "url" in body and body["url"] not in RECEIVERS:
        body["url"] = RECEIVERS[0]
    # TLS can use a client certificate and its key, and the receiver has TLS.
    if isinstance(body.get("clientCertificate"), dict):
        chain, key = PAIR.read_text().split(CHAIN_END)
        body["clientCertificate"] = {"chain": chain + CHAIN_END, "key": key}
        body["url"] = RECEIVERS[0].replace("http:", "https:")
    # A subscription that is pulled has no field that concerns requests, and each other one has a URL.
    if case.method.upper() == "POST" and case.operation.path.endswith("/subscriptions"):
        if body.get("type") == "pull":
            for name in [name for name in body if name not in ("type", "events", "filter", "description")]:
                body.pop(name)
        else:
            body.setdefault("url", RECEIVERS[0])
    # A list is of one owner.
    if query.get("userId") is not None:
        query.pop("organizationId", None)
    # The header has the token.
    body.pop("idToken", None)
    if case.operation.path in OF_ONE_OWNER:
        for item in body.get("events", [body]):
            name_one_owner(item)
    # A header has one name in all cases, which is not refused, and is not that of the authentication. A subscription
    # has at most 16: half of them at its creation, and these eight by changes.
    if isinstance(body.get("headers"), dict):
        pairs, is_change = body["headers"].items(), case.method.upper() == "PATCH"
        named = {f"z-{n}" if is_change else f"z{name}"[:64].lower(): value for n, (name, value) in enumerate(pairs)}
        body["headers"] = {name: short(value) for name, value in list(named.items())[:8]}
    if isinstance(body.get("auth"), dict) and "name" in body["auth"]:
        body["auth"]["name"] = f"y{body['auth']['name']}"[:64]
    if isinstance(body.get("filter"), dict) and not is_small(body["filter"]):
        body["filter"] = {"path": "/data", "op": "exists"}
    # A filter is tested with an event or with data.
    if case.operation.path.endswith("/filters/test"):
        if body.get("event") is None:
            body.setdefault("data", None)
        else:
            body.pop("data", None)
    # A key pair shares no secret, and a rotation may be that of a key pair.
    if body.get("signing") == "ed25519" or (case.operation.path.endswith("/rotate-secret") and not body.get("signing")):
        body.pop("secret", None)
    # An end without success matters to an order alone.
    if body.get("onExhausted") and case.method.upper() == "POST":
        body["ordering"] = "subscription"
    # Later requests are for the same owners: no limit refuses them.
    for name in ["maxActiveKeys", "maxSubscriptions"]:
        if body.get(name) is not None:
            body[name] = OWNED_MAX
    # An active owner has no reason.
    if body.get("state") == "active":
        body.pop("reason", None)
    # A change only makes an end earlier.
    if case.method.upper() == "PATCH" and body.pop("expiresAt", None):
        body.setdefault("label", "CI")
    if isinstance(body.get("expiresAt"), str):
        body["expiresAt"] = FUTURE.format(next_year())
    # An import has event types or a document that describes them, and each name once.
    if case.operation.path == "/api/operator/event-types/import":
        body.pop("openapi", None)
        body["types"] = [{"name": one["name"]} for one in {one["name"]: one for one in body.get("types", [])}.values()]
    # A schema must be one of JSON Schema 2020-12, must not break the one before, and the examples must follow it.
    if case.operation.path == "/api/operator/event-types/{name}" and "schema" in body:
        body["schema"] = {"type": ["object", "array", "string", "number", "boolean", "null"]}
    for times in query, body:
        if isinstance(times.get("since"), str):
            times["since"] = PAST


def is_small(filter):
    text = json.dumps(filter)
    return len(text) <= FILTER_BYTES_MAX and leaves(filter) <= LEAVES_MAX and depth(filter) <= DEPTH_MAX


def inner(filter):
    return filter.get("all") or filter.get("any") or [filter["not"]] if "path" not in filter else []


def leaves(filter):
    return sum(map(leaves, inner(filter))) or 1


def depth(filter):
    return 1 + max(map(depth, inner(filter)), default=0)


def name_one_owner(item):
    if item.get("userId") is None and item.get("organizationId") is not None:
        item.pop("userId", None)
    else:
        item["userId"] = item.get("userId") or "tester"
        item.pop("organizationId", None)


def short(value):
    return value if value is None else value[:400].rstrip() or "x"


def next_year():
    from datetime import date

    return date.today().year + 2
