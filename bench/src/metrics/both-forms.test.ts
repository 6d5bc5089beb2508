import { MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { z } from "zod";
import { type BothForms, bothForms } from "../../testing/both-forms.ts";
import { madeTranscript } from "../../testing/made-session.ts";
import { LAST_HUMAN_ONLY } from "../peers/cheats.ts";
import { cellOf } from "../replay/cell.ts";
import { drive } from "../replay/drive.ts";
import { prepareSession } from "../replay/prepared-session.ts";
import type { Metric } from "./metric.ts";
import { METRICS } from "./registry.ts";
import { createRowMetrics } from "./row-metrics.ts";

const SESSION = prepareSession(madeTranscript({ turns: 16, toolCallsPerTurn: 6, resultChars: 4000, overheadTokens: 2000 }));

test("what a replay follows from request to request is what each whole request gives", async () => {
  const cell = cellOf(SESSION, {
    policy: LAST_HUMAN_ONLY.policy,
    window: { kind: "working-room", tokens: 24_000 },
    catalog: MODEL_CATALOG,
  });
  const forms: BothForms[] = [];
  const comparing: Metric = {
    id: "comparing",
    schema: z.null(),
    measure: (replay) => ({ add: (call) => void forms.push(bothForms(replay, call)), result: () => null }),
    pool: () => null,
    figures: {},
  };
  const recorder = createRowMetrics(SESSION, cell, { catalog: MODEL_CATALOG, metrics: [...METRICS, comparing] });
  let compactions = 0;
  await drive(SESSION, cell, (sent) => {
    compactions += sent.compactions.length;
    recorder.add(sent);
  });
  expect(compactions).toBeGreaterThan(0);
  expect(forms.filter(({ followed }) => (followed.missing?.length ?? 0) > 0).length).toBeGreaterThan(50);
  expect(forms.map(({ followed }) => followed)).toEqual(forms.map(({ whole }) => whole));
});
