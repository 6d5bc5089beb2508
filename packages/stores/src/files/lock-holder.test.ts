import { expect, test } from "vitest";
import { type ProcessSystem, parseHolder, stateOfHolder, thisHolder } from "./writer-lock.ts";

const failing = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};

/** macOS and Windows have no `/proc`: neither a boot nor a namespace nor a start is known there. */
const WITHOUT_PROC: ProcessSystem = { host: "mac", proc: async () => null, probe: () => undefined };
const OTHER_HOST: ProcessSystem = { ...WITHOUT_PROC, host: "other" };

test("without /proc a holder is its host and process", async () => {
  const holder = await thisHolder(WITHOUT_PROC);
  expect(holder).toMatchObject({ pid: process.pid, startedAt: null, place: { host: "mac", bootId: null, pidNamespace: null } });
  expect(parseHolder(JSON.stringify(holder))).toEqual(holder);
});

test.each<[string, ProcessSystem, string]>([
  ["its process is there", WITHOUT_PROC, "alive"],
  ["its process is somebody else's", { ...WITHOUT_PROC, probe: failing("EPERM") }, "alive"],
  ["its process is gone", { ...WITHOUT_PROC, probe: failing("ESRCH") }, "gone"],
  ["it is on another host", OTHER_HOST, "unseen"],
])("without /proc, if %s", async (_, system, state) => {
  expect(await stateOfHolder(await thisHolder(WITHOUT_PROC), system)).toBe(state);
});

test("with /proc a later process of the same id is told from the holder", async () => {
  const startedAt = (start: string): ProcessSystem => ({
    ...WITHOUT_PROC,
    proc: async (_, path) => (path.endsWith("/stat") ? `7 (a name) ${"x ".repeat(19)}${start} y` : "here"),
  });
  const holder = await thisHolder(startedAt("100"));
  expect(holder.startedAt).toBe("100");
  expect(await stateOfHolder(holder, startedAt("100"))).toBe("alive");
  expect(await stateOfHolder(holder, startedAt("200"))).toBe("gone");
});
