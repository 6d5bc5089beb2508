import process from "node:process";
import { createInterface } from "node:readline";

/** The person's input; one without raw mode is a pipe. */
export interface TypedInput extends NodeJS.ReadableStream {
  readonly setRawMode?: (isRaw: boolean) => unknown;
}

/** Lines that a person types. */
export interface TypedLines {
  /** Forgets all typed input so far, half a line included: a consent comes after the text it consents to. Resolves when nothing came for a moment. */
  forget(): Promise<void>;
  close(): void;
}

interface TypedLinesOptions {
  readonly onLine: (line: string) => void;
  /** The input has ended. */
  readonly onClose?: () => void;
  readonly moment?: () => Promise<void>;
}

/** How long nothing must come until all that was typed before is there; chosen: a line over a far network takes less. */
const MOMENT_MS = 150;
const CTRL_C = "\u0003";

/** Reads the lines of an input until it is closed. */
export function openTypedLines(input: TypedInput, { onLine, onClose, moment = aMoment }: TypedLinesOptions): TypedLines {
  const lines = createInterface({ input, terminal: false });
  let forgetting = 0;
  lines.on("line", (line) => {
    if (forgetting === 0) onLine(line);
  });
  if (onClose !== undefined) lines.once("close", onClose);
  return {
    forget: async () => {
      forgetting += 1;
      // The terminal holds half a line back until it is raw, and so it holds keys that are signals.
      input.setRawMode?.(true);
      let hasCome = true;
      const hear = (typed: unknown) => {
        hasCome = true;
        if (String(typed).includes(CTRL_C)) process.kill(process.pid, "SIGINT");
      };
      input.on("data", hear);
      try {
        while (hasCome) {
          hasCome = false;
          await moment();
        }
        // Ends the half line that the reader holds.
        lines.write("\n");
      } finally {
        input.removeListener("data", hear);
        input.setRawMode?.(false);
        forgetting -= 1;
      }
    },
    close: () => lines.close(),
  };
}

function aMoment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, MOMENT_MS));
}

interface AskedPlace {
  readonly input: TypedInput;
  readonly output: { write(text: string): unknown };
  /** Resolves when everything that was said before is on the screen. */
  readonly shown: () => Promise<void>;
  readonly moment?: () => Promise<void>;
}

/** Asks a question that is answered with yes or no. Text typed before it is no answer, and neither is the input's end. */
export async function askYesNo(question: string, { input, output, shown, moment }: AskedPlace): Promise<boolean> {
  let take = (_answer: string): void => undefined;
  const answer = new Promise<string>((resolve) => {
    take = resolve;
  });
  const lines = openTypedLines(input, {
    onLine: (line) => take(line),
    onClose: () => take(""),
    ...(moment === undefined ? {} : { moment }),
  });
  try {
    await shown();
    await lines.forget();
    output.write(question);
    return /^y(es)?$/i.test((await answer).trim());
  } finally {
    lines.close();
    // An input that is still open would keep the process alive.
    input.pause();
  }
}
