// A session after its roles have ended: here after twenty seconds.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { BASE, browser, logIn, makeKeyAfterSignIn, signIn, visitor } from "./harness.mjs";

after(() => browser.close());

const AGE = 20_000;
const SCREEN = "/console/keys?organization=acme";

test("the console asks the provider again, and returns to the same screen", async () => {
  const { page, context, close } = await visitor(undefined, { failures: [403] });
  await signIn(page, "carol", SCREEN);
  await page.getByRole("heading", { name: "You have no active key" }).waitFor();
  const before = await context.cookies();
  await page.waitForTimeout(AGE);
  await page.goto("/console/keys");
  await page.getByRole("heading", { name: "You have no active key" }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/console/keys", "the user's own screens go on");
  await page.goto(SCREEN);
  await page.waitForURL(/\/dev\/oidc\/authorize/);
  await logIn(page, "carol");
  await page.waitForURL(BASE + SCREEN);
  await page.getByRole("heading", { name: "You have no active key" }).waitFor();
  const value = (cookies) => cookies.find(({ name }) => name.includes("session"))?.value;
  assert.notEqual(value(await context.cookies()), value(before), "another session");
  await close();
});

test("a form keeps what is typed", async () => {
  const { page, close } = await visitor(undefined, { failures: [403] });
  await signIn(page, "carol", SCREEN);
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Label").fill("Typed with care");
  await page.waitForTimeout(AGE);
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByRole("dialog").getByText("Sign in again to act for the organization").waitFor();
  await makeKeyAfterSignIn(page, "carol", "Typed with care");
  await page.getByRole("row", { name: /Typed with care.*by carol/ }).waitFor();
  await close();
});
