import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.location = new URL("https://keys.example/console/deliveries?organization=a%26b&state=failed");
const { addressOf } = await import("../../../web/lib/api.js");
const { addressFor, isOther, kept, withoutOwner } = await import("../../../web/lib/owner-shown.js");
const { hold, may } = await import("../../../web/lib/rights.js");

test("calls of an owner name the organization, and those of operators and about sessions do not", () => {
  assert.equal(addressOf("listApiKeys"), "/api/api-keys?organization=a%26b");
  assert.equal(addressOf("listDeliveries", { limit: 2 }), "/api/webhooks/deliveries?limit=2&organization=a%26b");
  assert.equal(addressOf("listUserApiKeys", { userId: "bob" }), "/api/operator/users/bob/keys");
  assert.equal(addressOf("findCurrentSession"), "/api/session");
  assert.equal(addressOf("listSessions"), "/api/sessions");
});

test("screens keep the owner, and a filter does not have it", () => {
  assert.equal(kept("/console/keys"), "/console/keys?organization=a%26b");
  assert.equal(kept("/console/keys?organization=c&x=1"), "/console/keys?organization=a%26b&x=1");
  assert.equal(addressFor("c"), "/console/?organization=c");
  assert.equal(addressFor(""), "/console/?organization=");
  assert.deepEqual(
    [isOther(""), isOther("?organization=a%26b"), isOther("?organization="), isOther("?organization=c")],
    [false, false, true, true],
  );
  assert.deepEqual(withoutOwner(new URLSearchParams(location.search)), { state: "failed" });
});

test("a member may do what the role says, and never what the user's own session may", () => {
  const own = ["keys", "keys:read", "webhooks", "webhooks:read"];
  const session = (capabilities, role = "user") => ({
    role,
    capabilities: own,
    organizations: [{ organizationId: "a&b", capabilities }],
  });
  hold(session(["keys:read"]));
  assert.deepEqual(["keys", "keys:read", "audit", "sessions", "operator"].map(may), [false, true, false, true, false]);
  hold(session(own, "operator"));
  assert.deepEqual(["keys", "audit", "sessions", "operator"].map(may), [true, true, true, true]);
  hold({ role: "user", capabilities: own });
  assert.deepEqual(["keys", "keys:read", "audit"].map(may), [false, false, false], "not a member");
});
