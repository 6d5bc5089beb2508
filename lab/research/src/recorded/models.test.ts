import { resolveModel } from "@plimsoll/providers";
import { describe, expect, test } from "vitest";
import { allRecordedFiles, recordedTranscripts } from "./recorded-sessions.ts";

const FILES = allRecordedFiles();

/** The model id that importers write for a call whose model the log does not name. */
const UNNAMED = "unknown";

describe.skipIf(FILES.length === 0)("models of the recorded sessions", () => {
  test("each has prices, a window, and the day and place of both", async () => {
    const transcripts = await recordedTranscripts(FILES);
    const used = transcripts.flatMap(({ entries }) =>
      entries.flatMap((entry) => (entry.type === "usage" ? [entry.modelId] : [])),
    );
    const modelIds = [...new Set(used)].filter((modelId) => modelId !== UNNAMED);
    const models = await Promise.all(modelIds.map((reference) => resolveModel({ reference, unknownWindow: "off" })));
    const unknown = models.filter(({ prices, priceSource, contextWindow }) => {
      const isDated = /20\d\d-\d\d-\d\d/.test(priceSource ?? "") && /20\d\d-\d\d-\d\d/.test(contextWindow.note ?? "");
      return prices === null || contextWindow.tokens === null || !isDated;
    });
    expect(unknown.map(({ modelId }) => modelId)).toEqual([]);
    expect(modelIds.length).toBeGreaterThan(15);
  });
});
