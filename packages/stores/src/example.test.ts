import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { goOn } from "../examples/go-on.ts";

test("the README's program goes on with what it kept", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-example-"));
  writeFileSync(join(folder, "plimsoll.yaml"), "extends: sven\n");
  expect([await goOn(folder, "one", "hello"), await goOn(folder, "one", "again"), await goOn(folder, "two", "hello")]).toEqual([
    1, 2, 1,
  ]);
});
