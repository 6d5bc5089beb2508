// Say something in a terminal

export { changedLines } from "./terminal/changed-lines.ts";
export { type CliIo, EXIT_FAILED, EXIT_OK, EXIT_USAGE, messageOf, type Output } from "./terminal/io.ts";
export {
  beginningOf,
  COLUMNS,
  cutRows,
  escaped,
  fitted,
  guarded,
  type LineStarts,
  lineFor,
  nameChars,
  printable,
  printableLines,
  say,
  shortened,
  tableColumns,
  tell,
  wrapped,
} from "./terminal/printable.ts";
export { drawTable } from "./terminal/text-table.ts";

// Read what every command is given

export { checkOptions, mistakes } from "./command/check-options.ts";
export { findLogs } from "./command/find-inputs.ts";
export { findPolicy, type PolicyParts, policyNamed } from "./command/policy-option.ts";
export {
  addExtensionOption,
  collect,
  type ExtensionOptions,
  openExtensions,
  parsePort,
  tokensOf,
  wholeNumber,
} from "./command/replay-options.ts";
