// Only for our own packages, and may change.

export { FIRST_MOD_VERSION } from "./advise/claude-code.ts";
export { recordedFigures } from "./advise/recorded-figures.ts";
export { callKinds } from "./calibrate/calibrate-sessions.ts";
export { calibrateTranscripts } from "./calibrate/calibration-report.ts";
export { errorsOf } from "./calibrate/errors.ts";
export { CALIBRATED_METHODS } from "./calibrate/methods.ts";
export { byEstimator } from "./calibrate/predict-calls.ts";
export { OUTPUT_RESERVE_TOKENS } from "./drive/cell.ts";
export { LOCATED_AGENTS } from "./formats/locations.ts";
export { readLog } from "./formats/registry.ts";
export { typedWords } from "./formats/who-said.ts";
export { CHEATS } from "./judge/choose.ts";
export { shortTokens } from "./judge/window-label.ts";
export { prepareSession } from "./open/prepared-session.ts";
export { ownPlaceOf, placedError } from "./replay/load-parts.ts";
export { replay } from "./replay/replay.ts";
export { formatCount, formatNumberOf, formatPercent, formatTokens, formatUsd, shareTexts } from "./show/figures.ts";
export { html } from "./show/markup.ts";
export { renderPage } from "./show/page.ts";
export { groupNotes } from "./show/report-tables.ts";
export { transcriptNames } from "./show/session-names.ts";
export { scrollFrame } from "./show/table-html.ts";
export { amountWords, triggerSizes, triggerWords } from "./show/trigger.ts";
export { flooredRidge, ridge } from "./size-judge/least-squares.ts";
export { sumOf } from "./statistics.ts";
export { isRollBack } from "./transcript.ts";
