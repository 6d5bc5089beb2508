import { join } from "node:path";
import { SIDE } from "../experiments/setting.ts";
import { type Launch, type MainStep, type Program, withDefaultModel } from "../program.ts";
import { OPENCODE, OPENCODE_ANTHROPIC } from "../programs/opencode.ts";
import { PI_NEWEST, PI_OLD } from "../programs/pi.ts";
import { type AcceptanceCase, CALL_TOKENS, FIRST_MESSAGE, LATER_MESSAGE, SMALL_TOKENS, SUB_AGENT_MESSAGE } from "./case.ts";
import { SUB_AGENT_PROBE } from "./facts.ts";

/** The limits of a program's model: the window is the real one. */
const TOLD = { windowTokens: SMALL_TOKENS, outputTokens: 4_000 } as const;

/** A program that has not ended by then is ended; many times the time on an idle machine. Chosen. */
const MOST_MS = 1_800_000;

const calls = (count: number): MainStep => ({ call: { outputTokens: CALL_TOKENS }, repeat: count });

/** The smallest window of the programs' own models; nothing of a row comes near it. */
const OWN_WINDOW_TOKENS = 200_000;

/** The plugins of published programs. */
export const PLUGIN_CASES: readonly AcceptanceCase[] = [
  openCode("opencode-plugin", "OpenCode plugin", OPENCODE),
  inOwnWindow(openCode("opencode-plugin-own", "OpenCode plugin, own model", withDefaultModel(OPENCODE_ANTHROPIC))),
  pi("pi-extension", "pi extension", PI_OLD),
  pi("pi-new-extension", "pi extension", PI_NEWEST),
  inOwnWindow(pi("pi-new-extension-own", "pi extension, own model", withDefaultModel(PI_NEWEST))),
  inTurns(pi("pi-new-extension-turns", "pi extension, turns", PI_NEWEST)),
];

function openCode(name: string, title: string, program: Program): AcceptanceCase {
  return {
    ...session(name, title, [
      calls(45),
      { call: { outputTokens: 0, use: "agent" } },
      calls(40),
      { say: { text: "The second folder is read." } },
      calls(25),
      { say: { text: "All of them are read." } },
      calls(30),
    ]),
    steps: 140,
    program: (project) => withOpenCodePlugin(program, join(project, "opencode-plugin.js")),
    sessions: { kind: "sqlite", file: ".local/share/opencode/opencode.db", query: "select data as text from part" },
  };
}

function pi(name: string, title: string, program: Program): AcceptanceCase {
  return {
    ...session(name, title, [calls(60), { say: { text: "All of them are read." } }, calls(40)]),
    steps: 100,
    program: (project: string) => withPiExtension(program, join(project, "pi-extension.js")),
    sessions: { kind: "lines", folder: ".pi/agent/sessions" },
  };
}

/** The same on a server that wants person and model in turn. */
function inTurns(row: AcceptanceCase): AcceptanceCase {
  return { ...row, request: { ...row.request, server: { roles: "alternate" } } };
}

/** The same in the window of the program's own model, which thinks: the policy compacts much earlier. */
function inOwnWindow(row: AcceptanceCase): AcceptanceCase {
  const { scenario, ...request } = row.request;
  const inWindow = { ...scenario, windowTokens: OWN_WINDOW_TOKENS };
  return {
    ...row,
    windowTokens: OWN_WINDOW_TOKENS,
    request: { ...request, scenario: inWindow, server: { reasoning: "every-reply" } },
  };
}

/** Where a model's window is far, as a person sets it in a file; of a small window it changes nothing. */
const POLICY = "extends: plimsoll\nactAt: 25k\npays: off\n";

/** The file of a plugin, and its policy beside it. */
function pluginFiles(file: string, [from, create, line]: readonly [from: string, create: string, line: string]) {
  const text = [
    `import { loadPolicy } from "@plimsoll/stores";`,
    `import { ${create} } from "@plimsoll/providers/drop-in/${from}";`,
    `const { policy } = loadPolicy(${JSON.stringify(`${file}.yaml`)});`,
    `${line} ${create}({ policy });`,
    "",
  ].join("\n");
  return { [file]: text, [`${file}.yaml`]: POLICY };
}

/** One session that is taken up once by a new process. */
function session(
  name: string,
  title: string,
  main: readonly MainStep[],
): Omit<AcceptanceCase, "program" | "sessions" | "steps"> {
  return {
    name,
    title,
    kind: "plugin",
    ours: ["core", "stores", "providers"],
    libraries: [],
    windowTokens: SMALL_TOKENS,
    resumes: 1,
    request: {
      scenario: {
        name,
        windowTokens: SMALL_TOKENS,
        windowHolds: "prompt-and-reply",
        main,
        side: SIDE,
        probes: [{ id: SUB_AGENT_PROBE, text: SUB_AGENT_MESSAGE }],
      },
      limits: TOLD,
      prompts: [FIRST_MESSAGE, LATER_MESSAGE],
      mostMs: MOST_MS,
    },
  };
}

function withOpenCodePlugin(program: Program, file: string): Program {
  const call = { description: "Reads the second folder", prompt: SUB_AGENT_MESSAGE, subagent_type: "general" };
  return {
    ...program,
    tools: (work) => [{ use: "agent", name: "task", arguments: call }, ...program.tools(work)],
    launch: (setup) => {
      const { files, ...launch } = program.launch(setup);
      const configs = Object.entries(files).map(([path, config]) => [path, withField(config, { plugin: [`file://${file}`] })]);
      const own = pluginFiles(file, ["opencode", "createOpenCodePlugin", "export const Plimsoll ="]);
      return { ...launch, files: { ...Object.fromEntries(configs), ...own } };
    },
  };
}

function withPiExtension(program: Program, file: string): Program {
  return {
    ...program,
    launch: (setup): Launch => {
      const { files, env } = program.launch(setup);
      const commandFor = (prompt: string) => {
        const { start } = program.launch({ ...setup, prompts: [prompt] });
        return "commands" in start ? start.commands.flat() : [];
      };
      const commands = setup.prompts.map((prompt, index) => [
        "-e",
        file,
        ...(index === 0 ? [] : ["--continue"]),
        ...commandFor(prompt),
      ]);
      const own = pluginFiles(file, ["pi", "createPiExtension", "export default"]);
      return { files: { ...files, ...own }, env, start: { commands } };
    },
  };
}

/** JSON text of an object with more in it. */
function withField(json: string, more: object): string {
  const value: unknown = JSON.parse(json);
  return JSON.stringify({ ...(typeof value === "object" ? value : {}), ...more });
}
