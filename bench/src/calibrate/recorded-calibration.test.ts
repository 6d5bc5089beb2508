import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { importFile } from "../formats/registry.ts";
import { type Calibration, calibrateTranscripts } from "./calibration-report.ts";
import { CALIBRATED_METHODS } from "./methods.ts";

/** Recorded sessions of other agents, which are not part of the project: this test runs where the folder is there. */
const FOLDER =
  process.env.PLIMSOLL_TRANSCRIPTS ?? join(dirname(fileURLToPath(import.meta.url)), "../../../../shared/transcripts");

async function calibrateFolder(): Promise<Calibration> {
  const formats = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const files = formats.flatMap(({ name }) => readdirSync(join(FOLDER, name)).map((file) => `${name}/${file}`));
  const transcripts = await Promise.all(files.map((file) => importFile(join(FOLDER, file), file)));
  return calibrateTranscripts(transcripts.flat(), CALIBRATED_METHODS);
}

test.skipIf(!existsSync(FOLDER))(
  "on recorded sessions the ledger is right within a fifth of a percent, its bound holds, and no other method is as good",
  async () => {
    const { report } = await calibrateFolder();
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
