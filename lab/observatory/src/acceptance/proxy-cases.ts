import { join } from "node:path";
import { SIDE } from "../experiments/setting.ts";
import { root } from "../namespace.ts";
import { PRINT_COMMAND, type Program, withDefaultModel } from "../program.ts";
import { CLINE } from "../programs/cline.ts";
import { CODEX } from "../programs/codex.ts";
import { GEMINI } from "../programs/gemini.ts";
import { OPENCODE, OPENCODE_ANTHROPIC } from "../programs/opencode.ts";
import { PI_NEWEST } from "../programs/pi.ts";
import { QWEN } from "../programs/qwen.ts";
import { startForgetfulProxy, startProxy } from "../proxy-process.ts";
import { type AskedWire, startAskedProxy, TYPED_WORDS } from "./asked-proxy.ts";
import { type AcceptanceCase, FIRST_MESSAGE } from "./case.ts";

/** The limits of a program's model, if it takes any: so large that it never compacts by itself. */
const TOLD_TOKENS = { windowTokens: 1_000_000, outputTokens: 4_000 } as const;

const STEPS = 100;

/** Enough for two cuts, and an undo of one. Chosen. */
const ASKED_STEPS = 50;

/** Text that a call prints: a hundred of them are several windows. Chosen. */
const CALL_TOKENS = 2_000;

/** A program that has not ended by then is ended; many times the time on an idle machine. Chosen. */
const MOST_MS = 900_000;

const CODEX_NEWEST = { ...CODEX, version: "0.171.0" };

/**
 * Every program with the model that it asks for by itself. The windows leave room beside the reply that each asks for (none, 32,000, 128,000 and 64,000 tokens), its
 * tools and its system text.
 */
export const PROXY_CASES: readonly AcceptanceCase[] = [
  proxyCase("proxy-codex", withDefaultModel(CODEX), { windowTokens: 48_000 }),
  proxyCase("proxy-codex-120k", withDefaultModel(CODEX), { windowTokens: 120_000 }),
  proxyCase("proxy-opencode", withDefaultModel(OPENCODE), { windowTokens: 80_000 }),
  proxyCase("proxy-opencode-anthropic", withDefaultModel(OPENCODE_ANTHROPIC), { windowTokens: 80_000 }),
  proxyCase("proxy-pi-new", withDefaultModel(PI_NEWEST), { windowTokens: 180_000 }),
  proxyCase("proxy-pi-turns", { ...PI_NEWEST, title: "pi, turns" }, { windowTokens: 48_000, roles: "alternate" }),
  proxyCase("proxy-qwen", withDefaultModel(QWEN), { windowTokens: 130_000 }),
  proxyCase("proxy-gemini", withDefaultModel(GEMINI), { windowTokens: 48_000 }),
  proxyCase("proxy-cline", CLINE, { windowTokens: 80_000 }),
  {
    ...proxyCase("proxy-anthropic-thinking", CODEX, { windowTokens: 48_000, startsAnewAfter: 50 }),
    title: "Anthropic SDK, thinking",
    libraries: ["@anthropic-ai/sdk@1"],
    program: messagesClient,
  },
  proxyCase("proxy-vendor-codex", withDefaultModel(CODEX_NEWEST), { windowTokens: 48_000, policy: "plimsoll-vendor" }),
  proxyCase("proxy-vendor-pi", withDefaultModel({ ...PI_NEWEST, version: "1.6.0" }), {
    ...{ windowTokens: 180_000, policy: "plimsoll-vendor" },
  }),
  askedCase("codex", withDefaultModel(CODEX_NEWEST), 48_000, { wire: "openai-responses", itemsKey: "input" }),
  askedCase("pi", withDefaultModel(PI_NEWEST), 180_000, { wire: "anthropic", itemsKey: "messages" }),
  askedCase("opencode", OPENCODE, 80_000, { wire: "openai-chat", itemsKey: "messages" }),
  askedCase("gemini", withDefaultModel(GEMINI), 48_000, { wire: "gemini", itemsKey: "contents" }),
];

/** The same with a person beside it, who asks the proxy while the program runs and then types words for the proxy. */
function askedCase(of: string, program: Program, windowTokens: number, wire: AskedWire): AcceptanceCase {
  const row = proxyCase(`proxy-asked-${of}`, program, { windowTokens });
  const main = [{ call: { outputTokens: CALL_TOKENS }, repeat: ASKED_STEPS }];
  return {
    ...row,
    title: `${program.title}, asked`,
    // An undo is a break of the cache that no cut makes.
    resumes: 1,
    steps: ASKED_STEPS,
    request: { ...row.request, scenario: { ...row.request.scenario, main }, prompts: [FIRST_MESSAGE, TYPED_WORDS] },
    between: (project) => (upstream, folder) => startAskedProxy({ upstream, windowTokens, folder, project }, wire),
  };
}

interface Under {
  readonly windowTokens: number;
  readonly roles?: "alternate";
  /** The proxy's policy; plimsoll if it is left out. */
  readonly policy?: "plimsoll-vendor";
  /** The number of requests after which the proxy is started anew without its state. */
  readonly startsAnewAfter?: number;
}

/** The vendor's SDK in a loop of its own, with a model that binds its thinking to its prefix. */
function messagesClient(project: string): Program {
  return {
    ...CODEX,
    name: "messages-client",
    ownFile: join(root, "lab/observatory/testing/messages-client.mjs"),
    kinds: [{ kind: "summary", if: { tools: "none" } }],
    tools: () => [{ name: "bash", arguments: { command: PRINT_COMMAND } }],
    launch: ({ url, prompts }) => ({
      files: {},
      env: { ANTHROPIC_API_KEY: "simulated", ANTHROPIC_BASE_URL: url },
      start: { commands: prompts.map((prompt) => [project, "claude-fable-5-2", prompt]) },
    }),
  };
}

function proxyCase(name: string, program: Program, { windowTokens, roles, startsAnewAfter, policy }: Under): AcceptanceCase {
  return {
    name,
    title: policy === undefined ? program.title : `${program.title}, ${policy}`,
    kind: "proxy",
    ours: ["cli"],
    libraries: [],
    program: () => program,
    windowTokens,
    steps: STEPS,
    resumes: startsAnewAfter === undefined ? 0 : 1,
    request: {
      scenario: {
        name: "through the proxy",
        windowTokens,
        main: [{ call: { outputTokens: CALL_TOKENS }, repeat: STEPS }],
        side: SIDE,
      },
      limits: TOLD_TOKENS,
      server: roles === undefined ? { reasoning: "every-reply" } : { roles },
      prompts: [FIRST_MESSAGE],
      mostMs: MOST_MS,
    },
    between: (project) => async (upstream, folder) => {
      const start = { upstream, windowTokens, policy, folder, project };
      return await (startsAnewAfter === undefined ? startProxy(start) : startForgetfulProxy(start, startsAnewAfter));
    },
  };
}
