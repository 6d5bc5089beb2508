import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256Hex, shortHash } from "./text.ts";

describe("sha256Hex", () => {
  // The examples of FIPS 180-4 and its test vectors; the last one from the long-message vectors.
  test.each([
    ["the empty text", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["one block", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "two blocks, because the length no longer fits the first",
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
    [
      "several blocks",
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
    ],
    ["a million letters", "a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
  ])("gives the published digest: %s", (_, text, digest) => {
    expect(sha256Hex(text)).toBe(digest);
  });

  test("equals the platform's digest for well-formed text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        expect(sha256Hex(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
      }),
    );
  });

  test.each(Array.from({ length: 10 }, (_, index) => [55 + index]))("pads %i bytes as the standard says", (byteCount) => {
    const text = "x".repeat(byteCount);
    expect(sha256Hex(text)).toBe(createHash("sha256").update(text).digest("hex"));
  });

  test.each([
    ["a lone surrogate and its replacement character", "\ud800", "\ufffd"],
    ["two lone surrogates", "\ud800", "\ud801"],
    ["a low surrogate before a high one, and the pair", "\udc00\ud800", "\ud800\udc00"],
  ])("tells apart %s", (_, left, right) => {
    expect(sha256Hex(left)).not.toBe(sha256Hex(right));
  });
});

test("shortHash is the first 128 bits", () => {
  expect(shortHash("abc")).toBe("ba7816bf8f01cfea414140de5dae2223");
});
