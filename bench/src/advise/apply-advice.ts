import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import { refusal } from "../command/check-options.ts";
import { changedLines } from "../terminal/changed-lines.ts";
import { type CliIo, EXIT_FAILED, EXIT_OK, programOf } from "../terminal/io.ts";
import { beginningOf, COLUMNS, escaped, printable, tell, wrapped } from "../terminal/printable.ts";
import { removalCost } from "./advice-words.ts";
import type { Decision, Payment } from "./decide.ts";
import { KNOB_TABLE } from "./knob-table.ts";
import { type SettingChanges, withValues } from "./setting-text.ts";
import { findUndo, openSettings, type SettingsFile, undoSettings, writeSettings } from "./settings-file.ts";

interface Agreement {
  readonly isAgreed: boolean;
  readonly io: CliIo;
}

/** Shows the changes to each agent's settings file, asks, and writes them. Resolves to the exit code. */
export async function writeAdvice(decisions: readonly Decision[], pays: Payment, agreement: Agreement): Promise<number> {
  const { io } = agreement;
  const changes = decisions.flatMap(({ agent: { turning }, choice }) => {
    if (turning === null || choice === null) return [];
    if (choice.setting.kind === "remove") return [{ turning, values: choice.setting.values, costs: removalCost(choice, pays) }];
    return choice.setting.kind === "set" ? [{ turning, values: choice.setting.best.values, costs: "" }] : [];
  });
  if (changes.length === 0) {
    const isTrade = decisions.some(({ choice }) => choice?.setting.kind === "trade");
    const other = isTrade ? "To take a setting with its loss, paste it.\n" : "";
    io.stdout.write(`\nNothing to write: only answers that begin with Set or Remove are written.\n${other}`);
    return EXIT_OK;
  }
  const codes: number[] = [];
  for (const { turning, ...change } of changes)
    codes.push(await tried(io, () => writeOne(turning.settings, { form: turning.knobs.place.form, ...change }, agreement)));
  return Math.max(...codes);
}

async function writeOne(
  settings: SettingsFile,
  { form, values, costs }: { readonly form: "json" | "toml"; readonly values: SettingChanges; readonly costs: string },
  agreement: Agreement,
): Promise<number> {
  const { io } = agreement;
  const changed = withValues(form, settings.text ?? "", values);
  if ("problem" in changed)
    throw new PlimsollError("bad-input", `${settings.shown} ${changed.problem}; set it by hand`, { file: settings.path });
  const about = `\n${lineDiff(settings.shown, settings.text ?? "", changed.text).join("\n")}\n`;
  io.stdout.write(about);
  const question = `${settings.text === null ? "Make" : "Write"} ${settings.shown}${costs === "" ? "" : ` (the default ${costs})`}?`;
  const code = await refusal({ about, question, what: "written" }, agreement.isAgreed, io);
  if (code !== null) return code;
  const { backup } = await writeSettings(settings, changed.text);
  const what = settings.text === null ? "Made" : "Wrote";
  const kept = settings.text === null ? "" : `; what was there is in ${printable(backup)}`;
  const said = `${what} ${printable(settings.shown)}${kept}. ${programOf(io)} advise --undo reverts it.`;
  io.stdout.write(`${wrapped(said, { further: "  " }).join("\n")}\n`);
  return EXIT_OK;
}

/** Takes back the changes to the agents' settings files. Resolves to the exit code: failed if nothing could be taken back. */
export async function undoAdvice(agents: readonly string[], agreement: Agreement): Promise<number> {
  const { io } = agreement;
  const { homeFolder, environment = {} } = io;
  const places = new Map(
    KNOB_TABLE.filter(({ agent }) => agents.includes(agent)).map(({ agent, place }) => [agent, place] as const),
  );
  const codes: number[] = [];
  for (const place of places.values()) {
    const code = await tried(io, async () => undoOne(await openSettings(place, { homeFolder, environment }), agreement));
    if (code !== null) codes.push(code);
  }
  if (codes.length > 0) return Math.max(...codes);
  tell(io, "nothing to undo: advise has written no settings; remove a pasted line by hand");
  return EXIT_FAILED;
}

async function undoOne(settings: SettingsFile, agreement: Agreement): Promise<number | null> {
  const { io } = agreement;
  const undo = await findUndo(settings);
  if (undo === null) return null;
  const about = `${lineDiff(settings.shown, settings.text ?? "", undo.before ?? "").join("\n")}\n`;
  io.stdout.write(about);
  const question = `${undo.before === null ? "Remove" : "Restore"} ${settings.shown}?`;
  const code = await refusal({ about, question, what: "written" }, agreement.isAgreed, io);
  if (code !== null) return code;
  await undoSettings(settings, undo);
  io.stdout.write(`Undone: ${printable(settings.shown)} is restored.\n`);
  return EXIT_OK;
}

/** Tries to write for one agent, so that its failure does not keep the others from being written. */
async function tried<Code extends number | null>(io: CliIo, write: () => Promise<Code>): Promise<Code | number> {
  try {
    return await write();
  } catch (error) {
    if (!isPlimsollError(error)) throw error;
    tell(io, error.message);
    return EXIT_FAILED;
  }
}

const CONTEXT_LINES = 2;

/** The lines that differ between two texts, as a unified diff that fits 80 columns. Nothing if they are the same. */
export function lineDiff(name: string, before: string, after: string): readonly string[] {
  const changed = changedLines(before, after, CONTEXT_LINES);
  if (changed === null) return [];
  const rows = (sign: string, lines: readonly string[]) =>
    lines.map((line) => beginningOf(`${sign}${escaped(line.replace(/\r$/, ""))}`, COLUMNS));
  const size = changed.before.length + changed.after.length;
  const start = changed.from + 1;
  return [
    ...rows("", [`--- ${name}`, `+++ ${name}`]),
    `@@ -${start},${size + changed.gone.length} +${start},${size + changed.come.length} @@`,
    ...rows(" ", changed.before),
    ...rows("-", changed.gone),
    ...rows("+", changed.come),
    ...rows(" ", changed.after),
  ];
}
