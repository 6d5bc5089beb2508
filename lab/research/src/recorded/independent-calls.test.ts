import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importFile } from "@plimsoll/bench";
import { describe, expect, test } from "vitest";
import { COMPACTIONS_FOLDER, RECORDED_FOLDER } from "./recorded-sessions.ts";

/** The calls of a folder's main chains, reconstructed without any importer of ours: the reported size of each, by session. */
interface IndependentCalls {
  readonly folder: string;
  readonly list: string;
}

const LISTS: readonly IndependentCalls[] = [
  { folder: RECORDED_FOLDER, list: join(RECORDED_FOLDER, "../evaluate/calls.jsonl") },
  { folder: COMPACTIONS_FOLDER, list: join(COMPACTIONS_FOLDER, "calls.jsonl") },
].filter(({ list }) => existsSync(list));

function reportedBySession(list: string): ReadonlyMap<string, readonly number[]> {
  const prompts = new Map<string, number[]>();
  for (const line of readFileSync(list, "utf8").trim().split("\n")) {
    const { file, reported }: { file: string; reported: number } = JSON.parse(line);
    prompts.set(file, [...(prompts.get(file) ?? []), reported]);
  }
  return prompts;
}

/** The importer's reading of a session: the reported sizes of its calls, in their order. */
async function imported(folder: string, session: string): Promise<readonly (number | null)[]> {
  const [file = ""] = session.split("#");
  const main = (await importFile(join(folder, file), file)).filter(({ parentName }) => parentName === null);
  const entries = main.find(({ name }) => name === session)?.entries ?? [];
  return entries.flatMap((entry) => (entry.type === "usage" ? [entry.usage.input.totalTokens] : []));
}

const SESSIONS = LISTS.flatMap(({ folder, list }) =>
  [...reportedBySession(list)].map(([session, reported]) => ({ session, folder, reported })),
);

describe.skipIf(SESSIONS.length === 0)("calls that were reconstructed apart", () => {
  test.each(SESSIONS)("$session: each call with its size", async ({ folder, session, reported }) => {
    expect(await imported(folder, session)).toEqual(reported);
  });
});
