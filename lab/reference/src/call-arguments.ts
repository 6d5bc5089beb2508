/** Programs keep a call's arguments as an object; what is none is kept under one name. */
export function argumentsOf(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
    return { input: value };
  } catch {
    // A model may write arguments that are no JSON.
    return { input: json };
  }
}
