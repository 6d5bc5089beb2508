import { join } from "node:path";
import { SIDE } from "../experiments/setting.ts";
import { root } from "../namespace.ts";
import type { Launch, Program } from "../program.ts";
import { CODEX } from "../programs/codex.ts";
import { GEMINI } from "../programs/gemini.ts";
import { OPENCODE } from "../programs/opencode.ts";
import { PI_NEWEST } from "../programs/pi.ts";
import { QWEN } from "../programs/qwen.ts";
import type { AcceptanceCase } from "./case.ts";
import { CALL_TOKENS, FIRST_MESSAGE, LATER_MESSAGE } from "./case.ts";

/** Large enough that nothing is compacted. */
const WINDOW_TOKENS = 200_000;

const script = join(root, "lab/observatory/testing/break-and-mend.mjs");

/** Sessions of published programs that are broken in several ways at once, mended by `plimsoll doctor`, and opened again by the program. */
export const DOCTOR_CASES: readonly AcceptanceCase[] = [
  doctorCase("pi", { ...PI_NEWEST, version: "1.5.2" }, ["--continue"]),
  doctorCase("codex", { ...CODEX, version: "0.171.0" }),
  doctorCase("qwen", QWEN),
  doctorCase("opencode", OPENCODE),
  doctorCase("gemini", GEMINI, ["--resume", "latest"]),
];

function doctorCase(form: string, program: Program, resuming?: readonly string[]): AcceptanceCase {
  return {
    name: `doctor-${form}`,
    title: program.title,
    kind: "doctor",
    ours: ["cli"],
    libraries: [],
    program: (project) => broken(program, [script, form, join(project, "node_modules/plimsoll/bin/plimsoll.js")], resuming),
    windowTokens: WINDOW_TOKENS,
    steps: 9,
    resumes: 1,
    request: {
      scenario: {
        name: `doctor-${form}`,
        windowTokens: WINDOW_TOKENS,
        main: [
          { call: { outputTokens: CALL_TOKENS }, repeat: 6 },
          { say: { text: "The first of them are read." } },
          { call: { outputTokens: CALL_TOKENS }, repeat: 3 },
        ],
        side: SIDE,
      },
      limits: { windowTokens: WINDOW_TOKENS, outputTokens: 4_000 },
      prompts: [FIRST_MESSAGE, LATER_MESSAGE],
    },
  };
}

/** The program, with a script before its second command, which goes on by these arguments if its own launch does not. */
function broken(program: Program, beforeLast: readonly string[], resuming: readonly string[] | undefined): Program {
  return {
    ...program,
    launch: (setup): Launch => {
      const launch = program.launch(setup);
      const apart = setup.prompts.map((prompt, index) => {
        const { start } = program.launch({ ...setup, prompts: [prompt] });
        const own = "commands" in start ? start.commands.flat() : [];
        return index === 0 ? own : [...(resuming ?? []), ...own];
      });
      const own = "commands" in launch.start ? launch.start.commands : [];
      return { ...launch, start: { commands: resuming === undefined ? own : apart, beforeLast } };
    },
  };
}
