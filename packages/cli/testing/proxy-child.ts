import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";

/** A proxy as a process of its own, that can be killed. */
export interface ProxyChild {
  readonly url: string;
  readonly child: ChildProcess;
  printed(): string;
  /** Resolves once this was printed. */
  saw(words: string): Promise<void>;
  /** Kills it by SIGKILL and waits until it is gone. */
  kill(): Promise<void>;
}

const LOADER = new URL("../../../scripts/typescript-loader.mjs", import.meta.url).href;
const PROGRAM = `
import { main } from ${JSON.stringify(new URL("../src/main.ts", import.meta.url).href)};
import { processIo } from ${JSON.stringify(new URL("../src/io.ts", import.meta.url).href)};
process.exitCode = await main(process.argv.slice(1), processIo());
`;

/** Starts `plimsoll proxy` from the sources; resolves when it listens. */
export async function startProxyChild(args: readonly string[], cwd: string): Promise<ProxyChild> {
  const own = ["--conditions=source", "--import", LOADER, "--input-type=module", "-e", PROGRAM, "--", "proxy", ...args];
  const child = spawn(process.execPath, own, { cwd, env: { ...process.env, HOME: cwd }, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  const waiting = new Map<string, () => void>();
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    for (const [words, done] of waiting) if (text.includes(words)) done();
  });
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const saw = (words: string) =>
    new Promise<void>((resolve) => {
      waiting.set(words, resolve);
    });
  await Promise.race([saw("export ANTHROPIC_BASE_URL="), gone]);
  return {
    url: /ANTHROPIC_BASE_URL=(\S+)/.exec(text)?.[1] ?? "",
    child,
    printed: () => text,
    saw,
    kill: async () => {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
