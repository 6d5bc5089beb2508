/** A prompt for summaries. A change of its wording raises its version. */
export interface Prompt {
  readonly id: string;
  readonly version: number;
  /** What the model is asked to write, given the titles of the policy's sections. */
  instructions(sections: readonly string[]): string;
}

/** The outline that a summary must follow: each title as a heading, in order. Empty for a summary without sections. */
export function outline(sections: readonly string[]): string {
  return sections.map((title) => `## ${title}`).join("\n\n");
}
