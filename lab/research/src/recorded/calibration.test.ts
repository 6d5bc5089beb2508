import { CALIBRATED_METHODS, calibrateTranscripts } from "@plimsoll/bench/extend";
import { expect, test } from "vitest";
import { recordedFiles, recordedTranscripts } from "./recorded-sessions.ts";

const files = recordedFiles();

test.skipIf(files.length === 0)(
  "on recorded sessions the ledger is right within a fifth of a percent, its bound holds, and no other method is as good",
  async () => {
    const { report } = calibrateTranscripts(await recordedTranscripts(files), CALIBRATED_METHODS);
    const ledger = report.methods.find(({ method }) => method === "ledger");
    expect(ledger?.calm.mapePercent).toBeLessThan(0.17);
    expect(ledger?.calm.p95Percent).toBeLessThan(0.6);
    expect(ledger?.calm.offByFivePercentCount).toBeLessThanOrEqual(15);
    expect(ledger?.calm.coverageRatio).toBeGreaterThanOrEqual(0.995);
    expect(ledger?.calm.marginPercent).toBeLessThan(2);
    expect(ledger?.calm.marginP50Percent).toBeLessThan(0.8);
    expect(ledger?.afterCut.p50Percent).toBeLessThan(5);
    const field = report.methods.filter(({ method }) => !method.startsWith("ledger"));
    expect(field.map(({ calm }) => (calm.mapePercent ?? 0) > 0.17)).toEqual(field.map(() => true));
    expect(field.map(({ hidden }) => (hidden.mapePercent ?? 0) > (ledger?.hidden.mapePercent ?? 0))).toEqual(
      field.map(() => true),
    );
  },
  120_000,
);
