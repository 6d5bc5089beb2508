import { type CliIo, programOf, tell } from "@plimsoll/bench/terminal";
import { EXIT_INTERRUPTED } from "./io.ts";

/** Takes the progress bar's line away and shows the cursor again. */
const BAR_GONE = "\r\u001b[K\u001b[?25h";

const PLAIN_WORD = /^[\w@%+=:,./~-]+$/;

/** A command line as a shell takes it, behind the words that the person started the program with. */
export function commandLine(argv: readonly string[], environment: CliIo["environment"] = {}): string {
  const words = argv.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.split("'").join("'\\''")}'`));
  return [programOf({ environment }), ...words].join(" ");
}

/**
 * Lets Ctrl-C end a command whose finished work is kept: it prints how to go on, and ends the process at once, with work under way. Returns a
 * function that stops listening. Files are written in one piece (`writeWholeFile`), so that none is half there.
 */
export function endOnInterrupt(argv: readonly string[], { onInterrupt, exit, stderr, environment }: CliIo): () => void {
  if (onInterrupt === undefined || exit === undefined) return () => undefined;
  return onInterrupt(() => {
    if (stderr.isTTY === true) stderr.write(BAR_GONE);
    tell({ stderr }, "stopped; finished work is kept for two weeks. Continue with:");
    stderr.write(`  ${commandLine(argv, environment)}\n`);
    exit(EXIT_INTERRUPTED);
  });
}
