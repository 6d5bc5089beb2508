import { createHash } from "node:crypto";
import type { Transcript } from "@plimsoll/bench";
import { importSource, textSource } from "@plimsoll/bench/extend";
import { z } from "zod";
import type { GitFolder } from "./git-folder.ts";

/** A source of graded runs, by a short name. */
export type Dataset = "lite" | "java" | "terminal" | "unmasked";

/** A recorded run with its grade. */
export interface GradedRecording {
  readonly dataset: Dataset;
  /** The repository that the task is of; for `terminal`, where tasks have none, the task itself. */
  readonly repository: string;
  readonly task: string;
  /** The model, or the repetition: runs of one are compared with each other. */
  readonly agent: string;
  readonly hasFailed: boolean;
  /** Whether observations older than the newest five had left what the model read. */
  readonly isMasked: boolean;
  readonly read: () => Promise<Transcript>;
}

/** The runs of one source, with those that have no grade or no dialogue: they are in no figure. */
export interface GradedRuns {
  readonly runs: readonly GradedRecording[];
  readonly ungraded: number;
  readonly withoutDialogue: number;
}

const LITE = "results/swe-agent-results";
const JAVA = "evaluation/java/verified";
const TERMINAL = "results/terminal-bench-core@0.1.1/20250825_swe-agent-mini_claude-4-sonnet";

const UNMASKED = "swe_trajectories/trajectories";

const liteReport = z.object({ resolved: z.array(z.string()) });
const javaReport = z.object({ resolved: z.array(z.string()), submitted_ids: z.array(z.string()) });
const unmaskedRun = z.object({
  instance_id: z.string(),
  model_name: z.string(),
  target: z.boolean(),
  trajectory: z.array(z.object({ role: z.string(), system_prompt: z.string().nullable(), text: z.string().nullable() })),
});
const terminalReport = z.object({ task_id: z.string().default(""), is_resolved: z.boolean().nullable().default(null) });

/** SWE-agent on SWE-bench Lite three times (nus-apr/auto-code-rover). A run without a patch was not resolved. */
export function liteRuns(folder: GitFolder): GradedRuns {
  const paths = folder.paths(LITE);
  const runs = paths.filter(isTrajectory).map((path) => {
    const [agent = ""] = path.slice(LITE.length + 1).split("/");
    return { path, agent };
  });
  const resolved = new Map(
    [...new Set(runs.map(({ agent }) => agent))].map((agent) => {
      const report = liteReport.parse(JSON.parse(folder.text(`${LITE}/${agent}/final_report.json`)));
      return [agent, new Set(report.resolved)] as const;
    }),
  );
  return {
    runs: runs.map(({ path, agent }) => recording("lite", { folder, path, agent, resolved: resolved.get(agent) ?? new Set() })),
    ungraded: 0,
    withoutDialogue: 0,
  };
}

/** SWE-agent with five models on Java tasks (multi-swe-bench/experiments). What was not submitted has no grade. */
export function javaRuns(folder: GitFolder): GradedRuns {
  const runs: GradedRecording[] = [];
  let ungraded = 0;
  const reports = new Map<string, z.infer<typeof javaReport>>();
  for (const path of folder.paths(JAVA).filter(isTrajectory)) {
    const [agent = ""] = path.slice(JAVA.length + 1).split("/");
    const report = reports.get(agent) ?? javaReport.parse(JSON.parse(folder.text(`${JAVA}/${agent}/results/results.json`)));
    reports.set(agent, report);
    if (report.submitted_ids.includes(taskOf(path)))
      runs.push(recording("java", { folder, path, agent, resolved: new Set(report.resolved) }));
    else ungraded += 1;
  }
  return { runs, ungraded, withoutDialogue: 0 };
}

/** mini-swe-agent on terminal-bench (laude-institute/terminal-bench-leaderboard): its dialogue stands in a recorded terminal alone. */
export function terminalRuns(folder: GitFolder): GradedRuns {
  const runs: GradedRecording[] = [];
  let [ungraded, withoutDialogue] = [0, 0];
  const paths = folder.paths(TERMINAL);
  const reports = new Set(paths.filter((path) => path.endsWith("/results.json")));
  for (const path of paths.filter((each) => each.endsWith("/sessions/agent.log"))) {
    const trial = path.slice(0, -"/sessions/agent.log".length);
    const report = reports.has(`${trial}/results.json`) ? folder.text(`${trial}/results.json`) : "{}";
    const { task_id: task, is_resolved: isResolved } = terminalReport.parse(JSON.parse(report));
    const messages = terminalDialogue(folder.text(path));
    if (messages.length === 0) withoutDialogue += 1;
    else if (isResolved === null) ungraded += 1;
    else {
      const document = { trajectory_format: "mini-swe-agent-1", instance_id: trial, messages };
      runs.push({
        dataset: "terminal",
        repository: task,
        task,
        agent: "mini-swe-agent",
        hasFailed: !isResolved,
        isMasked: false,
        read: () => onlyTranscript(JSON.stringify(document), `${task}__${trial.split("/").at(-1)}`),
      });
    }
  }
  return { runs, ungraded, withoutDialogue };
}

/** SWE-agent with nothing masked (nebius/SWE-agent-trajectories, as wzh4464/ContextGraph keeps it): every fourth task by the hash of its file (protocol). */
export function unmaskedRuns(folder: GitFolder): GradedRuns {
  const lot = (path: string) =>
    createHash("sha256")
      .update(path.slice(UNMASKED.length + 1))
      .digest()[0] ?? 1;
  const paths = folder.paths(UNMASKED).filter((path) => path.endsWith(".json") && lot(path) % 4 === 0);
  const runs = paths.map((path): GradedRecording => {
    const { instance_id: task, model_name: agent, target, trajectory } = unmaskedRun.parse(JSON.parse(folder.text(path)));
    const repository = repositoryOf(task);
    const history = trajectory.map(({ role, system_prompt, text }) =>
      role === "ai" ? replyEntry(text ?? "") : { role, content: text ?? system_prompt ?? "" },
    );
    const read = () => onlyTranscript(JSON.stringify({ trajectory: [], history }), `${repository}__${task}#${agent}`);
    return { dataset: "unmasked", repository, task, agent, hasFailed: !target, isMasked: false, read };
  });
  return { runs, ungraded: 0, withoutDialogue: 0 };
}

/** A reply as SWE-agent stores it: its last fenced block is the action, the rest is thought. */
function replyEntry(content: string): {
  readonly role: "assistant";
  readonly content: string;
  readonly thought: string;
  readonly action: string;
} {
  const block = [...content.matchAll(/^```\S*\n([\s\S]*?)^```/gm)].at(-1);
  const thought = block === undefined ? content : content.replace(block[0], () => "");
  return { role: "assistant", content, thought, action: block?.[1] ?? "" };
}

function isTrajectory(path: string): boolean {
  return path.endsWith(".traj");
}

/** The task that a trajectory is named by. */
function taskOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1, -".traj".length);
}

function repositoryOf(task: string): string {
  return task.slice(0, task.lastIndexOf("-"));
}

function recording(
  dataset: "lite" | "java",
  { folder, path, agent, resolved }: { folder: GitFolder; path: string; agent: string; resolved: ReadonlySet<string> },
): GradedRecording {
  const task = taskOf(path);
  const repository = repositoryOf(task);
  const read = () => onlyTranscript(folder.text(path), `${repository}__${task}#${agent}`);
  return { dataset, repository, task, agent, hasFailed: !resolved.has(task), isMasked: true, read };
}

async function onlyTranscript(text: string, name: string): Promise<Transcript> {
  const [transcript] = await importSource(textSource(text, name));
  if (transcript === undefined) throw new Error(`${name}: an importer gave no session`);
  return transcript;
}

/** One message of a recorded terminal. */
interface TerminalMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** Columns of the terminal in which the runs of the leaderboard were recorded; longer lines were broken between words. */
const COLUMNS = 160;

/** Sequences that move the cursor or set a colour (ECMA-48), and those that set a title. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007]*\u0007/g;

/** The line that turns while a model is waited for: what was written over it ends with the last carriage return. */
const WAITING = /^.? ?Waiting for the LM to respond\.\.\./;

/** The line above a message: who speaks. */
const SPEAKER = /^(System|User|mini-swe-agent \(step \d+, \$[\d.]+\)):$/;

/** The end of the dialogue: the agent says where its trajectory went. */
const END = /^Saved trajectory to '/;

/**
 * Reads the dialogue that mini-swe-agent printed into a recorded terminal: whole, as far as it was printed. Lines that the terminal broke
 * between words are joined. Empty if the agent never came to a first step.
 */
export function terminalDialogue(log: string): readonly TerminalMessage[] {
  const messages: { role: TerminalMessage["role"]; lines: string[] }[] = [];
  for (const raw of log.split(/\r*\n/)) {
    const line = shownLine(raw);
    if (line === null) continue;
    const speaker = SPEAKER.exec(line)?.[1];
    if (speaker !== undefined) messages.push({ role: roleOf(speaker), lines: [] });
    else if (END.test(line)) break;
    else messages.at(-1)?.lines.push(line);
  }
  const found = messages.map(({ role, lines }) => ({ role, content: joined(lines).trim() }));
  return found.some(({ role }) => role === "assistant") ? found : [];
}

function roleOf(speaker: string): TerminalMessage["role"] {
  if (speaker === "System") return "system";
  return speaker === "User" ? "user" : "assistant";
}

/** The text of a line in the end; `null` for one of which nothing is left, and for the rule between messages. */
function shownLine(raw: string): string | null {
  const plain = raw.replace(CONTROLS, "");
  const parts = plain.split("\r").filter((part) => !WAITING.test(part));
  const line = parts.findLast((part) => part !== "") ?? (plain.includes("\r") ? null : "");
  return line === null || /^─{20,}$/.test(line) ? null : line;
}

/** Joins a line with the next if the next one's first word had no room on it: the terminal broke it. */
function joined(lines: readonly string[]): string {
  let text = "";
  let column = 0;
  for (const [place, line] of lines.entries()) {
    const [first = ""] = line.split(" ", 1);
    const isBroken = place > 0 && text.endsWith(" ") && first !== "" && column + first.length > COLUMNS;
    text = place === 0 || isBroken ? text + line : `${text}\n${line}`;
    column = line.length;
  }
  return text;
}
