import assert from "node:assert/strict";
import { test } from "node:test";
import { urlWarning } from "../../../web/lib/url-warning.js";

test("a URL that the service takes has no warning, and neither has text that is not yet a URL", () => {
  for (const text of [
    "",
    "htt",
    "https://",
    "https://example.com/hooks",
    "https://10.example.com",
    "https://172.32.0.1",
  ])
    assert.equal(urlWarning(text), "", text);
});

test("a user name or a password is refused", () => {
  for (const text of ["https://ann@example.com", " https://ann:secret@example.com/hooks"])
    assert.match(urlWarning(text), /is refused/, text);
});

test("a private address is refused unless the operator allows it", () => {
  const hosts = ["localhost", "my.localhost", "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.0.1", "192.168.1.1"];
  for (const host of [...hosts, "169.254.169.254", "0x7f000001", "[::1]", "[fd00::1]", "[fe80::1]"])
    assert.match(urlWarning(`https://${host}/hooks`), /private network/, host);
});

test("http is refused unless the operator allows it", () => {
  assert.match(urlWarning("http://example.com"), /without encryption/);
});
