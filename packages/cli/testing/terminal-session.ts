import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";

/** A program in a terminal of its own. */
interface TerminalSession {
  readonly pid: number;
  /** Types a line and the return key. */
  type(line: string): void;
  /** Presses keys, without the return key. */
  press(keys: string): void;
  /** Presses Ctrl-C. */
  interrupt(): void;
  /** Resolves to the output since the last wait, up to and with the text; rejects if the program ends without it. */
  waitFor(text: string): Promise<string>;
  /** All that was said, without colours and cursor moves. */
  said(): string;
  readonly end: Promise<TerminalEnd>;
}

/** How the program ended. */
interface TerminalEnd {
  readonly exitCode: number;
  /** The number of the signal that ended it, or 0. */
  readonly signal: number;
}

/** The program to run, and its folder. */
interface TerminalProgram {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: { readonly [name: string]: string };
}

/** A terminal as people have it, when they have a small one. */
const SIZE = { cols: 80, rows: 24 } as const;
const CTRL_C = "\u0003";

interface Waiter {
  readonly text: string;
  readonly resolve: (said: string) => void;
  readonly reject: (error: Error) => void;
}

/** Starts one of node's programs in a pseudo-terminal of 80 columns. */
export function openTerminal({ args, cwd, env = {} }: TerminalProgram): TerminalSession {
  const child = spawn(process.execPath, [...args], { ...SIZE, cwd, env: { PATH: process.env.PATH, HOME: cwd, ...env } });
  let raw = "";
  let readChars = 0;
  let waiter: Waiter | null = null;
  const check = () => {
    if (waiter === null) return;
    const said = stripVTControlCharacters(raw);
    const at = said.indexOf(waiter.text, readChars);
    if (at < 0) return;
    const end = at + waiter.text.length;
    const { resolve } = waiter;
    waiter = null;
    resolve(said.slice(readChars, end));
    readChars = end;
  };
  child.onData((text) => {
    raw += text;
    check();
  });
  const end = new Promise<TerminalEnd>((resolve) => {
    child.onExit(({ exitCode, signal = 0 }) => {
      waiter?.reject(new Error(`the program ended before it said "${waiter.text}":\n${stripVTControlCharacters(raw)}`));
      resolve({ exitCode, signal });
    });
  });
  return {
    pid: child.pid,
    type: (line) => child.write(`${line}\r`),
    press: (keys) => child.write(keys),
    interrupt: () => child.write(CTRL_C),
    waitFor: (text) =>
      new Promise((resolve, reject) => {
        waiter = { text, resolve, reject };
        check();
      }),
    said: () => stripVTControlCharacters(raw),
    end,
  };
}
