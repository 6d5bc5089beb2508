import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Job } from "kubernetes-models/batch/v1";
import { beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const fileOf = (name: string) => fileURLToPath(new URL(`../../../../examples/deploy/${name}`, import.meta.url));
const jobText = readFileSync(fileOf("kubernetes/job.yaml"), "utf8");

/** The parts of the Job that are looked at here; the published schema has all of it. */
const jobForm = z.looseObject({
  spec: z.looseObject({
    completions: z.int(),
    template: z.looseObject({
      spec: z.looseObject({
        containers: z.tuple([
          z.looseObject({
            command: z.array(z.string()),
            args: z.array(z.string()),
            env: z.array(z.object({ name: z.string(), value: z.string() })),
          }),
        ]),
      }),
    }),
  }),
});
const { spec } = jobForm.parse(parse(jobText));
const [container] = spec.template.spec.containers;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-deploy-"));
});

/** Puts a program of this name in front of the others, which says how it was called and ends with a code. */
function standIn(name: string, code = 0): void {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\necho "${name} $*"\nexit ${code}\n`);
  chmodSync(file, 0o755);
}

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const path = `${folder}${delimiter}${process.env.PATH ?? ""}`;
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", env: { ...env, PATH: path } });
  return { status, lines: stdout.trim().split("\n"), stderr };
}

describe("the Kubernetes Job", () => {
  test("fits the published schema", () => {
    expect(() => new Job(parse(jobText)).validate()).not.toThrow();
  });

  test.each([
    ["a number as text", "completions: 200", 'completions: "200"'],
    ["a list that is none", 'command: ["/bin/sh", "-c"]', "command: /bin/sh"],
    ["no pod", "  template:", "  pod:"],
  ])("would not fit it with %s", (_, was, wrong) => {
    expect(jobText).toContain(was);
    expect(() => new Job(parse(jobText.split(was).join(wrong))).validate()).toThrow();
  });

  test("starts each part once, from the first to the last", () => {
    standIn("plimsoll");
    const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    expect(env.PARTS).toBe(String(spec.completions));
    const [program = "", ...flags] = container.command;
    const shards = [0, spec.completions - 1].map((index) => {
      const { status, lines } = run(program, [...flags, ...container.args], { ...env, JOB_COMPLETION_INDEX: String(index) });
      expect(status).toBe(0);
      return /--shard (\S+)/.exec(lines[0] ?? "")?.[1];
    });
    expect(shards).toEqual([`1/${spec.completions}`, `${spec.completions}/${spec.completions}`]);
  });
});

describe("the Slurm array", () => {
  const task = { SESSIONS: "/s", RESULTS: "/r", SLURM_ARRAY_JOB_ID: "9", SLURM_ARRAY_TASK_ID: "7", SLURM_ARRAY_TASK_MAX: "31" };
  const script = fileOf("slurm/bench.sbatch");

  test("runs a task's part with the options of the submission", () => {
    standIn("plimsoll");
    const { status, lines } = run("bash", [script, "-p", "none"], task);
    expect({ status, lines }).toEqual({
      status: 0,
      lines: ["plimsoll bench /s --shard 7/31 --jobs 1 --state /r/part-7.jsonl --out /r -p none"],
    });
  });

  test("keeps the number of parts if some are run again", () => {
    standIn("plimsoll");
    expect(run("bash", [script], { ...task, PARTS: "200" }).lines[0]).toContain("--shard 7/200 ");
  });

  test.each([
    ["a part that failed is tried again", 1, "2", ["scontrol requeue 9_7"]],
    ["and not more than so often", 1, "3", []],
    ["a mistake in the command line is not", 2, "0", []],
    ["nor what ended well", 0, "0", []],
  ])("%s", (_, code, restarts, expected) => {
    standIn("plimsoll", code);
    standIn("scontrol");
    const { status, lines } = run("bash", [script], { ...task, SLURM_RESTART_COUNT: restarts });
    expect(status).toBe(code);
    expect(lines.slice(1)).toEqual(expected);
  });

  test.each([
    ["a folder of sessions", { RESULTS: "/r" }, "SESSIONS: name the folder of sessions"],
    ["an array", { SESSIONS: "/s", RESULTS: "/r" }, "submit it as an array: --array=1-N"],
  ])("says what is missing without %s", (_, env, line) => {
    const { status, stderr } = run("bash", [script], env);
    expect(status).not.toBe(0);
    expect(stderr).toContain(line);
  });
});
