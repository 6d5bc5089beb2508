import { isRecord } from "@plimsoll/core/extend";
import type { Grade, ImportNote, Outcome } from "../../transcript.ts";
import { type DocumentSession, documentImporter, toolSpecs } from "../document.ts";
import { type Fields, numberAt, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import { attachmentsOf } from "./attachments.ts";
import { messageItems, systemIn } from "./contents.ts";
import { conversationsOf } from "./conversations.ts";

/**
 * Logs of Inspect as JSON: each sample a session, read from its events, which hold every call with its whole prompt and its report.
 * Made from the source, no log of a real run: github.com/UKGovernmentBEIS/inspect_ai, src/inspect_ai/{log/_log,event,model}, read 2026
 * (log version 2, events with spans and pooled messages included).
 */
export const inspectImporter: Importer = documentImporter({
  format: "inspect",
  description: "Inspect: logs as JSON and .eval (from its source, log version 2; no log of a real run seen)",
  numbering: "if-several",
  recognises: ({ firstObjects: [first] }) => isLog(first ?? {}),
  sessions: (documents) =>
    documents.filter(isRecord).flatMap((log) => recordsAt(log, "samples").map((sample) => sessionOf(log, sample))),
});

function isLog(value: Fields): boolean {
  const run = recordAt(value, "eval");
  return run !== null && stringAt(run, "task") !== null && "model" in run && typeof value.status === "string";
}

function sessionOf(log: Fields, sample: Fields): DocumentSession {
  const run = recordAt(log, "eval");
  const resolve = attachmentsOf(sample);
  const { main, sidechains, tools, system } = conversationsOf(sample, resolve);
  const messages = recordsAt(sample, "messages");
  const hasCalls = main.length > 0;
  const name = `${stringAt(run, "run_id") ?? ""}/${String(sample.id)}/${numberAt(sample, "epoch") ?? 1}`;
  return {
    start: {
      id: stringAt(sample, "uuid") ?? name,
      createdMs: timeMsAt(sample, "started_at") ?? timeMsAt(run, "created"),
      agent: { name: "inspect", version: stringAt(recordAt(run, "packages"), "inspect_ai") },
      system: hasCalls ? system : systemIn(messages, resolve),
      tools: toolSpecs(tools),
    },
    items: hasCalls ? main : messageItems(messages, resolve),
    notes: hasCalls ? [] : totalsOf(sample),
    sidechains,
    outcome: outcomeOf(sample),
  };
}

/** Notes the totals of a sample without the events of its calls. */
function totalsOf(sample: Fields): readonly ImportNote[] {
  const usages = recordAt(sample, "model_usage") ?? {};
  return Object.keys(usages).map((modelId) => {
    const usage = recordAt(usages, modelId);
    const input = numberAt(usage, "input_tokens") ?? 0;
    const text = `${modelId} in all: ${input} tokens in, ${numberAt(usage, "output_tokens") ?? 0} out`;
    return { code: "usage-in-total", line: null, text };
  });
}

function outcomeOf(sample: Fields): Outcome | null {
  const scores = recordAt(sample, "scores") ?? {};
  const grades = Object.keys(scores).flatMap((name) => gradesOf(name, recordAt(scores, name)?.value));
  return grades.length === 0 ? null : { grades };
}

/** A score may be a value or several by name. */
function gradesOf(name: string, value: unknown): readonly Grade[] {
  if (isRecord(value)) return Object.keys(value).flatMap((key) => gradesOf(`${name}/${key}`, value[key]));
  const number = numberOf(value);
  return number === null ? [] : [{ name, value: number }];
}

/** Inspect's own reading of the values of scorers (`value_to_float`): correct, incorrect, partial, no answer. */
const VALUES: { readonly [value: string]: number } = { C: 1, I: 0, P: 0.5, N: 0, yes: 1, true: 1, no: 0, false: 0 };

function numberOf(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string" || value.trim() === "") return null;
  if (Object.hasOwn(VALUES, value)) return VALUES[value] ?? null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
