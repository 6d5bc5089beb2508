import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AssistantMessage } from "@plimsoll/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lotOf, shownMessage } from "./actions.ts";
import { factPrompts, isHeldOut, passageIndex } from "./facts.ts";
import { type JudgedRow, judgeReport } from "./figures.ts";
import { bitsOf, judged, openLlama, type TokenModel } from "./model.ts";

/**
 * A tiny model whose tokens are characters: the next one is likely as often as it stood behind the newest one before, among 64. As a package in a
 * folder, as node-llama-cpp is.
 */
const TINY_RUNTIME = `
const VOCABULARY = 64;
export async function getLlama(options) {
  if (options.gpu !== false || options.build !== "never") throw new Error("would build or look for a GPU");
  return { dispose: async () => undefined, loadModel: async ({ modelPath }) => {
    if (!modelPath.endsWith(".gguf")) throw new Error("no model file");
    return {
      tokens: { bos: 1 },
      tokenize: (text) => [...text].map((each) => each.codePointAt(0)),
      detokenize: (tokens) => String.fromCodePoint(...tokens),
      createContext: async () => {
        let read = [];
        return { getSequence: () => ({
          clearHistory: async () => { read = []; },
          controlledEvaluate: async (input) => input.map((each) => {
            const token = Array.isArray(each) ? each[0] : each;
            read.push(token);
            if (!Array.isArray(each)) return undefined;
            const { probabilities, options: { temperature, topK, topP, minP } } = each[1].generateNext;
            if (!probabilities || temperature !== 1 || topK !== 0 || topP !== 1 || minP !== 0) throw new Error("cut off");
            const next = read.flatMap((own, at) => (own === token && at + 1 < read.length ? [read[at + 1]] : []));
            const counts = new Map();
            for (const own of next) counts.set(own, (counts.get(own) ?? 0) + 1);
            return { next: { probabilities: { get: (own) => ((counts.get(own) ?? 0) + 1) / (next.length + VOCABULARY) } } };
          }),
        }) };
      },
    };
  } };
}
`;

let folder = "";
let tiny: TokenModel;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-judge-"));
  const place = join(folder, "node_modules/node-llama-cpp");
  mkdirSync(place, { recursive: true });
  const manifest = { name: "node-llama-cpp", version: "0.0.0", type: "module", exports: "./index.mjs" };
  writeFileSync(join(place, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(place, "index.mjs"), TINY_RUNTIME);
  tiny = await openLlama("tiny.gguf", { runtimeFolder: folder, contextTokens: 64 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tokens = (text: string) => tiny.tokensOf(text);

describe("bits", () => {
  test.each([
    ["certain tokens have none", [1, 1], 0],
    ["halves have one each", [0.5, 0.5, 0.25], 4],
    ["what underflows has the most", [0], 40],
    ["as has what is no probability", [Number.NaN], 40],
    ["a sum over one by rounding counts as certain", [1.0001], 0],
    ["no tokens have none", [], 0],
  ])("%s", (_, probabilities, bits) => {
    expect(bitsOf(probabilities)).toBeCloseTo(bits, 10);
  });

  test("each token is told by the one before it, and the first by the prompt's last", async () => {
    // "b" stood once behind "a", and "c" never behind "b" before it.
    expect(await tiny.probabilities(tokens("ab"), tokens("ab"))).toEqual([1 / 64, 2 / 65]);
    // Behind nothing but the start of text.
    expect(await tiny.probabilities([], tokens("a"))).toEqual([1 / 64]);
  });

  test("a context that tells the text saves bits, and one case leaves nothing behind for the next", async () => {
    const prompts = new Map([
      ["none", tokens("")],
      ["told", tokens("zab zab zab z")],
      ["again", tokens("")],
    ]);
    const { bits, promptTokens, scoredTokens } = await judged(tiny, prompts, tokens("ab"));
    expect(bits.none).toBeCloseTo(12, 10);
    expect(bits.again).toBe(bits.none);
    expect(bits.told).toBeLessThan(9.5);
    expect({ promptTokens, scoredTokens }).toEqual({ promptTokens: { none: 0, told: 13, again: 0 }, scoredTokens: 2 });
  });

  test("a prompt that does not fit loses its oldest tokens", async () => {
    const { promptTokens, bits } = await judged(
      tiny,
      new Map([["long", tokens(`${"ab".repeat(20)}${"x".repeat(60)}`)]]),
      tokens("ab"),
    );
    expect(promptTokens.long).toBe(60);
    expect(bits.long).toBeCloseTo(Math.log2(64 + 59) + 6, 10);
  });

  test("a text without tokens is refused", async () => {
    await expect(judged(tiny, new Map(), [])).rejects.toThrow("has no bits");
  });

  test.each([
    ["a folder without the runtime", () => `${folder}-empty`, "tiny.gguf"],
    ["a file that is no model", () => folder, "tiny.txt"],
  ])("%s is said in one line", async (_, runtimeFolder, file) => {
    const opened = openLlama(file, { runtimeFolder: runtimeFolder(), contextTokens: 64 });
    await expect(opened).rejects.toMatchObject({
      code: "bad-input",
      message: expect.stringMatching(/^tiny\.\w+: can't be opened[^\n]+$/),
    });
  });
});

describe("facts", () => {
  const texts = ["I like tea.\n".repeat(60), "My dog is called Rex.", `The dog of Ann barks.\n${"Rain. ".repeat(200)}`];

  test("the passages with the question's rarest words are read, in the order of the context", () => {
    expect(passageIndex(texts)("What is my dog called?").slice(0, 2)).toEqual([
      "My dog is called Rex.",
      "The dog of Ann barks.",
    ]);
  });

  test("no passage is longer than 500 characters, and none is read that shares no word", () => {
    const passages = passageIndex(texts)("tea rain");
    expect(passages).toHaveLength(4);
    expect(Math.max(...passages.map(({ length }) => length))).toBeLessThanOrEqual(500);
    expect(passageIndex(texts)("quark")).toEqual([]);
  });

  test("both prompts end with the same question", () => {
    const prompts = [...factPrompts({ question: "Who?", passages: ["Ann."] }).values()];
    expect(prompts.every((prompt) => prompt.endsWith("Question: Who?\nAnswer:"))).toBe(true);
  });

  test("a fact stays on its side", () => {
    expect(["LM_0126", "LM_0126", "LM_0124"].map(isHeldOut)).toEqual([true, true, isHeldOut("LM_0124")]);
  });
});

test("a message is shown with its calls, without its reasoning", () => {
  const call = { type: "tool-call", callId: "1", toolName: "read", argumentsJson: '{"path":"a"}', paths: [] } as const;
  const message: AssistantMessage = {
    role: "assistant",
    id: "m",
    origin: "model",
    parts: [{ type: "reasoning", text: "hidden", opaque: null }, { type: "text", text: "Look." }, call],
    modelId: null,
    requestId: null,
    stopReason: null,
    atMs: null,
  };
  expect(shownMessage(message)).toBe('Assistant:\nLook.\ncall read {"path":"a"}');
  expect(lotOf("a")).not.toBe(lotOf("b"));
});

describe("judgeReport", () => {
  const row = (of: Partial<JudgedRow>): JudgedRow => ({
    key: JSON.stringify(of),
    protocol: "p",
    model: "tiny",
    kind: "facts",
    bits: {},
    promptTokens: {},
    scoredTokens: 4,
    cpuMs: 1000,
    ...of,
  });
  const facts = Array.from({ length: 40 }, (_, at) => {
    const answered = at % 2 === 0;
    const truth = { fact: `f${at}`, level: "C1", answered, inContext: true, inPassages: answered, stands: answered };
    return row({ bits: { none: 20, passages: answered ? 5 : 15 }, truth: { ...truth, heldOut: at % 4 > 1 } });
  });
  const actions = Array.from({ length: 9 }, (_, at) =>
    row({
      kind: "actions",
      session: `owner${at}__repository__1.jsonl`,
      bits: { none: 30, longest: 10, plimsoll: 20 + (at % 3), floor: 20, newest: 24, codex: 20 },
    }),
  );
  const text = judgeReport([...facts, ...actions]);

  test("areas stand beside those of the controls, with the protocol first", () => {
    expect(text).toMatch(/^### Facts, tiny\n\nProtocol `p`; 40 cases/);
    expect(text).toMatch(/\| saved bits \(chosen\) \| 1\.00 \[1\.00, 1\.00\] \| 1\.00/);
    expect(text).toMatch(/\| keywords in the context \| 0\.50 \[/);
    expect(text).toMatch(/\| saved bits − keywords in the read passages \| {2}\| 0\.00/);
  });

  test("the smallest detectable difference stands before the mean of the paired ones", () => {
    expect(text).toMatch(/\| plimsoll − newest \| 0\.8 \| 3\.0 \[2\.\d, 3\.\d\] \| 3\.0 \|/);
    expect(text).toMatch(/\| plimsoll − floor \| 0\.8 \| -1\.0 \[/);
  });

  test("fewer than eight owners give no interval", () => {
    expect(judgeReport(actions.slice(0, 5))).toMatch(/\| longest − none \| 0\.0 \| 20\.0 \[too few\]/);
  });
});
