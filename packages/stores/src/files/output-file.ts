import { randomUUID } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { PlimsollError } from "@plimsoll/core";

/** How an output is written: over an old file or anew, or into a device or a pipe, which stays. */
type Standing = { readonly kind: "file"; readonly before: Stats | null } | { readonly kind: "stream" };

/** The system's own folder of devices: `/dev/stdout` is a link, and naming it says where it leads. */
const DEVICES = "/dev/";

/**
 * Checks the path of an output, so that nothing is destroyed. Throws `bad-input` for a folder, a disk, a file without write permission, and a link: name its target
 * instead.
 */
export function checkOutput(path: string): Standing {
  const before = standingAt(path);
  if (before === null) {
    if (existsSync(dirname(path))) return { kind: "file", before };
    throw unwritable(path, `there is no folder ${dirname(path)}; make it first`);
  }
  if (before.isSymbolicLink()) {
    if (resolve(path).startsWith(DEVICES)) return { kind: "stream" };
    const target = resolve(dirname(path), readlinkSync(path));
    throw unwritable(path, `it is a link; name ${target} itself if it is meant`);
  }
  if (before.isCharacterDevice() || before.isFIFO()) return { kind: "stream" };
  if (before.isDirectory()) throw unwritable(path, "it is a folder");
  if (!before.isFile()) throw unwritable(path, "it is a disk or a socket");
  try {
    accessSync(path, constants.W_OK);
  } catch (cause) {
    throw unwritable(path, "it is read-only for you", cause);
  }
  return { kind: "file", before };
}

function standingAt(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (cause) {
    throw unwritable(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/** A file that is on its way into its place. */
interface PendingFile {
  /** The name that it has until then: in the same folder, made just now, and not to be guessed. */
  readonly temporary: string;
  /** Puts it into its place. Permissions of the old file stay. */
  commit(): void;
  /** Leaves nothing behind. */
  discard(): void;
}

/** Makes a temporary file for another program to fill; `commit` renames it to `path`. Throws `bad-input` as {@link checkOutput} does, and for devices and pipes. */
export function beginOutput(path: string, mode: number = NEW_FILE_MODE): PendingFile {
  const standing = checkOutput(path);
  if (standing.kind === "stream") throw unwritable(path, "it is a device or a pipe");
  const { temporary, file } = create(path, standing.before, mode);
  keepRights(file, standing.before);
  closeSync(file);
  return { temporary, commit: () => renameSync(temporary, path), discard: () => rmSync(temporary, { force: true }) };
}

/** Exclusive: anything under the temporary name already, a link to elsewhere included, is not opened. */
function create(path: string, before: Stats | null, mode: number): { readonly temporary: string; readonly file: number } {
  const temporary = temporaryName(path);
  return { temporary, file: openSync(temporary, "wx", before === null ? mode : OWNER_ONLY) };
}

/** A name beside a file's own that cannot be guessed, and that names the process that wrote it. */
export function temporaryName(path: string): string {
  return `${path}.${process.pid}.${randomUUID()}.tmp`;
}

const NEW_FILE_MODE = 0o666;
const OWNER_ONLY = 0o600;
const MODE_BITS = 0o777;

function keepRights(file: number, before: Stats | null): void {
  if (before === null) return;
  try {
    fchownSync(file, before.uid, before.gid);
  } catch {
    // Only the system's owner may give a file away; for all others it is theirs already.
  }
  fchmodSync(file, before.mode & MODE_BITS);
}

/**
 * Writes a file under another name next to it and renames it, so that no reader ever sees half of it; a device or a pipe is written to. Ctrl-C cannot interrupt it, since
 * it awaits nothing. It creates no missing folder: such a name is more often a typo. It takes a long text in pieces, never all at once. Throws `bad-input` if the place
 * cannot be written to, as {@link checkOutput} says.
 */
export function writeWholeFile(path: string, text: string | Iterable<string>, mode: number = NEW_FILE_MODE): void {
  const pieces = typeof text === "string" ? [text] : text;
  const standing = checkOutput(path);
  try {
    if (standing.kind === "stream") writeStream(path, pieces);
    else replaceFile(path, pieces, { before: standing.before, mode });
  } catch (cause) {
    throw unwritable(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function replaceFile(
  path: string,
  pieces: Iterable<string>,
  { before, mode }: { readonly before: Stats | null; readonly mode: number },
): void {
  const { temporary, file } = create(path, before, mode);
  try {
    writePieces(file, pieces, () => keepRights(file, before));
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw cause;
  }
}

/** Opening a pipe without a reader would wait for ever, and Ctrl-C with it: it is opened without waiting first, which fails then. */
function writeStream(path: string, pieces: Iterable<string>): void {
  const isPipe = statSync(path).isFIFO();
  const probe = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_APPEND);
  try {
    writePieces(isPipe ? openSync(path, constants.O_WRONLY | constants.O_APPEND) : openSync(path, "a"), pieces);
  } finally {
    closeSync(probe);
  }
}

/** Characters that are written at a time; chosen. */
const WRITTEN_CHARS = 1 << 20;

function writePieces(file: number, pieces: Iterable<string>, finish: () => void = () => undefined): void {
  try {
    let held = "";
    for (const piece of pieces) {
      held += piece;
      if (held.length < WRITTEN_CHARS) continue;
      writeFileSync(file, held);
      held = "";
    }
    writeFileSync(file, held);
    finish();
  } finally {
    closeSync(file);
  }
}

function unwritable(path: string, reason: string, cause?: unknown): PlimsollError {
  return new PlimsollError("bad-input", `${path}: cannot be written (${reason})`, { file: path }, cause);
}
