import { describe, expect, test, vi } from "vitest";
import type { Message } from "../message/message.ts";
import { assistant, callPart, human, result, toolCall } from "../testing/builders.ts";
import { foldFacts, NO_FACTS } from "./facts.ts";

const running = (...messages: readonly Message[]) =>
  messages.reduce(foldFacts, NO_FACTS).running.map(({ name, what, state }) => [name ?? "-", what, state]);
const call = (id: string, name: string, args: object) => toolCall(id, `c-${id}`, { name, argumentsJson: JSON.stringify(args) });
const answer = (id: string, text: string) => result(`r-${id}`, `c-${id}`, text);

const step = (id: string, name: string, args: object, text: string) => [call(id, name, args), answer(id, text)];

const DEV = { command: "npm run dev", run_in_background: true };
const SHELL = step("a", "Bash", DEV, "Command running in background with ID: bash_1");
const POLLED = { bash_id: "bash_1" };
const AGENT = step(
  "g",
  "spawn_agent",
  { message: "Look through the logs for leaks" },
  '{"agent_id":"019c-77ab","nickname":"Ada"}',
);

const told = (text: string): Message => ({ ...human("n", text), origin: "injected" });

const TEXT = "To start it:\n\ndocker run -d --name otter postgres:16\n";
const ARGUMENTS = JSON.stringify({ path: "README.md", content: TEXT });
const WRITTEN = assistant("w", [
  callPart("c-w", "Write", { argumentsJson: ARGUMENTS, paths: [{ path: "README.md", access: "modify" }] }),
]);

describe("running things", () => {
  test.each<[string, readonly Message[], string]>([
    ["a command in the background", SHELL, "bash_1 | npm run dev | running"],
    ["a sub-agent", AGENT, "019c-77ab | Look through the logs for leaks | running"],
    [
      "a command that a shell leaves behind, which has no name",
      step("b", "shell", { command: "python -m http.server 8000 &" }, ""),
      "- | python -m http.server 8000 & | running",
    ],
    [
      "one without a name, which a command ends by what started it",
      [
        ...step("b", "shell", { command: "python -m http.server 8000 &" }, ""),
        ...step("k", "shell", { command: "pkill -f http.server" }, ""),
      ],
      "- | python -m http.server 8000 & | ended",
    ],
    [
      "a container, by the name that its command gives it",
      step("d", "bash", { command: "docker run -d --name otter postgres:16" }, "9b1f0c4e77d2"),
      "otter | docker run -d --name otter postgres:16 | running",
    ],
    [
      "a container that a command takes away",
      [
        ...step("d", "bash", { command: "docker run -d --name otter postgres:16" }, "9b1f0c4e77d2"),
        ...step("k", "bash", { command: "docker rm -f otter" }, "otter"),
      ],
      "otter | docker run -d --name otter postgres:16 | ended",
    ],
    [
      "a session of a terminal",
      step("m", "bash", { command: "tmux new-session -d -s otter 'make serve'" }, ""),
      "otter | tmux new-session -d -s otter 'make serve' | running",
    ],
    [
      "no words of a file that was read",
      [
        call("f", "Read", { file: "state.go" }),
        { ...answer("f", "// The session started at id 15"), category: "file-content" },
      ],
      "",
    ],
    ["no command in a file that is written", [WRITTEN, answer("w", "ok")], ""],
    [
      "no words further down in an output",
      step("f", "Bash", { command: "cat state.go" }, "package state\n// the session started at id 15"),
      "",
    ],
    [
      "two that one call asks for",
      [
        ...SHELL,
        ...AGENT,
        ...step(
          "p",
          "wait",
          { ids: ["bash_1", "019c-77ab"] },
          '{"status":{"bash_1":"running","019c-77ab":{"completed":"no job was killed"}},"timed_out":false}',
        ),
      ],
      "bash_1 | npm run dev | running; 019c-77ab | Look through the logs for leaks | ended",
    ],
    [
      "one that a notice names beside words about others",
      [...SHELL, told("bash_1 is up\nbuild of the page failed")],
      "bash_1 | npm run dev | running",
    ],
    [
      "one whose end the agent was told of in fields",
      [
        ...SHELL,
        told(
          "<task-notification>\n<task-id>bash_1</task-id>\n<status>failed</status>\n<summary>unknown</summary>\n</task-notification>",
        ),
      ],
      "bash_1 | npm run dev | ended",
    ],
    [
      "one whose end the agent was told of",
      [...AGENT, told("<task-notification>agent 019c-77ab completed</task-notification>")],
      "019c-77ab | Look through the logs for leaks | ended",
    ],
    [
      "none for a command that ended, whatever it prints",
      step("t", "Bash", { command: "npm test" }, "server started\nall tests passed, exit code 0"),
      "",
    ],
  ])("%s", (_, messages, expected) => {
    expect(
      running(...messages)
        .map((thing) => thing.join(" | "))
        .join("; "),
    ).toBe(expected);
  });

  test.each<[string, string, object, string, string]>([
    ["was asked for and still runs", "BashOutput", POLLED, "<status>running</status>\nready", "running"],
    ["has ended when it was asked for", "BashOutput", POLLED, "<status>completed</status>\nexit_code 0", "ended"],
    ["was stopped", "KillShell", { shell_id: "bash_1" }, "ok", "ended"],
    ["a command ends by its name", "Bash", { command: "pkill -f 'npm run dev'" }, "", "ended"],
    ["nobody finds any more", "BashOutput", POLLED, "No shell found with that ID; not found", "unknown"],
    ["has such words in its log", "BashOutput", POLLED, "GET /a 200\nunknown option ignored: build failed, done", "running"],
    [
      "runs by its status, whatever its log says",
      "BashOutput",
      POLLED,
      "<status>running</status>\n<stdout>\nprocess 7 exited with code 1\nstatus: failed\n</stdout>",
      "running",
    ],
    [
      "runs, by the line before its output",
      "write_stdin",
      { session_id: "bash_1" },
      "Process running with session ID bash_1\nOutput:\nworker stopped",
      "running",
    ],
    [
      "has ended, by the line before its output",
      "write_stdin",
      { session_id: "bash_1" },
      "Wall time: 2 s\nProcess exited with code 0\nOutput:\nserver is running",
      "ended",
    ],
    [
      "has ended, by the line behind its output",
      "read_bash",
      { shellId: "bash_1" },
      "unknown host, not found\n<command with shellId bash_1 completed with exit code 0>",
      "ended",
    ],
  ])("one that %s", (_, name, args, text, state) => {
    expect(running(...SHELL, ...step("p", name, args, text))).toEqual([["bash_1", "npm run dev", state]]);
  });

  test("are remembered up to a bound; those that ended leave first", () => {
    const many = Array.from({ length: 70 }, (_, at) => [
      call(`x${at}`, "Bash", { command: `serve number ${at}`, run_in_background: true }),
      answer(`x${at}`, `Running in background with ID: bash_${at}`),
      ...(at === 5 ? [call("k", "KillShell", { shell_id: "bash_5" }), answer("k", "ok")] : []),
    ]).flat();
    const ids = running(...many).map(([name]) => name);
    expect([ids.length, ids.includes("bash_5"), ids.includes("bash_69")]).toEqual([60, false, true]);
  });

  test("are looked for at both ends of a long text alone, by what may read it more than once", () => {
    const reading = vi.spyOn(RegExp.prototype, "exec");
    const command = `docker run ${"docker run ".repeat(10_000)}`;
    const things = running(...SHELL, call("x", "Bash", { command, run_in_background: true }), answer("x", "ok"));
    const long = reading.mock.contexts.filter((_, at) => (reading.mock.calls[at]?.[0].length ?? 0) > 4_001);
    reading.mockRestore();
    expect([things.length, long.map(String).filter((source) => /\.\*|\\s\+/.test(source))]).toEqual([2, []]);
  });
});
