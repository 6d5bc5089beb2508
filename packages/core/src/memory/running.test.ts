import { describe, expect, test, vi } from "vitest";
import type { Message } from "../message/message.ts";
import { assistant, callPart, human, result, toolCall } from "../testing/builders.ts";
import { foldFacts, NO_FACTS } from "./facts.ts";

const running = (...messages: readonly Message[]) =>
  messages.reduce(foldFacts, NO_FACTS).running.map(({ name, what, state, lastHeard }) => [name, what, state, lastHeard]);
const call = (id: string, name: string, args: object) => toolCall(id, `c-${id}`, { name, argumentsJson: JSON.stringify(args) });
const answer = (id: string, text: string) => result(`r-${id}`, `c-${id}`, text);

const SHELL = [
  call("a", "Bash", { command: "npm run dev", run_in_background: true }),
  answer("a", "Command running in background with ID: bash_1"),
];
const AGENT = [
  call("g", "spawn_agent", { message: "Look through the logs for leaks" }),
  answer("g", '{"agent_id":"019c-77ab","nickname":"Ada"}'),
];

const TEXT = "To start it:\n\ndocker run -d --name otter postgres:16\n";
const ARGUMENTS = JSON.stringify({ path: "README.md", content: TEXT });
const WRITTEN = assistant("w", [
  callPart("c-w", "Write", { argumentsJson: ARGUMENTS, paths: [{ path: "README.md", access: "modify" }] }),
]);

describe("running things", () => {
  test.each<[string, readonly Message[], readonly unknown[]]>([
    ["a command in the background", SHELL, [["bash_1", "npm run dev", "running", "r-a"]]],
    ["a sub-agent", AGENT, [["019c-77ab", "Look through the logs for leaks", "running", "r-g"]]],
    [
      "a command that a shell leaves behind, which has no name",
      [call("b", "shell", { command: "python -m http.server 8000 &" }), answer("b", "")],
      [[null, "python -m http.server 8000 &", "running", "r-b"]],
    ],
    [
      "one without a name, which a command ends by what started it",
      [
        call("b", "shell", { command: "python -m http.server 8000 &" }),
        answer("b", ""),
        call("k", "shell", { command: "pkill -f http.server" }),
        answer("k", ""),
      ],
      [[null, "python -m http.server 8000 &", "ended", "r-k"]],
    ],
    [
      "a container, by the name that its command gives it",
      [call("d", "bash", { command: "docker run -d --name otter postgres:16" }), answer("d", "9b1f0c4e77d2")],
      [["otter", "docker run -d --name otter postgres:16", "running", "r-d"]],
    ],
    [
      "a container that a command takes away",
      [
        call("d", "bash", { command: "docker run -d --name otter postgres:16" }),
        answer("d", "9b1f0c4e77d2"),
        call("k", "bash", { command: "docker rm -f otter" }),
        answer("k", "otter"),
      ],
      [["otter", "docker run -d --name otter postgres:16", "ended", "r-k"]],
    ],
    [
      "a session of a terminal",
      [call("m", "bash", { command: "tmux new-session -d -s otter 'make serve'" }), answer("m", "")],
      [["otter", "tmux new-session -d -s otter 'make serve'", "running", "r-m"]],
    ],
    [
      "no words of a file that was read",
      [
        call("f", "Read", { file: "state.go" }),
        { ...answer("f", "// The session started at id 15"), category: "file-content" },
      ],
      [],
    ],
    ["no command in a file that is written", [WRITTEN, answer("w", "ok")], []],
    [
      "no words further down in an output",
      [call("f", "Bash", { command: "cat state.go" }), answer("f", "package state\n// the session started at id 15")],
      [],
    ],
    [
      "one that was asked for and still runs",
      [...SHELL, call("p", "BashOutput", { bash_id: "bash_1" }), answer("p", "<status>running</status>\nready")],
      [["bash_1", "npm run dev", "running", "r-p"]],
    ],
    [
      "one that has ended when it was asked for",
      [...SHELL, call("p", "BashOutput", { bash_id: "bash_1" }), answer("p", "<status>completed</status>\nexit_code 0")],
      [["bash_1", "npm run dev", "ended", "r-p"]],
    ],
    [
      "one that was stopped",
      [...SHELL, call("k", "KillShell", { shell_id: "bash_1" }), answer("k", "ok")],
      [["bash_1", "npm run dev", "ended", "r-k"]],
    ],
    [
      "one that a command ends by its name",
      [...SHELL, call("k", "Bash", { command: "pkill -f 'npm run dev'" }), answer("k", "")],
      [["bash_1", "npm run dev", "ended", "r-k"]],
    ],
    [
      "one that nobody finds any more",
      [...SHELL, call("p", "BashOutput", { bash_id: "bash_1" }), answer("p", "No shell found with that ID; not found")],
      [["bash_1", "npm run dev", "unknown", "r-p"]],
    ],
    [
      "one whose log has such words",
      [
        ...SHELL,
        call("p", "BashOutput", { bash_id: "bash_1" }),
        answer("p", "GET /a 200\nunknown option ignored: build failed, done"),
      ],
      [["bash_1", "npm run dev", "running", "r-p"]],
    ],
    [
      "one that runs, by its status, whatever its log says",
      [
        ...SHELL,
        call("p", "BashOutput", { bash_id: "bash_1" }),
        answer("p", "<status>running</status>\n<stdout>\nprocess 7 exited with code 1\nstatus: failed\n</stdout>"),
      ],
      [["bash_1", "npm run dev", "running", "r-p"]],
    ],
    [
      "one that runs, by the line before its output",
      [
        ...SHELL,
        call("p", "write_stdin", { session_id: "bash_1" }),
        answer("p", "Process running with session ID bash_1\nOutput:\nworker stopped"),
      ],
      [["bash_1", "npm run dev", "running", "r-p"]],
    ],
    [
      "one that has ended, by the line before its output",
      [
        ...SHELL,
        call("p", "write_stdin", { session_id: "bash_1" }),
        answer("p", "Wall time: 2 s\nProcess exited with code 0\nOutput:\nserver is running"),
      ],
      [["bash_1", "npm run dev", "ended", "r-p"]],
    ],
    [
      "one that has ended, by the line behind its output",
      [
        ...SHELL,
        call("p", "read_bash", { shellId: "bash_1" }),
        answer("p", "unknown host, not found\n<command with shellId bash_1 completed with exit code 0>"),
      ],
      [["bash_1", "npm run dev", "ended", "r-p"]],
    ],
    [
      "two that one call asks for",
      [
        ...SHELL,
        ...AGENT,
        call("p", "wait", { ids: ["bash_1", "019c-77ab"] }),
        answer("p", '{"status":{"bash_1":"running","019c-77ab":{"completed":"no job was killed"}},"timed_out":false}'),
      ],
      [
        ["bash_1", "npm run dev", "running", "r-p"],
        ["019c-77ab", "Look through the logs for leaks", "ended", "r-p"],
      ],
    ],
    [
      "one that a notice names beside words about others",
      [...SHELL, { ...human("n", "bash_1 is up\nbuild of the page failed"), origin: "injected" }],
      [["bash_1", "npm run dev", "running", "n"]],
    ],
    [
      "one whose end the agent was told of in fields",
      [
        ...SHELL,
        {
          ...human(
            "n",
            "<task-notification>\n<task-id>bash_1</task-id>\n<status>failed</status>\n<summary>unknown</summary>\n</task-notification>",
          ),
          origin: "injected",
        },
      ],
      [["bash_1", "npm run dev", "ended", "n"]],
    ],
    [
      "one whose end the agent was told of",
      [...AGENT, { ...human("n", "<task-notification>agent 019c-77ab completed</task-notification>"), origin: "injected" }],
      [["019c-77ab", "Look through the logs for leaks", "ended", "n"]],
    ],
    [
      "none for a command that ended, whatever it prints",
      [call("t", "Bash", { command: "npm test" }), answer("t", "server started\nall tests passed, exit code 0")],
      [],
    ],
  ])("%s", (_, messages, expected) => {
    expect(running(...messages)).toEqual(expected);
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
