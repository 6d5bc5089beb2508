import { type Cell, isRecordedPolicy } from "../replay/cell.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import type { RetentionMetrics, RowMetrics } from "../results.ts";
import { createCalibration } from "./calibration.ts";
import { createEconomy } from "./economy.ts";
import type { Metric } from "./metric.ts";
import { createRetentionProbe } from "./retention.ts";
import { createSafety } from "./safety.ts";
import { createWork } from "./work.ts";

/** All families over one replay. Calibration is measured on `recorded` alone, where predictions meet real reports. */
export function createRowMetrics(session: PreparedSession, cell: Cell): Metric<RowMetrics> {
  const safety = createSafety(cell);
  const economy = createEconomy();
  const retention = createRetention(session);
  const calibration = isRecordedPolicy(cell.policy) && !session.sizeModel.isEstimated ? createCalibration() : null;
  const work = createWork();
  return {
    add: (sent) => {
      for (const metric of [safety, economy, retention, calibration, work]) metric?.add(sent);
    },
    result: () => ({
      safety: safety.result(),
      economy: economy.result(),
      retention: retention.result(),
      calibration: calibration?.result() ?? null,
      work: work.result(),
    }),
  };
}

function createRetention(session: PreparedSession): Metric<RetentionMetrics> {
  const probe = createRetentionProbe(session.references);
  return {
    add: ({ call, reply, context, lost }) => {
      if (reply === null) return;
      if (lost) probe.lost(call, reply);
      else probe.atCall(call, reply, context);
    },
    result: () => probe.result(),
  };
}
