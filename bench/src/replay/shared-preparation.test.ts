import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { checkMessages } from "@plimsoll/core/extend";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { describe, expect, test } from "vitest";
import { cellOf } from "../drive/cell.ts";
import { drive } from "../drive/drive.ts";
import type { ReplayedCall } from "../drive/replayed-call.ts";
import { importFile } from "../formats/registry.ts";
import { type PreparedSession, prepareSession } from "../open/prepared-session.ts";
import { OPENCODE_PRUNE_PEER } from "../peers/opencode.ts";
import { replay } from "./replay.ts";

const FOLDER = fileURLToPath(new URL("../../../fixtures/sessions/", import.meta.url));
const POLICIES = [PLIMSOLL_POLICY, SVEN_POLICY, OPENCODE_PRUNE_PEER.policy];
/** Small, so that every policy acts. */
const WINDOW = { kind: "working-room", tokens: 16_000 } as const;

const preparedAnew = async (name: string) => (await importFile(`${FOLDER}${name}`, name)).map(prepareSession);

async function callsOf(session: PreparedSession, policy: (typeof POLICIES)[number]): Promise<readonly ReplayedCall[]> {
  const calls: ReplayedCall[] = [];
  await drive(session, cellOf(session, { policy, window: WINDOW, catalog: MODEL_CATALOG }), (call) => calls.push(call));
  return calls;
}

describe.each(readdirSync(FOLDER).toSorted())("%s", (name) => {
  test("a row is the same, whichever policies were replayed over the same preparation before", async () => {
    const shared = await preparedAnew(name);
    for (const policy of POLICIES)
      for (const [place, session] of shared.entries()) {
        const row = await replay(session, { policy, window: WINDOW });
        const fresh = (await preparedAnew(name))[place];
        expect(fresh && (await replay(fresh, { policy, window: WINDOW }))).toEqual(row);
      }
  }, 120_000);

  test.each(POLICIES)(
    "every request under $name is checked and sized as it would be alone",
    async (policy) => {
      for (const session of await preparedAnew(name)) {
        const calls = await callsOf(session, policy);
        expect(calls.length).toBeGreaterThan(0);
        for (const { call, context, violations, promptTokens } of calls) {
          expect(violations).toEqual(checkMessages(context.slice()));
          const { messageTokens, nonMessageTokens } = session.sizeJudge;
          const alone = context.slice().reduce((sum, each) => sum + messageTokens(each, call), nonMessageTokens(call, "own"));
          expect(promptTokens).toBe(alone);
        }
      }
    },
    60_000,
  );
});
