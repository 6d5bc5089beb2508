/** The arguments of a call, or why they are none. Nothing at all counts as an empty object: some models send that. */
export function parseArguments(argumentsJson: string): { readonly value: unknown } | { readonly problem: string } {
  if (argumentsJson.trim() === "") return { value: {} };
  try {
    return { value: JSON.parse(argumentsJson) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
