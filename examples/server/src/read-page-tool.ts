import type Anthropic from "@anthropic-ai/sdk";

/** The specification of the one tool that this service has; put yours here. */
export const READ_PAGE: Anthropic.Tool = {
  name: "read_page",
  description: "Reads a page of the handbook.",
  input_schema: {
    type: "object",
    properties: { page: { type: "integer", description: "The page, from 1." } },
    required: ["page"],
  },
};

/** Lines of a page; some 900 tokens. Chosen. */
const PAGE_LINES = 60;

/** A page of a handbook that says nothing of interest. */
export function readPage(argumentsJson: string): string {
  const { page }: { readonly page?: unknown } = JSON.parse(argumentsJson);
  const lines = Array.from(
    { length: PAGE_LINES },
    (_, line) => `Paragraph ${line + 1} of page ${String(page)}: hold the line as it is drawn.`,
  );
  return [`page ${String(page)}`, ...lines].join("\n");
}
