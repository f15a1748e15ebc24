// Sign-in and sign-out at an independent identity provider: the certified implementation of the package oidc-provider.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import Provider from "oidc-provider";
import { BASE, browser, eventually, visitor } from "./harness.mjs";

/** Set by the test that runs this file. The host name differs from Gatepost's, so that the two are different sites. */
const ISSUER = process.env.ISSUER;
/** An instance that has no secret at the provider. */
const PUBLIC_INSTANCE = process.env.PUBLIC_INSTANCE;
/** The client of an instance. */
const client = (id, base, more) => ({
  client_id: id,
  redirect_uris: [`${base}/console/callback`],
  post_logout_redirect_uris: [`${base}/console/signed-out`],
  ...more,
});

/** The provider's records of the sign-ins and sign-outs that it completed. */
const [asked, exchanged, signedOut] = [[], [], []];
/** The provider's own pages ask for a font there. */
const FONTS = "https://fonts.googleapis.com";
const server = await serve();

after(() => {
  server.close();
  server.closeAllConnections();
  return browser.close();
});

test("a person signs in and out, and so does the provider", async () => {
  await providerIsKnown(BASE);
  const { page, close } = await stranger();
  await page.goto("/console/keys");
  const callback = page.waitForRequest((request) => request.url().startsWith(`${BASE}/console/callback`));
  await signInThere(page, "nadia");
  await page.waitForURL(`${BASE}/console/keys`);
  await page.getByText("Signed in as nadia").waitFor();
  assert.equal(new URL((await callback).url()).searchParams.get("iss"), ISSUER);
  const { nonce, code_challenge_method: method, scope } = asked.at(-1);
  assert.ok(nonce.length >= 22 && method === "S256" && scope === "openid groups", JSON.stringify(asked.at(-1)));
  assert.deepEqual(exchanged.at(-1), { by: "client_secret_basic", hasVerifier: true });
  assert.equal(await page.getByRole("navigation", { name: "Operator" }).count(), 0);
  // A read that is in progress when the session ends gets a 401.
  await page.getByText("You have no active key").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await page.waitForURL(`${BASE}/console/signed-out`);
  assert.deepEqual(signedOut, ["gatepost"]);
  assert.equal(await page.evaluate(() => fetch("/api/session").then(({ status }) => status)), 401);
  // The provider has forgotten the person, too: it asks for the name again.
  await page.goto("/console/");
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByPlaceholder("Enter any login").waitFor();
  await close();
});

test("a person who stays signed in at the provider is signed out of Gatepost, and returns without a password", async () => {
  await providerIsKnown(BASE);
  const { page, close } = await stranger();
  await page.goto("/console/");
  await signInThere(page, "root");
  await page.getByText("Signed in as root").waitFor();
  // The claim comes with a scope of its name.
  await page.getByRole("navigation", { name: "Operator" }).waitFor();
  // A read that is in progress when the session ends gets a 401.
  await page.getByText("Make an API key").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "No, stay signed in" }).click();
  await page.waitForURL(`${BASE}/console/signed-out`);
  assert.equal(await page.evaluate(() => fetch("/api/session").then(({ status }) => status)), 401);
  await page.goto("/console/audit");
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL(`${BASE}/console/audit`);
  await page.getByText("Signed in as root").waitFor();
  await close();
});

test("a client without a secret is protected by PKCE alone", async () => {
  await providerIsKnown(PUBLIC_INSTANCE);
  const { page, close } = await stranger({ failures: [401] });
  await page.goto(`${PUBLIC_INSTANCE}/console/`);
  await signInThere(page, "paul");
  await page.getByText("Signed in as paul").waitFor();
  assert.deepEqual(exchanged.at(-1), { by: "none", hasVerifier: true });
  await close();
});

test("a person who cancels at the provider learns that nobody is signed in", async () => {
  await providerIsKnown(BASE);
  const { page, close } = await stranger({ failures: [403] });
  await page.goto("/console/");
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Cancel" }).click();
  await page.getByRole("heading", { name: "The sign-in was refused" }).waitFor();
  await close();
});

/** A browser without a sign-in, at Gatepost and at the provider. */
async function stranger(options) {
  const visit = await visitor(undefined, { elsewhere: [new URL(ISSUER).origin, PUBLIC_INSTANCE, FONTS], ...options });
  await visit.context.route(`${FONTS}/**`, (route) => route.fulfill({ contentType: "text/css", body: "" }));
  return visit;
}

/** Follows "Sign in", and enters the name. */
async function signInThere(page, name) {
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByPlaceholder("Enter any login").fill(name);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

/** An instance starts before the provider, and asks for its documents until they are there. */
const providerIsKnown = (base) =>
  eventually(
    "the provider is known",
    async () => (await fetch(`${base}/console/login`, { redirect: "manual" })).status === 303,
  );

function serve() {
  const provider = new Provider(ISSUER, {
    clients: [
      client("gatepost", BASE, { client_secret: process.env.CLIENT_SECRET }),
      client("gatepost-public", PUBLIC_INSTANCE, { token_endpoint_auth_method: "none" }),
    ],
    claims: { openid: ["sub"], groups: ["groups"] },
    scopes: ["openid", "groups"],
    // Claims are in the ID token, as most providers do it, and not only at the endpoint for user information.
    conformIdTokenClaims: false,
    findAccount: (_, accountId) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        groups: accountId === "root" ? ["everybody", "gatepost-operators"] : ["everybody"],
      }),
    }),
    pkce: { required: () => true },
    cookies: { keys: ["a key of the test"] },
  });
  provider.on("authorization.success", ({ oidc }) => asked.push(oidc.params));
  provider.on("grant.success", ({ oidc }) =>
    exchanged.push({ by: oidc.client.clientAuthMethod, hasVerifier: Boolean(oidc.params.code_verifier) }),
  );
  provider.on("end_session.success", ({ oidc }) => signedOut.push(oidc.client.clientId));
  return new Promise((resolve) => {
    const server = provider.listen(Number(new URL(ISSUER).port), "localhost", () => resolve(server));
  });
}
