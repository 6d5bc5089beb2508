/** The outline that a summary must follow: each title as a heading, in order. Empty for a summary without sections. */
export function outline(sections: readonly string[]): string {
  return sections.map((title) => `## ${title}`).join("\n\n");
}
