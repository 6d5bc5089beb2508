import type { BenchExtension } from "@plimsoll/bench";
import { installedPrograms } from "./programs.ts";

/** The programs that are installed, for `plimsoll bench --with`. */
const extension: BenchExtension = { programs: installedPrograms() };
export default extension;
