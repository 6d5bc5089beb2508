/**
 * The test files that take longest: long sessions, killed processes, matrices of wires, browsers and terminals. `pnpm test --fast` leaves them out,
 * `pnpm test` runs them. A test checks that each of them is there.
 * @type {readonly string[]}
 */
export const longTests = [
  "packages/providers/src/sessions.test.ts",
  "packages/providers/src/wire-matrix.test.ts",
  "packages/providers/src/fault-table.test.ts",
  "packages/providers/src/session/session.test.ts",
  "packages/providers/src/drop-in/resume.test.ts",
  "packages/providers/src/drop-in/conversations-apart.test.ts",
  "packages/providers/src/drop-in/conversations.property.test.ts",
  "packages/providers/testing/vendor-rules/drop-in-judge.test.ts",
  "packages/providers/testing/vendor-rules/second-judge.test.ts",
  "packages/core/src/agent/resume.test.ts",
  "packages/core/src/engine/one-measure.test.ts",
  "packages/core/src/node/kill.test.ts",
  "packages/core/src/summarizer/summary-request.test.ts",
  "packages/cli/src/chat/chat.test.ts",
  "packages/cli/src/command/bench-command.test.ts",
  "packages/cli/src/command/going-on.test.ts",
  "packages/cli/src/command/tune-command.test.ts",
  "packages/cli/src/run/long-run.test.ts",
  "packages/cli/src/serve/serve-connection.test.ts",
  "packages/cli/testing/planted-key.test.ts",
  "packages/cli/testing/terminal.test.ts",
  "packages/tools/src/session.test.ts",
  "bench/src/run/scale.test.ts",
  "bench/src/tune/tune.test.ts",
  "bench/src/report/html.browser.test.ts",
  "bench/src/report/hostile.browser.test.ts",
  "research/src/recorded/replays.test.ts",
];
