import { z } from "zod";
import type { PredictionErrors } from "../../calibrate/errors.ts";
import type { CalibrationRecord } from "../../results/calibration-record.ts";

const count = z.int().nonnegative();
const figure = z.number().nullable();

const errors: z.ZodType<PredictionErrors> = z.strictObject({
  calls: count,
  signedPercent: figure,
  mapePercent: figure,
  p50Percent: figure,
  p95Percent: figure,
  maxPercent: figure,
  offByTwoPercentCount: count,
  offByFivePercentCount: count,
  coverageRatio: figure,
  marginPercent: figure,
  marginP50Percent: figure,
});

/** Schema of {@link CalibrationRecord}. */
export const calibrationRecordSchema: z.ZodType<CalibrationRecord> = z.strictObject({
  session: z.string(),
  format: z.string(),
  prompts: z
    .array(
      z.strictObject({
        modelId: z.string(),
        kind: z.enum(["first", "after-cut", "after-switch", "server-tool", "fell", "calm"]),
        reportedTokens: z.number(),
      }),
    )
    .readonly(),
  methods: z
    .array(
      z.strictObject({
        method: z.string(),
        models: z.array(z.strictObject({ modelId: z.string(), errors, calm: errors })).readonly(),
        expectedTokens: z.array(z.number()).readonly(),
        upperTokens: z.array(z.number()).readonly(),
      }),
    )
    .readonly(),
});
