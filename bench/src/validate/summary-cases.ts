import { createDigest, type Message, PLIMSOLL_POLICY } from "@plimsoll/core";
import { EMPTY_VIEW, factsText, foldEntry, foldFacts, NO_FACTS, NO_KEPT_STATE } from "@plimsoll/core/extend";
import { NEED_KINDS, type NeedKind } from "../needs/needles.ts";
import type { Needs } from "../needs/needs.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import type { InSession } from "../statistics.ts";
import { recordedHistory } from "../summaries/recorded-source.ts";

/** The writer of the text in the place of a covered history: the recorded agent, our digest of the same messages, or that beside our facts. */
export type SummaryWriter = (typeof SUMMARY_WRITERS)[number];

/** All writers, in the order of tables. */
export const SUMMARY_WRITERS = ["recorded", "digest", "digest and facts"] as const;

/** One recorded summary against ours: of what later calls needed of what it replaced, how much each text holds. */
export interface SummaryCase extends InSession {
  readonly agent: string;
  /** Characters of each text. */
  readonly chars: Readonly<Record<SummaryWriter, number>>;
  readonly needs: readonly SummaryNeeds[];
}

/** Needs of one kind, and those of them that each text holds. */
interface SummaryNeeds {
  readonly kind: NeedKind;
  readonly uses: number;
  readonly held: Readonly<Record<SummaryWriter, number>>;
}

/** Calls that are asked after a compaction, up to the next one; chosen: what is needed later is mostly of later work. */
const SUMMARY_CALLS = 100;

/** Characters of the facts: what the default policy gives them, at three characters a token. */
const FACTS_CHARS = 3 * PLIMSOLL_POLICY.facts.maxTokens;

/** Every compaction of a session whose summary can be read, and that later calls needed something of. */
export async function summaryCases(session: PreparedSession, needs: Needs): Promise<readonly SummaryCase[]> {
  const { name, format } = session.transcript;
  const recorded = new Map(recordedHistory(session.entries).summaries.map(({ entryIndex, text }) => [entryIndex, text]));
  const found: SummaryCase[] = [];
  let view = EMPTY_VIEW;
  let facts = NO_FACTS;
  for (const [index, entry] of session.entries.entries()) {
    const text = recorded.get(index);
    const before = text === undefined ? [] : view.messages.slice();
    view = foldEntry(view, entry);
    facts = foldFacts(facts, entry);
    if (text === undefined) continue;
    const staying = view.messages.slice();
    const stayingIds = new Set(staying.map(({ id }) => id));
    const digest = await digestOf(before.filter(({ id }) => !stayingIds.has(id)));
    const known = factsText(facts, NO_KEPT_STATE, { maximumChars: FACTS_CHARS }) ?? "";
    const texts = { recorded: text, digest, "digest and facts": `${digest}\n\n${known}` };
    const later = neededAfter(session, { needs, index, staying });
    if (later.length === 0) continue;
    const chars = { recorded: text.length, digest: digest.length, "digest and facts": texts["digest and facts"].length };
    found.push({
      session: name,
      agent: format,
      chars,
      needs: heldBy(texts, later, needs),
    });
  }
  return found;
}

async function digestOf(messages: readonly Message[]): Promise<string> {
  const { sections, maxTokens, turnPrefixMaxTokens, resultCapChars, labels } = PLIMSOLL_POLICY.summary;
  const parts = [{ promptId: "structured", messages }];
  const request = { parts, sections, maxTokens, turnPrefixMaxTokens, focus: null, resultCapChars, labels };
  const { text } = await createDigest()(request, new AbortController().signal);
  return text;
}

type LaterNeed = ReturnType<Needs["at"]>[number];

/** Collects the needs of the calls up to the next compaction that were stated last before this one, and not in a message that stayed. */
function neededAfter(
  { entries, references }: PreparedSession,
  { needs, index, staying }: { needs: Needs; index: number; staying: readonly Message[] },
): readonly LaterNeed[] {
  const stayed = new Set(staying.map((message) => references.ordinalOf(message)));
  const later: LaterNeed[] = [];
  let first: number | null = null;
  let calls = 0;
  for (let place = index + 1; calls < SUMMARY_CALLS; place++) {
    const entry = entries[place];
    if (entry === undefined || entry.type === "compaction") break;
    const ordinal = entry.type === "message" ? references.ordinalOf(entry.message) : null;
    if (ordinal === null) continue;
    first ??= ordinal;
    const before = first;
    const isGone = (place: number) => place < before && !stayed.has(place);
    later.push(...needs.at(ordinal).filter(({ statedAt }) => isGone(statedAt)));
    if (entry.type === "message" && entry.message.role === "assistant" && entry.message.origin === "model") calls += 1;
  }
  return later;
}

function heldBy(
  texts: Readonly<Record<SummaryWriter, string>>,
  later: readonly LaterNeed[],
  { index }: Needs,
): readonly SummaryNeeds[] {
  const needlesOf = (writer: SummaryWriter) => new Set(index.heldIn(textMessage(writer, texts[writer])));
  const needles = {
    recorded: needlesOf("recorded"),
    digest: needlesOf("digest"),
    "digest and facts": needlesOf("digest and facts"),
  };
  return NEED_KINDS.flatMap((kind) => {
    const own = later.filter((need) => need.kind === kind);
    const count = (writer: SummaryWriter) => own.filter(({ needle }) => needles[writer].has(needle)).length;
    const held = { recorded: count("recorded"), digest: count("digest"), "digest and facts": count("digest and facts") };
    return own.length === 0 ? [] : [{ kind, uses: own.length, held }];
  });
}

function textMessage(id: string, text: string): Message {
  return { role: "user", id, origin: "summary", parts: [{ type: "text", text }], atMs: null };
}
