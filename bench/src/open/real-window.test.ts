import { NONE_POLICY } from "@plimsoll/core";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { cellOf } from "../drive/cell.ts";
import { agentWindowOf } from "../formats/agent-windows.ts";
import { prepareSession } from "./prepared-session.ts";
import { realWindow, type WindowEvidence } from "./real-window.ts";

const NOTHING: WindowEvidence = {
  modelIds: ["model"],
  statedTokens: null,
  automaticTokens: null,
  largestPromptTokens: 0,
  agent: null,
  catalogueTokens: null,
};
const MILLION = 1_000_000;

test.each<[rule: string, evidence: Partial<WindowEvidence>, tokens: number, reason: RegExp]>([
  [
    "a stated one comes first",
    { statedTokens: 258_400, automaticTokens: 100_000, catalogueTokens: MILLION },
    258_400,
    /stated/,
  ],
  [
    "an automatic compaction shows a smaller window than the model has",
    { automaticTokens: 167_370, largestPromptTokens: 166_972, catalogueTokens: MILLION },
    200_000,
    /by itself at 167,370 tokens/,
  ],
  [
    "it shows the smallest sold one that holds it",
    { automaticTokens: 105_534, catalogueTokens: MILLION },
    128_000,
    /by itself/,
  ],
  ["but no larger one than the catalogue's", { automaticTokens: 139_043, catalogueTokens: 160_000 }, 160_000, /by itself/],
  [
    "a prompt accepted later was larger still",
    { automaticTokens: 120_000, largestPromptTokens: 180_000, catalogueTokens: MILLION },
    200_000,
    /prompt of 180,000 tokens was accepted/,
  ],
  ["the name of a model states its size", { modelIds: ["small", "model[1m]"], catalogueTokens: 200_000 }, MILLION, /name/],
  ["a tag of the name states it", { modelIds: ["small:135m", "model:1m"], catalogueTokens: 200_000 }, MILLION, /name/],
  ["a compaction tells more than a name", { modelIds: ["model[1m]"], automaticTokens: 167_000 }, 200_000, /by itself/],
  [
    "the agent's version comes before the catalogue",
    { agent: { tokens: 200_000, reason: "an older version" }, catalogueTokens: MILLION },
    200_000,
    /older version/,
  ],
  [
    "an accepted prompt comes before the agent's version",
    { agent: { tokens: 200_000, reason: "an older version" }, largestPromptTokens: 425_822 },
    MILLION,
    /accepted/,
  ],
  ["without any sign the catalogue's holds", { catalogueTokens: 400_000, largestPromptTokens: 150_000 }, 400_000, /catalogue/],
  ["a model that nobody knows has the usual one", {}, 200_000, /unknown; most/],
  ["a prompt of a sold window's size is in that one", { largestPromptTokens: 256_000 }, 256_000, /accepted/],
  ["a prompt above every sold window is its own window", { largestPromptTokens: 3_000_000 }, 3_000_000, /accepted/],
])("%s", (_, evidence, tokens, reason) => {
  const window = realWindow({ ...NOTHING, ...evidence });
  expect(window.tokens).toBe(tokens);
  expect(window.reason).toMatch(reason);
});

test.each([
  [{ name: "claude-code", version: "2.1.39" }, 200_000],
  [{ name: "claude-code", version: "2.1.75" }, undefined],
  [{ name: "claude-code", version: "2.1.126" }, undefined],
  [{ name: "claude-code", version: null }, undefined],
  [{ name: "other", version: "1.0.0" }, undefined],
  [null, undefined],
])("the version of %o tells %s", (agent, tokens) => {
  expect(agentWindowOf(agent)?.tokens).toBe(tokens);
});

test.each([
  ["one that nobody asked for tells the window", ["boundary-5"], null, /by itself at 7,730 tokens/],
  ["one that a person may have asked for tells nothing", [], null, /unknown; most/],
  ["one of our own log tells it by its budget", [], 28_000, /by itself at 28,000 tokens/],
])("of recorded compactions, %s", (_, automaticCompactionIds, budgetTokens, reason) => {
  const made = { turns: 8, toolCallsPerTurn: 2, resultChars: 2000, overheadTokens: 2000, boundaries: [5] };
  const { entries: recorded, ...transcript } = madeTranscript(made);
  const entries = recorded.map((entry) =>
    entry.type === "compaction" ? { ...entry, record: { ...entry.record, budgetTokens } } : entry,
  );
  const session = prepareSession({ ...transcript, entries, automaticCompactionIds });
  const { window } = cellOf(session, { policy: NONE_POLICY, window: { kind: "real" }, catalog: MODEL_CATALOG });
  expect(window).toMatchObject({ kind: "real", reason: expect.stringMatching(reason) });
});

test.each([
  [24_000, 3000],
  [65_536, 8192],
  [500_000, 8192],
])("a room of %i tokens has a reserve of %i for the reply", (tokens, reserve) => {
  const session = prepareSession(madeTranscript({ turns: 1, toolCallsPerTurn: 1, resultChars: 100, overheadTokens: 2000 }));
  const window = { kind: "working-room", tokens } as const;
  expect(cellOf(session, { policy: NONE_POLICY, window, catalog: MODEL_CATALOG }).maxOutputTokens).toBe(reserve);
});
