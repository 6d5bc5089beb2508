import { basename } from "node:path";
import type { Transcript } from "@plimsoll/bench";
import { formatNumberOf } from "@plimsoll/bench/internal";
import { createContextManager, createDigest, NONE_POLICY, PLIMSOLL_POLICY } from "@plimsoll/core";
import { contextTable } from "../chat/context-table.ts";
import { shortened } from "../terminal/printable.ts";
import { wrapped } from "../terminal/wrapped.ts";
import { contextPlot } from "./context-plot.ts";
import { sessionFacts } from "./session-facts.ts";
import { sessionStory } from "./session-story.ts";
import { storyText } from "./story-text.ts";

const NAME_CHARS = 78;

/** One session as text of 80 columns. */
export function inspectText(transcript: Transcript): string {
  const { name, format, entries, notes } = transcript;
  const story = sessionStory(entries);
  const manager = createContextManager({ policy: NONE_POLICY, summarizer: createDigest(), entries });
  const facts = sessionFacts(transcript, story).map((fact) => `${fact.name} ${fact.value}`);
  const sizes = callSizes(story.calls);
  const plot = contextPlot({ sizes, compactedBefore: story.compactions.map(({ callsBefore }) => callsBefore) });
  const measured = story.calls.every(({ promptTokens }) => promptTokens !== null)
    ? "as reported"
    : "estimated where not reported";
  return [
    shortened(basename(name), NAME_CHARS),
    ...wrapped([`${format} log`, ...facts].join(" · "), { first: "", further: "" }),
    ...(notes.length === 0 ? [] : [`${formatNumberOf(notes.length, "note")} of the importer`]),
    ...(plot.length === 0 ? [] : ["", `Tokens of each prompt, ${measured}; ◆ compaction:`, ...plot]),
    "",
    ...story.lines.flatMap(storyText),
    "",
    "The context at the end:",
    contextTable(manager.context(), { policy: PLIMSOLL_POLICY }),
    "",
  ].join("\n");
}

/** The size of each prompt: as reported, else what the log holds by estimate. */
export function callSizes(calls: ReturnType<typeof sessionStory>["calls"]): readonly number[] {
  return calls.map(
    ({ promptTokens, composition }) => promptTokens ?? [...composition.values()].reduce((sum, tokens) => sum + tokens, 0),
  );
}
