import { expect, test } from "vitest";
import { missingIn } from "./install.ts";

test.each([
  [
    "npm error notarget No matching version found for @openai/agents@0.10.\nnpm error",
    "the registry has no @openai/agents@0.10",
  ],
  [
    "npm error 404  The requested resource 'marked-cjk-friendly@0.1.2' could not be found or",
    "the registry has no marked-cjk-friendly@0.1.2",
  ],
  ["npm error code ENOSPC", "npm could not install it"],
])("what the registry lacks is named: %s", (output, expected) => {
  expect(missingIn(output)).toBe(expected);
});
