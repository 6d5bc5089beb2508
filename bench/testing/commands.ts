export { adviceHtml, adviceText } from "../src/advise/advise-command.ts";
export { decideOn } from "../src/advise/decide.ts";
export { findInputs, findLogs } from "../src/command/find-inputs.ts";
export { choosePolicies, findPolicy, joinPolicies, runningPolicies } from "../src/command/policy-option.ts";
export { sweepPolicies } from "../src/command/replay-options.ts";
export { tuneReport } from "../src/command/tune-command.ts";
export { problemText, terminalReport } from "../src/show/terminal-report.ts";
export { madeAdvice } from "./made-advice.ts";
