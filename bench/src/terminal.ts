// Say something in a terminal

export { changedLines } from "./terminal/changed-lines.ts";
export { type CliIo, EXIT_FAILED, EXIT_OK, EXIT_USAGE, messageOf, programOf } from "./terminal/io.ts";
export {
  beginningOf,
  COLUMNS,
  escaped,
  fitted,
  printable,
  say,
  shortened,
  tableColumns,
  tell,
  wrapped,
} from "./terminal/printable.ts";
export { drawTable } from "./terminal/text-table.ts";

// Read the options of every command

export { checkOptions } from "./command/check-options.ts";
export { newestLog } from "./command/find-inputs.ts";
export { findPolicy, policyNamed, withoutPeers } from "./command/policy-option.ts";
export {
  addExtensionOption,
  type ExtensionOptions,
  openExtensions,
  tokensOf,
  wholeNumber,
} from "./command/replay-options.ts";
