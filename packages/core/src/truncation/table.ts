import type { OutputCategory } from "../tool.ts";
import { cutFileContent } from "./file-content.ts";
import { cutGeneric } from "./generic.ts";
import { cutHeadTail } from "./head-tail.ts";
import { cutMatchList } from "./match-list.ts";
import type { Cutter } from "./span.ts";

/** How each category of output is cut. */
export const CUTTERS: Readonly<Record<OutputCategory, Cutter>> = {
  "head-tail": cutHeadTail,
  "match-list": cutMatchList,
  "file-content": cutFileContent,
  generic: cutGeneric,
};
