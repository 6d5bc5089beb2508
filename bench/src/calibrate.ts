import type { EstimatorSpec } from "@plimsoll/core/build";
import { RECORDED_POLICY } from "@plimsoll/core/internal";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { createCalibration } from "./metrics/calibration.ts";
import { hiddenEvents } from "./metrics/hidden-events.ts";
import { cellOf } from "./replay/cell.ts";
import { drive } from "./replay/drive.ts";
import type { PreparedSession } from "./replay/prepared-session.ts";
import type { CallObserver } from "./replay/replayed-call.ts";
import type { CalibrationMetrics } from "./results.ts";

/** How well an estimator predicts the recorded requests of a session; `onCall` sees each of its predictions. */
export async function calibrate(
  session: PreparedSession,
  estimator: EstimatorSpec,
  onCall: CallObserver = () => undefined,
): Promise<CalibrationMetrics> {
  const policy = { ...RECORDED_POLICY, estimator };
  const cell = cellOf(session, { policy, window: { kind: "real" }, catalog: MODEL_CATALOG });
  const calibration = createCalibration(hiddenEvents(session.sizeModel));
  await drive(session, cell, (sent) => {
    calibration.add(sent);
    onCall(sent);
  });
  return calibration.result();
}
