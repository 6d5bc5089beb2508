/** The wording of the lines that stand where output was cut. */
export const OMISSION_NOTICE = { id: "omission-notice", version: 1 } as const;

/** How much a notice says: everything, everything but the tool's hint, the bytes alone, or nothing. */
export const NOTICE_FORMS = ["with-hint", "full", "short", "none"] as const;

/** One of {@link NOTICE_FORMS}. */
export type NoticeForm = (typeof NOTICE_FORMS)[number];

/** What a gap leaves out. `lines` are those of which nothing is left. */
export interface Omission {
  readonly lines: number;
  readonly bytes: number;
}

/** The notice of one gap, without line ends around it; empty for the form `none`. `hint` is the tool's advice how to see the rest. */
export function omissionNotice(form: NoticeForm, { lines, bytes }: Omission, hint: string | null): string {
  const short = `[… ${bytes} bytes omitted]`;
  const full = lines === 0 ? short : `[… ${lines} ${lines === 1 ? "line" : "lines"} / ${bytes} bytes omitted]`;
  switch (form) {
    case "with-hint":
      return hint === null ? full : `${full}\n[… ${hint}]`;
    case "full":
      return full;
    case "short":
      return short;
    case "none":
      return "";
    default:
      return form satisfies never;
  }
}
