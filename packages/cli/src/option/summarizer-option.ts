import { resolve } from "node:path";
import { DIGEST_CHOICE, type SummarizerChoice } from "@plimsoll/bench/internal";
import { PlimsollError } from "@plimsoll/core";
import { HOST_NAMES } from "@plimsoll/providers/clients";
import { suggestion } from "./nearest-name.ts";

/** What a person says about who writes the summaries. */
export interface SummarizerOptions {
  readonly summarizer?: string;
  readonly cassette?: string;
  readonly cassetteOnly?: true;
}

const OTHERS: readonly string[] = ["digest", "recorded"];
const FORM = "give digest, recorded, or a model as provider:model";

/** Reads `--summarizer`, `--cassette` and `--cassette-only`. Throws `bad-input` for a name that is not known, or a model without a cassette. */
export function parseSummarizer(options: SummarizerOptions, cwd: string): SummarizerChoice {
  const { summarizer = "digest", cassette, cassetteOnly = false } = options;
  const colon = summarizer.indexOf(":");
  const bad = (why: string) => new PlimsollError("bad-input", `--summarizer ${summarizer}: ${why}`);
  if (colon < 0) {
    if (cassette !== undefined || cassetteOnly) throw new PlimsollError("bad-input", `--cassette is for a model: ${FORM}`);
    if (summarizer === "digest") return DIGEST_CHOICE;
    if (summarizer === "recorded") return { kind: "recorded" };
    throw bad(`${suggestion(summarizer, OTHERS)} (${FORM})`);
  }
  const [host, modelId] = [summarizer.slice(0, colon), summarizer.slice(colon + 1)];
  if (!HOST_NAMES.includes(host)) throw bad(`no provider is called "${host}"; ${suggestion(host, HOST_NAMES)}`);
  if (modelId === "") throw bad(FORM);
  if (cassette === undefined) throw bad("give --cassette <folder>, where the answers are kept, so that they are paid once");
  return { kind: "model", host, modelId, cassetteFolder: resolve(cwd, cassette), missing: cassetteOnly ? "fail" : "ask" };
}
