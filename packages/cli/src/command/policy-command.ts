import process from "node:process";
import type { BenchParts } from "@plimsoll/bench";
import { CHEATS, formatTokens, OUTPUT_RESERVE_TOKENS, triggerSizes } from "@plimsoll/bench/extend";
import {
  addExtensionOption,
  type CliIo,
  drawTable,
  EXIT_OK,
  type ExtensionOptions,
  findPolicy,
  fitted,
  openExtensions,
  printable,
  tableColumns,
  tell,
  wrapped,
} from "@plimsoll/bench/terminal";
import { PlimsollError, type Policy, PRESETS } from "@plimsoll/core";
import { RECORDED_POLICY } from "@plimsoll/core/extend";
import { describePrices, describeWindow, resolveModel } from "@plimsoll/providers";
import { policyYaml } from "@plimsoll/stores";
import type { Command } from "commander";
import { configFiles, readConfig } from "../config/read-config.ts";
import { type EffectiveConfig, SETTING_KEYS } from "../config/settings.ts";
import { capOf, knobLines, writerOf } from "../policy/knob-lines.ts";
import { DEFAULT_MODEL } from "../run/session-models.ts";

/** Adds `plimsoll policy list` and `show`. */
export function definePolicyCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  const listed = command
    .command("list")
    .description("list the policies, with the size at which each compacts and the writer of its summaries")
    .action(async (options: ExtensionOptions) => {
      const { peers } = await openExtensions(options, io);
      const peerPolicies = peers.map(({ policy }) => policy);
      const honest = peerPolicies.filter(({ name }) => !CHEATS.has(name));
      const [presets, others] = [PRESETS, honest].map((all) => policyTable(all, tableColumns(io.stdout)));
      io.stdout.write(`${presets}\n\nOnly in plimsoll bench:\n${others}\n\n${READING.join("\n")}\n`);
      onExit(EXIT_OK);
    });
  const shown = command
    .command("show", { isDefault: true })
    .description("print a policy as YAML, or without a name all settings of this folder, each with its origin")
    .argument("[policy]", "a preset's name or a YAML file; without it, the settings of chat and run in this folder")
    .action(async (name: string | undefined, options: ExtensionOptions) => onExit(await show(name, options, io)));
  addExtensionOption(listed);
  addExtensionOption(shown);
}

const WINDOW_TOKENS = 200_000;
/** The window of the list, as bench replays it: that of most models. */
const LISTED_WINDOW = { contextWindowTokens: WINDOW_TOKENS, inputBudgetTokens: WINDOW_TOKENS - OUTPUT_RESERVE_TOKENS };

const READING = [
  "compacts at: as in plimsoll bench --window 200k, where 8k are for the reply; system prompt and tools come on top.",
  "sven, opal, klaude-code and pi: four documented agents (docs/systems.md). In windows below 37k, pi compacts at almost every step, as the original does.",
  "if it pays N×: if a cut saves N times the price of caching again; writer: writer of the summaries; cap: the longest tool result that stays whole.",
  "plimsoll-economy: for sessions whose cost matters more than old text: at real windows 9% cheaper than plimsoll, with 7 to 14 points less of older text (docs/evidence.md); plimsoll policy show NAME has the amounts.",
  `Made to cheat, to show where a measure fails; never recommended (plimsoll bench --policy NAME): ${[...CHEATS].join(", ")}.`,
].flatMap((line) => wrapped(line));

function compactsAt(policy: Policy): string {
  if (policy.name === RECORDED_POLICY.name) return "as recorded";
  if (!policy.enabled) return "never";
  const sizes = triggerSizes(policy, LISTED_WINDOW);
  if (sizes === null) return "each call";
  const { fromTokens, tokens } = sizes;
  const from = fromTokens === tokens ? "" : `${formatTokens(fromTokens)}, if it pays ${policy.trigger.pays}×, to `;
  return `${from}${formatTokens(tokens)}`;
}

function policyTable(policies: readonly Policy[], columns: number): string {
  const rows = policies.map((policy) => {
    const { name, keep, enabled } = policy;
    const [first, ...further] = enabled ? keep.map(({ kind }) => kind) : [];
    const keeps = further.length === 0 ? (first ?? "") : `${first} +${further.length}`;
    return [name, compactsAt(policy), keeps, enabled ? writerOf(policy) : "", enabled ? capOf(policy) : ""].map(printable);
  });
  return leftTable(["policy", "compacts at (of 200k)", "keeps", "writer", "cap"], rows, columns);
}

function leftTable(titles: readonly string[], rows: readonly (readonly string[])[], columns: number): string {
  const head = [titles.map((content) => ({ content, align: "left" }) as const)];
  return drawTable({ head, rows, leftColumns: [...titles.keys()] }, columns);
}

async function show(name: string | undefined, options: ExtensionOptions, io: CliIo): Promise<number> {
  const parts = await openExtensions(options, io);
  if (name === undefined) {
    io.stdout.write(`${(await textOfAll(parts, io)).trimEnd()}\n`);
    return EXIT_OK;
  }
  const read = findPolicy(name, io.cwd, parts);
  if ("problems" in read) throw new PlimsollError("bad-input", read.problems.join("; "), { problems: read.problems });
  tell(io, ...(read.found.notes ?? []));
  io.stdout.write(shownPolicy(read.found));
  return EXIT_OK;
}

/** A policy as YAML, below comments that say the settings that most people change. */
function shownPolicy(found: Parameters<typeof policyYaml>[0]): string {
  const knobs = knobLines(found.policy).flatMap((line) => wrapped(line, { first: "#   ", further: "#              " }));
  return `# most people change these (docs/policies.md):\n${knobs.join("\n")}\n# all values, each with where it comes from:\n${policyYaml(found)}`;
}

async function textOfAll(parts: BenchParts, io: CliIo): Promise<string> {
  const { cwd, homeFolder, environment = process.env } = io;
  const config = readConfig({ cwd, homeFolder, environment, flags: {}, parts });
  tell(io, ...(config.policy.notes ?? []));
  const strength = configFiles(io).map(({ displayName }) => displayName);
  return [
    settingsTable(config, tableColumns(io.stdout)),
    "",
    await aboutModel(config),
    "",
    fitted(
      `From weak to strong: ${strength.join(", ")}, the environment (PLIMSOLL_MODEL, PLIMSOLL_POLICY, …), the command line's options.`,
    ),
    "",
    shownPolicy({ policy: config.policy.value, originOf: config.policy.originOf }),
  ].join("\n");
}

function settingsTable({ settings, policy, mcpServers }: EffectiveConfig, columns: number): string {
  const rows = SETTING_KEYS.map(({ key, fallback }) => {
    const set = settings[key];
    return [key, printable(String(set?.value ?? fallback)), set?.source ?? "default"];
  });
  rows.push(["policy", policy.value.name, policy.source]);
  for (const [name, { value, source }] of mcpServers) {
    const what = value.disabled === true ? "disabled" : (value.command ?? value.url ?? "neither command nor url");
    rows.push([`mcpServers.${name}`, printable(what), source]);
  }
  return leftTable(["key", "value", "source"], rows, columns);
}

/** Describes the model only by the catalogue, without asking a server. */
async function aboutModel({ settings, policy }: EffectiveConfig): Promise<string> {
  const { model, context_window, max_output_tokens } = settings;
  const resolved = await resolveModel({
    reference: model?.value ?? DEFAULT_MODEL,
    config: { contextWindowTokens: context_window?.value ?? null, maxOutputTokens: max_output_tokens?.value ?? null },
    unknownWindow: policy.value.unknownWindow,
  });
  const { modelId, host, maxOutput, tokenizer } = resolved;
  const lines = [
    `${printable(modelId)}${host === null ? "" : ` at ${host}`}`,
    describeWindow(resolved),
    `output ${maxOutput.tokens === null ? "unknown" : `${maxOutput.tokens} tokens (${maxOutput.source})`}`,
    describePrices(resolved),
    `tokenizer ${tokenizer}`,
  ];
  return fitted(lines.join("\n"));
}
