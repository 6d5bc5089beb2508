import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { formatTokens } from "@plimsoll/bench/extend";
import { type CliIo, findPolicy, printable, programOf, tableColumns, say as tell, wrapped } from "@plimsoll/bench/terminal";
import { type FitOutcome, isPlimsollError, PlimsollError } from "@plimsoll/core";
import { suggestion } from "@plimsoll/core/extend";
import { policyYaml, writeWholeFile } from "@plimsoll/stores";
import { parseRule, RULE_FORMS, ruleText } from "../permission/allow-rule.ts";
import { PERMISSION_MODES } from "../permission/permissions.ts";
import { knobLines } from "../policy/knob-lines.ts";
import type { AgentSession } from "../run/open-session.ts";
import { contextTable } from "./context-table.ts";
import { CHAT_HELP, type ChatLine } from "./slash-command.ts";

/** Carries out a line and writes its result. Rejects if that could not be done. */
export async function answer(
  asked: ChatLine,
  session: AgentSession,
  { write, status, io }: { write(text: string): void; status(): string; readonly io: CliIo },
): Promise<void> {
  const { agent } = session;
  const say = (...lines: readonly string[]) => tell({ write, isTTY: io.stdout.isTTY }, ...lines);
  // Tables and the status line know the width themselves; YAML must stay unchanged.
  const show = (...lines: readonly string[]) => write(`${lines.join("\n")}\n`);
  switch (asked.kind) {
    case "message": {
      const { reason, error } = await agent.submit(asked.text);
      if (error !== null) say(`plimsoll: ${printable(error.message)}`);
      if (reason !== "done") say(`(${reason})`);
      break;
    }
    case "compact": {
      const keep = asked.keepTokens === null ? null : { tokens: asked.keepTokens };
      const outcome = await agent.compact({ keep, focus: asked.focus }).catch(cancelled);
      const unused = outcome === "aborted" ? undefined : outcome.unusedFocus;
      say(...compactAnswer(outcome), ...(unused === undefined ? [] : [`plimsoll: ${printable(unused)}`]));
      show(status());
      break;
    }
    case "undo": {
      const before = agent.state().context;
      const undone = await agent.undo();
      if (undone.type === "context-call") {
        say("The passage that the model pinned last is taken back. No compaction is undone: enter /undo again for that.");
        break;
      }
      const { messages, usedTokens } = agent.state().context;
      const sizes = `${formatTokens(before.usedTokens)} → ${formatTokens(usedTokens)} tokens`;
      say(`The newest compaction is undone. ${before.messages} messages are ${messages} again, ${sizes}.`);
      show(status());
      break;
    }
    case "context":
      show(contextTable(agent.context(), { ...session, expected: agent.state().context }, tableColumns(io.stdout)), status());
      break;
    case "model":
      say(...(asked.argument === null ? modelLines(session) : await switchModel(asked.argument, session)));
      break;
    case "policy":
      show(...policyLines(asked.argument, session, io));
      break;
    case "export":
      say(await exported(asked.argument, session, io.cwd));
      break;
    case "mode":
      say(modeLine(asked.argument, session));
      break;
    case "allow":
      say(allowLine(asked.argument, session));
      break;
    case "help":
      show(CHAT_HELP);
      break;
    case "wrong":
      say(printable(asked.why));
      break;
    case "quit":
    case "empty":
      break;
    default:
      asked satisfies never;
  }
}

function modeLine(name: string | null, { permissions }: AgentSession): string {
  const mode = PERMISSION_MODES.find((each) => each === name);
  if (name !== null && mode === undefined)
    throw new PlimsollError("bad-input", `unknown mode "${name}": ${suggestion(name, PERMISSION_MODES)}`);
  if (mode !== undefined) permissions.setMode(mode);
  return permissions.mode() === "read-only"
    ? "read-only: no commands, no file changes. /mode ask asks before them."
    : "ask: commands and changes of files need a yes, except those allowed (/allow).";
}

function allowLine(text: string | null, { permissions }: AgentSession): string {
  if (text !== null) permissions.allow(parseRule(text));
  const rules = permissions.rules().map((rule) => printable(ruleText(rule)));
  return rules.length === 0
    ? `Nothing is allowed yet; /allow takes ${RULE_FORMS.join(", ")}.`
    : `Allowed: ${rules.join(", ")}.`;
}

function cancelled(error: unknown): "aborted" {
  if (isPlimsollError(error, "aborted")) return "aborted";
  throw error;
}

/** Says how a compaction by hand ended, if no event has said so. */
function compactAnswer(outcome: FitOutcome | "aborted"): readonly string[] {
  if (outcome === "aborted") return ["(cancelled; the context is unchanged)"];
  if (outcome.kind !== "unchanged") return [];
  return [
    outcome.off === "unknown-window" ? "The context window is unknown: set context_window." : "There is nothing to compact.",
  ];
}

function modelLines({ agent }: AgentSession): readonly string[] {
  const { modelId, context } = agent.state();
  const window = context.windowTokens === null ? "unknown" : `${formatTokens(context.windowTokens)} tokens`;
  return [`${printable(modelId)}, context window ${window}. /model host/model switches to another.`];
}

/** Prices, window and tokenizer are looked up by the model's id; summaries are written by the model that is asked. */
async function switchModel(reference: string, session: AgentSession): Promise<readonly string[]> {
  const { model, windowLine, pricesAt } = await session.switchModel(reference);
  const priced = pricesAt(null) === null ? "prices unknown" : "at its own prices";
  const { policy, parts } = session;
  const writers = parts.kinds.strategies.filter(({ kind, bind }) =>
    policy.strategies.some((spec) => spec.kind === kind && bind(spec).needsModel),
  );
  const does = writers.length > 0 ? "answers and writes the summaries" : "answers";
  return [`From now on ${printable(model.modelId)} ${does}, ${priced}; ${windowLine}.`];
}

function policyLines(name: string | null, { agent, policy, config, parts }: AgentSession, io: CliIo): readonly string[] {
  if (name === null)
    return [
      `policy ${printable(policy.name)} (${config.policy.source})`,
      ...knobLines(policy).flatMap((line) => wrapped(line, { first: "  ", further: "             " })),
      "/policy all prints every value with its origin.",
    ];
  if (name === "all") return [policyYaml({ policy, originOf: config.policy.originOf }).trimEnd()];
  const read = findPolicy(name, io.cwd, parts);
  if ("problems" in read) throw new PlimsollError("bad-input", read.problems.join("; "), { problems: read.problems });
  return [
    ...(read.found.notes ?? []).map(printable),
    "A session keeps its policy while it is open. To continue with this one:",
    `  ${programOf(io)} chat --resume ${agent.sessionId} --policy ${printable(name)}`,
  ];
}

/** Writes the content of the next request; an existing file stays unchanged. */
async function exported(file: string | null, { agent }: AgentSession, cwd: string): Promise<string> {
  const path = resolve(cwd, file ?? `${agent.sessionId}-${(await agent.entries()).length}.json`);
  if (existsSync(path)) throw new PlimsollError("bad-input", `${path} already exists; name another file`, { path });
  const context = agent.context();
  writeWholeFile(path, `${JSON.stringify(context, null, 2)}\n`);
  return `Wrote the next request, ${context.messages.length} messages with the system prompt and tools, to ${printable(path)}.`;
}
