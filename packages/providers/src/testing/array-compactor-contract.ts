import { NONE_POLICY, OPAL_POLICY, PLIMSOLL_POLICY, type Policy, type SessionStore, SVEN_POLICY } from "@plimsoll/core";
import type { ArrayCompactor } from "../drop-in/array-compactor.ts";
import type { CompactorOptions } from "../drop-in/request.ts";
import { newRoleOrders } from "./role-orders.ts";

/** One turn of a history: a person's words (after the reply `before`, if there is one), or a call of the model with its result. */
export type ContractTurn =
  | { readonly kind: "human"; readonly text: string; readonly before: string | null }
  | { readonly kind: "step"; readonly callId: string; readonly path: string; readonly said: string; readonly result: string };

/** The functions and items that the contract needs for one kind of array. */
export interface ArraySubject<Item, Answer> {
  readonly create: (options: CompactorOptions) => ArrayCompactor<Item, Answer>;
  /** Makes the items of turns, new objects at each call. Each turn has its own items. */
  readonly items: (turns: readonly ContractTurn[]) => readonly Item[];
  /** Makes an answer that reports a prompt of so many tokens. */
  readonly answer: (requestId: string, promptTokens: number) => Answer;
  /** Makes an item in which the agent declares something, a new object each time; left out for arrays without such items. */
  readonly declared?: (text: string) => Item;
  /** Finds the calls without a result, for arrays that keep a result in its call's item; left out if both have the call's id. */
  readonly unanswered?: (sent: readonly Item[]) => readonly string[];
}

/** One rule of the contract: it rejects if the rule does not hold. `emptyStore` makes a store for the rule's sessions. */
export interface ArrayContractCase {
  readonly rule: string;
  readonly run: <Item, Answer>(subject: ArraySubject<Item, Answer>, emptyStore: () => SessionStore) => Promise<void>;
}

const FIRST_WORDS = "Read all files, and never touch the harbour folder.";
const CHARS_PER_TOKEN = 4;
const limits = { contextWindowTokens: 8_000, maxOutputTokens: 500 };
const wide = { contextWindowTokens: 200_000, maxOutputTokens: 2_000 };
const options: CompactorOptions = { policy: PLIMSOLL_POLICY, limits, nowMs: () => 0 };

/** A person's request and so many calls with results of so many lines. */
function history(steps: number, lines = 30): readonly ContractTurn[] {
  const line = (step: number) => `line of the file that step ${step} read;\n`;
  const step = (_: unknown, index: number): ContractTurn => ({
    kind: "step",
    callId: `call_${index}`,
    path: `src/${index}.ts`,
    said: `Step ${index}.`,
    result: line(index).repeat(lines),
  });
  return [{ kind: "human", text: FIRST_WORDS, before: null }, ...Array.from({ length: steps }, step)];
}

/** Times that the agent declares something. */
const DECLARED_COUNT = 8;

const sizeOf = (sent: unknown): number => Math.ceil(JSON.stringify(sent).length / CHARS_PER_TOKEN);

function ruled(rule: string, run: ArrayContractCase["run"]): ArrayContractCase {
  return { rule, run };
}

function holds(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(what);
}

/** The items of more and more turns as held by a caller that appends to one array. */
function growing<Item>(
  subject: Pick<ArraySubject<Item, unknown>, "items">,
  turns: readonly ContractTurn[],
): readonly (readonly Item[])[] {
  const pieces = turns.map((turn) => subject.items([turn]));
  return turns.map((_, index) => pieces.slice(0, index + 1).flat());
}

/** Cases that every compactor of arrays must pass. Run each case on your own compactor; see `createArrayCompactor`. */
export const ARRAY_COMPACTOR_CONTRACT: readonly ArrayContractCase[] = [
  ruled("an array that fits comes back as the caller's own objects", async (subject) => {
    const own = subject.items(history(5));
    const sent = await subject.create(options).fit(own);
    holds(sent.length === own.length && sent.every((item, index) => item === own[index]), "items were changed");
  }),
  ruled("with compaction off nothing is changed, whatever the size", async (subject) => {
    const own = subject.items(history(100));
    const sent = await subject.create({ ...options, policy: NONE_POLICY }).fit(own);
    holds(sent.length === own.length && sent.every((item, index) => item === own[index]), "items were changed");
  }),
  ruled(
    "every request of a long session fits, holds the person's words, and is made of the caller's own newest items",
    async (subject) => {
      const compactor = subject.create(options);
      const arrays = growing(subject, history(60));
      const before = JSON.stringify(arrays.at(-1));
      for (const [index, own] of arrays.entries()) {
        const sent = await compactor.fit(own);
        await compactor.observe(sent, subject.answer(`request_${index}`, sizeOf(sent)));
        holds(sizeOf(sent) <= limits.contextWindowTokens, `request ${index} has ${sizeOf(sent)} tokens`);
        holds(JSON.stringify(sent).includes(FIRST_WORDS), `request ${index} lost the person's words`);
        holds(sent.at(-1) === own.at(-1), `the newest item of request ${index} was changed`);
      }
      const whole = arrays.at(-1) ?? [];
      holds((await compactor.fit(whole)).length < whole.length, "nothing was compacted");
      holds(JSON.stringify(whole) === before, "the caller's array was changed");
    },
  ),
  ruled("what is sent holds each call with its result, or neither", async (subject) => {
    const sent = await subject.create(options).fit(subject.items(history(60)));
    const text = JSON.stringify(sent);
    const ids = Array.from({ length: 60 }, (_, step) => `call_${step}`);
    const isAlone = (id: string) => text.split(`"${id}"`).length === 2;
    const parted = subject.unanswered?.(sent) ?? ids.filter(isAlone);
    holds(parted.length === 0, `parted from their results: ${parted.join(", ")}`);
  }),
  ruled("the same history is found again, whoever made its objects", async (subject) => {
    const compactor = subject.create(options);
    const turns = history(40);
    for (let count = 10; count <= turns.length; count += 10) await compactor.fit(subject.items(turns.slice(0, count)));
    const sent = [await compactor.fit(subject.items(turns)), await compactor.fit(subject.items(turns))];
    holds(JSON.stringify(sent[0]) === JSON.stringify(sent[1]), "the same array was compacted anew");
    holds(compactor.conversations().length === 1, "one history became several conversations");
  }),
  ruled("what the agent declares is in every request, once, in its order", async (subject) => {
    const { declared } = subject;
    if (declared === undefined) return;
    const compactor = subject.create(options);
    const texts = Array.from({ length: DECLARED_COUNT }, (_, index) => `From here on rule ${index} holds, whatever was said.`);
    const pieces = history(60).map((turn, index) => [
      ...(index % 8 === 4 ? texts.slice((index - 4) / 8, (index + 4) / 8).map(declared) : []),
      ...subject.items([turn]),
    ]);
    for (let end = 1; end <= pieces.length; end += 1) {
      const own = pieces.slice(0, end).flat();
      const sent = JSON.stringify(await compactor.fit(own));
      const known = texts.filter((text) => JSON.stringify(own).includes(text));
      const places = known.map((text) => sent.indexOf(text));
      const isInOrder = places.every((place, at) => place > (places[at - 1] ?? -1));
      holds(isInOrder, `at ${end}: ${places.join(", ")}`);
      const times = known.map((text) => sent.split(text).length - 1);
      holds(
        times.every((count) => count === 1),
        `at ${end} it was said ${times.join(", ")} times`,
      );
    }
    holds((await compactor.fit(pieces.flat())).length < pieces.flat().length, "nothing was compacted");
    const speakers = compactor
      .conversations()
      .flatMap(({ entries }) =>
        entries.flatMap((entry) => (entry.type === "message" && entry.message.role === "user" ? [entry.message.origin] : [])),
      );
    holds(speakers.filter((origin) => origin === "declared").length === DECLARED_COUNT, `filed as ${speakers.join(", ")}`);
  }),
  ruled(
    "no order of roles is sent that turns and the caller's array do not have, and what was sent begins what is sent next until a cut",
    async (subject) => {
      const turns = history(72, 20).flatMap((turn, index): readonly ContractTurn[] =>
        index % 9 === 8 ? [turn, { kind: "human", before: `Done with ${index}.`, text: `Go on with ${index}.` }] : [turn],
      );
      for (const policy of [PLIMSOLL_POLICY, SVEN_POLICY, OPAL_POLICY]) {
        const compactor = subject.create({ ...options, policy });
        let cuts = 0;
        let before: readonly string[] = [];
        for (const own of growing(subject, turns)) {
          const sent = await compactor.fit(own);
          const orders = newRoleOrders(own, sent);
          holds(orders.length === 0, `${policy.name} sends ${orders.join(", ")} of ${own.length} items`);
          const written = sent.map((item) => JSON.stringify(item));
          if (!before.every((item, at) => item === written[at])) cuts += 1;
          before = written;
        }
        const compactions = compactor.conversations().flatMap((log) => log.entries.filter(({ type }) => type === "compaction"));
        holds(cuts > 0 && cuts <= compactions.length, `${policy.name}: ${cuts} changes for ${compactions.length} compactions`);
      }
    },
  ),
  ruled("call ids that are used again change no cut, and go out as they came", async (subject) => {
    const played = async (policy: Policy, idOf: (index: number) => string) => {
      const turns = history(72, 20).map((turn, index) => (turn.kind === "step" ? { ...turn, callId: idOf(index) } : turn));
      const compactor = subject.create({ ...options, policy });
      const sizes: number[] = [];
      let last = "";
      for (const own of growing(subject, turns)) {
        const sent = await compactor.fit(own);
        last = JSON.stringify(sent);
        sizes.push(sent.length);
        holds(sent.at(-1) === own.at(-1), "the newest result was cut before it was seen");
      }
      // Handles are hashes, and measure a little more or less: a cut may come a step earlier.
      return { sizes: sizes.join(" "), cuts: sizes.filter((size, at) => size < (sizes[at - 1] ?? 0)).length, last };
    };
    for (const policy of [SVEN_POLICY, PLIMSOLL_POLICY]) {
      const unique = await played(policy, (index) => `functions.read:${100 + index}`);
      const again = await played(policy, () => "functions.read:100");
      holds(policy !== SVEN_POLICY || again.sizes === unique.sizes, `${policy.name}: ${again.sizes}; ${unique.sizes}`);
      holds(again.cuts === unique.cuts && again.cuts > 0, `${policy.name} cuts ${again.cuts} times, not ${unique.cuts}`);
      holds(/"functions\.read:100"/.test(again.last) && !/call_[0-9a-f]{9}/.test(again.last), `${policy.name} changes ids`);
    }
  }),
  ruled("an overflow is learned from and sent again once, and not met again", async (subject) => {
    const compactor = subject.create({ ...options, limits: wide });
    let refused = 0;
    for (const [index, own] of growing(subject, history(60)).entries()) {
      await compactor.send(own, (sent) => {
        const tokens = sizeOf(sent);
        if (tokens <= limits.contextWindowTokens) return Promise.resolve(subject.answer(`request_${index}`, tokens));
        refused += 1;
        const words = `400 This model's maximum context length is ${limits.contextWindowTokens} tokens. However, your messages resulted in ${tokens} tokens.`;
        return Promise.reject(Object.assign(new Error(words), { status: 400 }));
      });
    }
    holds(refused === 1, `${refused} requests were refused`);
  }),
  ruled("any other error reaches the caller as it came, after one call", async (subject) => {
    const error = new Error("401 no such key");
    let calls = 0;
    const call = () => {
      calls += 1;
      return Promise.reject(error);
    };
    const thrown: unknown = await subject
      .create(options)
      .send(subject.items(history(3)), call)
      .catch((reason: unknown) => reason);
    holds(thrown === error && calls === 1, `${calls} calls, and another error`);
  }),
  ruled("usage is observed: the log holds what the answer reported", async (subject) => {
    const compactor = subject.create(options);
    await compactor.send(subject.items(history(3)), () => Promise.resolve(subject.answer("request_1", 1_234)));
    const entries = compactor.conversations().flatMap((log) => log.entries);
    const totals = entries.flatMap((entry) => (entry.type === "usage" ? [entry.usage.input.totalTokens] : []));
    holds(totals.length === 1 && totals[0] === 1_234, `reported: ${JSON.stringify(totals)}`);
  }),
  ruled("limits are a request's own", async (subject) => {
    const compactor = subject.create({ ...options, limits: wide });
    const own = subject.items(history(60));
    const whole = await compactor.fit(own);
    holds(whole.length === own.length, "it was cut to limits that are not its own");
    const sent = await compactor.fit(own, { limits });
    holds(sizeOf(sent) <= limits.contextWindowTokens, `it has ${sizeOf(sent)} tokens`);
  }),
  ruled("a result over the policy's cap is cut when it arrives, alone, and its handle brings it back", async (subject) => {
    const policy: Policy = { ...PLIMSOLL_POLICY, truncation: { capTokens: 1_000 } };
    const compactor = subject.create({ policy, limits: wide, nowMs: () => 0 });
    const own = subject.items([...history(1), ...history(2, 1_000).slice(2)]);
    const sent = await compactor.fit(own);
    const changed = sent.filter((item, index) => item !== own[index]);
    holds(sent.length === own.length && changed.length === 1, `${changed.length} items were changed`);
    const handle = /artifact:[0-9a-f]{64}/.exec(JSON.stringify(changed))?.[0] ?? "";
    const found = await compactor.recall(handle, { startChar: 0, maximumChars: 30 }, own);
    holds(found?.text === "line of the file that step 1 r", `recalled: ${found?.text}`);
  }),
  ruled("with a key and a store a conversation goes on after a restart, and sends the same", async (subject, emptyStore) => {
    const sessions = emptyStore();
    const own = subject.items(history(60));
    const first = subject.create({ ...options, sessions });
    const sent = await first.fit(own, { conversation: "one" });
    await first.close();
    const second = subject.create({ ...options, sessions });
    const again = await second.fit(subject.items(history(60)), { conversation: "one" });
    holds(JSON.stringify(again) === JSON.stringify(sent), "it sends something else");
    const compactions = second.conversations().flatMap((log) => log.entries.filter(({ type }) => type === "compaction"));
    holds(compactions.length === 1, `${compactions.length} compactions`);
  }),
  ruled("half a character never leaves", async (subject) => {
    const half: ContractTurn = { kind: "human", before: "Done.", text: "half \ud83d of it" };
    const sent = await subject.create(options).fit(subject.items([...history(2), half]));
    holds(JSON.stringify(sent).includes("half \ufffd of it"), "it left as it came");
  }),
];
