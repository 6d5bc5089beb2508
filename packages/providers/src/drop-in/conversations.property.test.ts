import { createDigest, PLIMSOLL_MODEL_POLICY, PLIMSOLL_POLICY, type Policy, piPolicy, type Summarizer } from "@plimsoll/core";
import { expect, test } from "vitest";
import { DROP_INS, type DropInKind, type PlayedDropIn, type Provider } from "../../testing/array-drop-ins.ts";
import { markedHistory } from "../../testing/marked-history.ts";
import { createRandom, createScheduler } from "../../testing/scheduler.ts";
import type { ContractTurn } from "../testing/index.ts";

/** Larger figures for longer runs: `PLIMSOLL_APART_STEPS=5000 pnpm vitest run …`; the first row has all steps, the others a tenth, at least 50. */
const STEPS = Number(process.env.PLIMSOLL_APART_STEPS ?? 500);
const CONVERSATIONS = Number(process.env.PLIMSOLL_APART_CONVERSATIONS ?? 8);
const SEED = Number(process.env.PLIMSOLL_APART_SEED ?? 1);
/** Another seed pairs drop-ins with other policies, and providers with other histories. Seed 1 shifts by a multiple of all their counts. */
const SHIFT = SEED + 23;
const WINDOW_TOKENS = 6_000;
const limits = { contextWindowTokens: WINDOW_TOKENS, maxOutputTokens: 500 };

const MARKERS = Array.from({ length: CONVERSATIONS }, (_, index) => `marker${String.fromCharCode(97 + index)}${index}`);

const markerAt = (index: number): string => MARKERS[index] ?? "";

/** A provider of a conversation: it counts another size than we do, loses some requests, and refuses those that do not fit. */
function providerOf(index: number, sent: string[], pause: () => Promise<void>): Provider {
  const random = createRandom(SEED + index);
  const [factorRatio, hiddenTokens] = [0.5 + (index % 6) / 2, (index % 3) * 200];
  return async (sentJson) => {
    sent.push(sentJson);
    await pause();
    if (random(10) === 0) throw new Error("503 the connection was lost");
    if (random(4) === 0) await pause();
    const tokens = Math.ceil((sentJson.length / 4) * factorRatio) + hiddenTokens;
    if (tokens > WINDOW_TOKENS)
      throw Object.assign(new Error(`400 prompt is too long: ${tokens} tokens > ${WINDOW_TOKENS} maximum`), { status: 400 });
    return tokens;
  };
}

/** Plays a whole conversation; a lost request is sent again, as a client's retries do. */
async function play(dropIn: PlayedDropIn, turns: readonly ContractTurn[], provider: Provider, sent: string[]): Promise<void> {
  for (let count = 1; count <= turns.length; count++) {
    const request = { turns: turns.slice(0, count), provider };
    const outcome = await dropIn.send(request).then(
      () => "answered",
      (error: unknown) => String(error),
    );
    sent.push(outcome);
    if (outcome !== "answered") await dropIn.send(request).catch((error: unknown) => sent.push(String(error)));
  }
}

/** The summaries' requests, of whom they are. */
function recording(pause: () => Promise<void>): { readonly summarizer: Summarizer; readonly requests: string[] } {
  const requests: string[] = [];
  const digest = createDigest();
  const summarizer: Summarizer = async (request, signal) => {
    requests.push(JSON.stringify(request));
    await pause();
    return await digest(request, signal);
  };
  return { summarizer, requests };
}

/** Plays the same histories at once on one drop-in, or each by itself on its own; counts compactions. */
async function playAll({ kind, policy, steps }: Row, how: "at once" | "alone") {
  const scheduler = createScheduler(SEED);
  const { summarizer, requests } = recording(scheduler.pause);
  let compactions = 0;
  const open = () =>
    kind.open({
      policy,
      limits,
      summarizer,
      nowMs: () => 0,
      onEvent: ({ type }) => {
        compactions += type === "compaction-end" ? 1 : 0;
      },
    });
  const one = open();
  const all = MARKERS.map((): string[] => []);
  const work = all.map((sent, index) => async () => {
    const turns = markedHistory({
      marker: markerAt(index),
      turns: steps,
      resultChars: 400 + ((index + SHIFT) % 4) * 500,
      humanEvery: 5 + ((index + SHIFT) % 8),
    });
    await play(how === "at once" ? one : open(), turns, providerOf(index, sent, scheduler.pause), sent);
  });
  if (how === "at once") await scheduler.run(work);
  else for (const each of work) await scheduler.run([each]);
  return { all, requests, compactions };
}

const foreignIn = (texts: readonly string[], marker: string) =>
  texts.filter((text) => MARKERS.some((other) => other !== marker && text.includes(other)));

interface Row {
  readonly kind: DropInKind;
  readonly policy: Policy;
  readonly steps: number;
}

const POLICIES = [PLIMSOLL_MODEL_POLICY, PLIMSOLL_POLICY, piPolicy({ reserve_tokens: 2_000, keep_recent_tokens: 1_000 })];

const rows = DROP_INS.map((kind, index): [string, Row] => {
  const policy = POLICIES[(index + SHIFT) % POLICIES.length] ?? PLIMSOLL_POLICY;
  return [`${kind.name}, ${policy.name}`, { kind, policy, steps: index === 0 ? STEPS : Math.max(50, STEPS / 10) }];
});

test.each(rows)("%s: conversations at once send what each sends alone", { timeout: 600_000 }, async (_, row) => {
  const together = await playAll(row, "at once");
  const alone = await playAll(row, "alone");
  for (const [index, sent] of together.all.entries()) expect(foreignIn(sent, markerAt(index))).toEqual([]);
  for (const text of together.requests) expect(MARKERS.filter((marker) => text.includes(marker))).toHaveLength(1);
  expect(together.all).toEqual(alone.all);
  expect(together.requests).toHaveLength(alone.requests.length);
  expect(together.compactions).toBe(alone.compactions);
  expect(together.compactions).toBeGreaterThan(CONVERSATIONS);
});
