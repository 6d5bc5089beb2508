import { AIMessage, type ContentBlock, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { isPlimsollError, type Message, NONE_POLICY, PI_POLICY, PLIMSOLL_POLICY, type Policy } from "@plimsoll/core";
import { canonicalJson, EMPTY_VIEW, foldEntry } from "@plimsoll/core/extend";
import { isAgentsRole } from "../src/drop-in/wire-array.ts";
import { stringAt } from "../src/fields.ts";
import type { ArrayContractCase, ArraySubject, ContractTurn } from "../src/testing/index.ts";

const WIDE = { contextWindowTokens: 1_000_000, maxOutputTokens: 1_000 };
const SMALL = { contextWindowTokens: 3_000, maxOutputTokens: 300 };
const STEPS = 5;

const isItemOf = <Item>(value: unknown): value is Item => typeof value === "object" && value !== null;

/** The items of a published value: itself, or for a block, which is no item, a message of each role with it. */
export function itemsWith(kind: string, value: unknown): readonly unknown[] {
  if (kind !== "LangChain messages" || !isItemOf<ContentBlock>(value)) return [value];
  const content = [{ type: "text", text: "x" }, value];
  return [
    new HumanMessage({ content }),
    new AIMessage({ content }),
    new SystemMessage({ content }),
    new ToolMessage({ content, tool_call_id: "x" }),
  ];
}

function stepOf(callId: string, chars: number): ContractTurn {
  return { kind: "step", callId, path: `${callId}.ts`, said: `Reads ${callId}.`, result: "word ".repeat(chars / 5) };
}

const human = (text: string): ContractTurn => ({ kind: "human", text, before: null });

const RESULT =
  /"role":"(?:tool|function)"|"type":"(?:tool_result|tool-result)"|_(?:output|result)"|"functionResponse"|"tool_call_id"/;
const CALL = /"call_?[iI]d"|"toolCallId"|"tool_calls":\[|"type":"tool_use"|"functionCall"/;

/** The item at an allowed place: a result right behind a call of its id, a call right before its result. */
function inPlace<Item>({ items }: ArraySubject<Item, unknown>, item: Item): readonly Item[] {
  const json = JSON.stringify(item);
  const pair = items([stepOf("x", 10)]);
  if (RESULT.test(json)) return [...pair.slice(0, -1), item];
  return CALL.test(json) ? [item, ...pair.slice(-1)] : [item];
}

interface Fitting<Item> {
  readonly own: readonly Item[];
  readonly policy: Policy;
  readonly limits: typeof WIDE;
}

async function fitted<Item>(subject: ArraySubject<Item, unknown>, { own, policy, limits }: Fitting<Item>) {
  const compactor = subject.create({ policy, limits, nowMs: () => 0 });
  const sent = await compactor.fit(own);
  const entries = compactor.conversations()[0]?.entries ?? [];
  return { sent, entries, messages: entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : [])) };
}

/** A case of the contract that plays items, each by itself. `found` takes the faults, each once for each type of item. */
export function itemsCase(items: readonly unknown[], found: Set<string>): ArrayContractCase {
  return {
    rule: "an item is sent, or recorded as cut",
    run: async (subject) => {
      for (const item of items) for (const fault of await faultsOf(subject, item)) found.add(`${nameOf(item)} ${fault}`);
    },
  };
}

function nameOf(item: unknown): string {
  return stringAt(item, "type") ?? stringAt(item, "role") ?? "an item";
}

/** Plays an item early in a history and as its newest, and returns every fault; empty if there is none. */
async function faultsOf<Item>(subject: ArraySubject<Item, unknown>, value: unknown): Promise<readonly string[]> {
  if (!isItemOf<Item>(value)) return ["is no item"];
  const first = subject.items([human("Begin here.")]);
  const next = subject.items([human("Go on.")]);
  const steps = Array.from({ length: STEPS }, (_, index) => subject.items([stepOf(`call_${index}`, 3_000)])).flat();
  const placed = inPlace(subject, value);
  const faults: string[] = [];
  const attempt = async (play: () => Promise<readonly string[]>) => {
    faults.push(...(await play().catch((thrown: unknown) => [thrownBy(thrown)])));
  };
  // The one preset summarises old messages, the other shortens results.
  const plays = [
    { own: [...first, ...placed, ...next, ...steps], policy: PI_POLICY },
    { own: [...first, ...steps, ...next, ...placed], policy: PLIMSOLL_POLICY },
  ];
  for (const { own, policy } of plays) {
    await attempt(() => uncut(subject, { own, policy: NONE_POLICY, limits: SMALL }));
    await attempt(() => cut(subject, { own, policy, placed: [...first, ...placed], value }));
  }
  await attempt(() => uncut(subject, { own: [...first, ...placed], policy: PLIMSOLL_POLICY, limits: WIDE }));
  return faults;
}

/** A refusal that says why is an answer, and named by its reason. */
function thrownBy(thrown: unknown): string {
  return isPlimsollError(thrown) && thrown.code === "unsendable"
    ? `is refused: ${canonicalJson(thrown.details)}`
    : `throws ${thrown}`;
}

async function uncut<Item>(subject: ArraySubject<Item, unknown>, fitting: Fitting<Item>): Promise<readonly string[]> {
  const { sent } = await fitted(subject, fitting);
  const isSame = sent.length === fitting.own.length && sent.every((item, at) => item === fitting.own[at]);
  return isSame ? [] : ["is changed uncut"];
}

interface CutItem<Item> extends Pick<Fitting<Item>, "own" | "policy"> {
  readonly placed: readonly Item[];
  readonly value: Item;
}

/** An item that is not sent as it is was cut by the log's own word: its messages have left the view, or are other ones there. */
async function cut<Item>(
  subject: ArraySubject<Item, unknown>,
  { own, policy, placed, value }: CutItem<Item>,
): Promise<readonly string[]> {
  const { sent, entries, messages } = await fitted(subject, { own, policy, limits: SMALL });
  if (!entries.some(({ type }) => type === "compaction")) return ["was not cut"];
  if (sent.includes(value)) return [];
  if (isAgentsRole(stringAt(value, "role")) || isAgentsRole(stringAt(value, "type"))) return ["is declared, and not sent"];
  // A reply follows: results without any are a part of a history that nobody reads.
  const replied = [...placed, ...subject.items([human("Go on."), stepOf("x0", 10)])];
  const { messages: read } = await fitted(subject, { own: replied, policy: PLIMSOLL_POLICY, limits: WIDE });
  const contents = new Set(read.slice(1).map(contentOf));
  const logged = messages.filter((message) => contents.has(contentOf(message)));
  if (logged.some((message) => message.role === "user" && message.origin === "declared")) return ["is declared, and not sent"];
  if (logged.length === 0) return ["is neither sent nor read"];
  const view = new Set(
    entries
      .reduce(foldEntry, EMPTY_VIEW)
      .messages.slice()
      .map(({ id, parts }) => canonicalJson([id, parts])),
  );
  const isInView = logged.every(({ id, parts }) => view.has(canonicalJson([id, parts])));
  return isInView ? ["is in the view, and not sent"] : [];
}

function contentOf({ id: _, atMs: __, ...message }: Message): string {
  return canonicalJson(message);
}
