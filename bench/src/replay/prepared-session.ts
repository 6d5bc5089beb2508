import type { SessionEntry } from "@plimsoll/core";
import { createSessionReadings, type FollowingCheck, followingChecks, type SessionReadings } from "@plimsoll/core/internal";
import { type KeptNeeds, keptNeeds, openNeeds } from "../grounding/kept-needs.ts";
import { type Needs, neededMessages, prepareNeeds } from "../grounding/needs.ts";
import { type KeptReferences, keptReferences, openReferences } from "../references/kept-references.ts";
import { type LastErrors, lastErrorsOf, prepareLastErrors } from "../references/last-errors.ts";
import { prepareReferences } from "../references/prepare.ts";
import { type RepairedEntries, repairEntries } from "../repair/repair-entries.ts";
import { type KeptSizes, keptSizes, openSizes } from "../size-model/kept-sizes.ts";
import { createSizeModel, type SizeModel, sizeModelOf } from "../size-model/size-model.ts";
import type { Transcript } from "../transcript.ts";
import { type Arrivals, createArrivals } from "./arrivals.ts";
import { type RememberedCatalogs, rememberedCatalogs } from "./remembered-catalog.ts";
import { type SizedHistory, sizedHistory } from "./sized-history.ts";

/** A session with everything that is made once and shared by its replays. */
export interface PreparedSession {
  readonly transcript: Transcript;
  /** The recorded log after repairs: what is replayed. */
  readonly entries: readonly SessionEntry[];
  readonly repaired: Pick<RepairedEntries, "repairCount" | "continuationCount">;
  readonly sizeModel: SizeModel;
  readonly references: ReturnType<typeof prepareReferences>;
  readonly lastErrors: LastErrors;
  /** What its calls need; found when it is asked for first. */
  readonly needs: () => Needs;
  /** Its recorded messages, sized; made when it is asked for first. */
  readonly history: () => SizedHistory;
  /** Its results as policies let them in; shared by all replays. */
  readonly arrivals: Arrivals;
  /** Catalogs as its replays ask them: each model is looked up once. */
  readonly catalogs: RememberedCatalogs;
  /** What engines have read of its messages; shared by all replays with the same kinds and tokenizers. */
  readonly readings: SessionReadings;
  /** A check of the requests of one replay. What is read of a recorded message is shared by all replays. */
  readonly wireChecks: () => FollowingCheck;
}

/** Repairs the log, fits its size model and finds its references. The costly part of a replay, done once a session. */
export function prepareSession(transcript: Transcript): PreparedSession {
  const { entries, repairCount, continuationCount, boundaries } = repairEntries(transcript.entries);
  const references = prepareReferences(entries, boundaries);
  const sizeModel = createSizeModel(entries, boundaries);
  return sessionOf({
    transcript,
    entries,
    repaired: { repairCount, continuationCount },
    sizeModel,
    references,
    lastErrors: prepareLastErrors(entries, references.ordinalOf),
    findNeeds: () => prepareNeeds(entries, { references, messageTokens: sizeModel.messageTokens }),
  });
}

/** What is found in a session, apart from what replays leave in it for each other. */
interface SessionParts
  extends Omit<PreparedSession, "needs" | "history" | "arrivals" | "catalogs" | "readings" | "wireChecks"> {
  readonly findNeeds: () => Needs;
}

function sessionOf({ findNeeds, ...parts }: SessionParts): PreparedSession {
  let needs: Needs | null = null;
  let history: SizedHistory | null = null;
  return {
    needs: () => {
      needs ??= findNeeds();
      return needs;
    },
    history: () => {
      history ??= sizedHistory(parts);
      return history;
    },
    arrivals: createArrivals(),
    catalogs: rememberedCatalogs(),
    readings: createSessionReadings(),
    wireChecks: followingChecks(),
    ...parts,
  };
}

/** A prepared session as plain data, for the structured clone of the platform: messages that are one value stay one. */
export interface KeptSession extends Pick<PreparedSession, "transcript" | "entries" | "repaired"> {
  readonly sizes: KeptSizes;
  readonly references: KeptReferences;
  readonly lastErrors: Pick<LastErrors, "events" | "errors">;
  readonly needs: KeptNeeds;
}

/** Everything that was prepared, and what calls need, as plain data. */
export function keptSession(session: PreparedSession): KeptSession {
  const { transcript, entries, repaired, sizeModel, references, lastErrors } = session;
  return {
    transcript,
    entries,
    repaired,
    sizes: keptSizes(sizeModel.fitted),
    references: keptReferences(references, entries),
    lastErrors: { events: lastErrors.events, errors: lastErrors.errors },
    needs: keptNeeds(session.needs(), neededMessages(entries, references)),
  };
}

/** The session that was kept: replays of it are those of the session that was prepared. */
export function openSession(kept: KeptSession): PreparedSession {
  const { transcript, entries, repaired, sizes, lastErrors } = kept;
  const references = openReferences(kept.references, entries);
  return sessionOf({
    transcript,
    entries,
    repaired,
    sizeModel: sizeModelOf(entries, openSizes(sizes, entries)),
    references,
    lastErrors: lastErrorsOf(lastErrors),
    findNeeds: () => openNeeds(kept.needs, () => neededMessages(entries, references)),
  });
}
