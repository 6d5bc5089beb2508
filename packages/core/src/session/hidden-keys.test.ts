import fc from "fast-check";
import { expect, test } from "vitest";
import { createKeyRedactor } from "./hidden-keys.ts";

const VALUE = "a8d1f0c6e2b7a4959";
const redact = createKeyRedactor({ ACME_TOKEN: "acme value with blanks 1", HOME: "/home/somebody/a/long/path" });
const hide = (text: string) => redact(text, "request");

test.each([
  ["a variable's value", "it is acme value with blanks 1", "it is [ACME_TOKEN]"],
  ["a file of settings", `GITHUB_TOKEN=${VALUE}\nPORT=8080`, "GITHUB_TOKEN=[key]\nPORT=8080"],
  ["source code", `const apiKey = "${VALUE}";`, 'const apiKey = "[key]";'],
  [
    "JSON in JSON",
    JSON.stringify({ of: JSON.stringify({ client_secret: VALUE }) }),
    '{"of":"{\\"client_secret\\":\\"[key]\\"}"}',
  ],
  ["a header", `x-api-key: ${VALUE}`, "x-api-key: [key]"],
  ["a header's scheme", `Authorization: Bearer ${VALUE}`, "Authorization: Bearer [key]"],
  ["a package manager's settings", `//registry.example/:_authToken=${VALUE}`, "//registry.example/:_authToken=[key]"],
  ["a key that says so", "use sk-planted-0123456789abcdef here", "use [key] here"],
  ["a signed token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "[key]"],
  ["a key in armour", "-----BEGIN RSA PRIVATE KEY-----\nMIIEow1\n-----END RSA PRIVATE KEY-----\n", "[key]\n"],
])("a key is hidden in %s", (_, text, expected) => {
  expect(hide(text)).toBe(expected);
});

test.each([
  ["a variable that is no credential", "in /home/somebody/a/long/path"],
  ["a call", "const token = readAccessToken2(request);"],
  ["a name of a variable", "secret: process.env.CLIENT_SECRET_NAME"],
  ["a short value", "password = hunter2"],
  ["a count", "max_output_tokens: 12345678901234567890"],
  ["words with a prefix", "npm_package_dependencies and sk-fading-circle-container"],
  ["a long run of blanks, read once", " ".repeat(2_000_000)],
  ["a hash", `commit ${VALUE}${VALUE}`],
])("%s stays", (_, text) => {
  expect(hide(text)).toBe(text);
});

test("what is hidden stays as it is when it is redacted again", () => {
  const piece = fc.constantFrom(
    "API_KEY",
    "=",
    ": ",
    '"',
    "\\",
    "bearer ",
    "sk-",
    "[key]",
    ".",
    "(",
    VALUE,
    "acme value with blanks 1",
    "\n",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const hidden = hide(pieces.join(""));
      expect(hide(hidden)).toBe(hidden);
    }),
  );
});
