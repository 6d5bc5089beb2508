import { expect, test, vi } from "vitest";
import { isPlimsollError, PlimsollError } from "./index.ts";

test("an error of another copy of the package is known as ours", async () => {
  vi.resetModules();
  const other = await import("./error.ts");
  const error = new other.PlimsollError("closed", "this agent is closed: create a new one");
  expect(error instanceof PlimsollError).toBe(false);
  expect([isPlimsollError(error), isPlimsollError(error, "closed"), isPlimsollError(error, "aborted")]).toEqual([
    true,
    true,
    false,
  ]);
});

test.each([new Error("no"), { name: "PlimsollError", code: "closed", details: {} }, null, "closed"])(
  "%s is none of ours",
  (thrown) => {
    expect(isPlimsollError(thrown)).toBe(false);
  },
);
