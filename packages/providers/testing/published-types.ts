import { fileURLToPath } from "node:url";
import type Anthropic from "@anthropic-ai/sdk";
import type { Content, Part } from "@google/genai";
import type { ContentBlock, MessageContentComplex } from "@langchain/core/messages";
import type { AgentInputItem } from "@openai/agents-core";
import type { LanguageModelMiddleware } from "ai";
import type { LanguageModelMiddleware as LanguageModelMiddleware7 } from "ai-7";
import type OpenAI from "openai";
import { API, type Checker, SymbolFlags, type Type, TypeFlags, type Symbol as TypeSymbol } from "typescript/unstable/sync";

/** Each member of a vendor's part by itself: of all its optional fields a part has one. */
type OneOf<Whole> = { [Key in keyof Whole]-?: Required<Pick<Whole, Key>> }[keyof Whole];

/** Items of arrays and their parts as the SDKs publish them; the keys are the names of the kinds of arrays. */
export interface PublishedItems {
  readonly "Anthropic messages": Anthropic.MessageParam;
  readonly "Chat Completions messages": OpenAI.ChatCompletionMessageParam;
  readonly "Responses items": OpenAI.Responses.ResponseInputItem;
  readonly "Gemini contents": Content | { readonly role: "user" | "model"; readonly parts: readonly [OneOf<Part>] };
  readonly "LangChain messages": ContentBlock.Standard | MessageContentComplex;
  readonly "OpenAI Agents items": AgentInputItem;
  readonly "AI SDK prompts": Parameters<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>[0]["params"]["prompt"][number];
  readonly "AI SDK 7 prompts": Parameters<NonNullable<LanguageModelMiddleware7["wrapGenerate"]>>[0]["params"]["prompt"][number];
}

/** The values of a union's members, and the types, of members or inside them, without a value. */
export interface PublishedValues {
  readonly members: readonly { readonly name: string; readonly values: readonly unknown[] }[];
  readonly unmade: readonly string[];
}

const FILE = fileURLToPath(import.meta.url);
const PROJECT = fileURLToPath(new URL("../tsconfig.json", import.meta.url));

/** Levels below an item at which each choice is made once; deeper ones are as small as they can be. */
const CHOICE_LEVELS = 3;

/** Levels below an item at which arrays are empty, for types that hold themselves. */
const LAST_LEVEL = 8;

/** Reads all kinds' types as they are installed. */
export function publishedValues(): ReadonlyMap<string, PublishedValues> {
  const api = new API();
  try {
    const [project] = api.updateSnapshot({ openProjects: [PROJECT] }).getProjects();
    const symbol = project?.checker.resolveName("PublishedItems", SymbolFlags.Interface, { document: FILE, position: 0 });
    if (project === undefined || symbol === undefined) throw new Error("the types of the items were not found");
    const { checker } = project;
    const kinds = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol));
    return new Map(kinds.map((kind) => [kind.name, valuesOf(typeOf(checker, kind), checker)] as const));
  } finally {
    api.close();
  }
}

function typeOf(checker: Checker, symbol: TypeSymbol): Type {
  return checker.getTypeOfSymbol(symbol) ?? checker.getUnknownType();
}

function valuesOf(union: Type, checker: Checker): PublishedValues {
  const unmade = new Set<string>();
  const members = (union.isUnionType() ? union.getTypes() : [union]).map((type) => {
    const name = checker.typeToString(type);
    return { name, values: choices({ checker, type, level: 0, unmade }) };
  });
  return { members, unmade: [...unmade] };
}

interface Place {
  readonly checker: Checker;
  readonly type: Type;
  readonly level: number;
  /** Takes the types without a value. */
  readonly unmade: Set<string>;
}

/** A type's values: the fullest first, then each optional absent once, and each other choice of a field once. None for a type that has no plain value. */
function choices(place: Place): readonly unknown[] {
  const { checker, type, level } = place;
  const plain = plainValue(type);
  if (plain !== null) return plain;
  if (type.isUnionType()) {
    const some = new Set(type.getTypes().flatMap((each) => choices({ ...place, type: each })));
    return level > CHOICE_LEVELS ? [...some].slice(0, 1) : [...some];
  }
  if (type.isTupleType() || checker.isArrayLikeType(type)) {
    if (level >= LAST_LEVEL) return [[]];
    const [item] = type.isTypeReference() ? checker.getTypeArguments(type) : [];
    return item === undefined ? [[]] : choices({ ...place, type: item, level: level + 1 }).map((each) => [each]);
  }
  const made = type.isObjectType() || type.isIntersectionType() ? objects(place) : [];
  if (made.length === 0) place.unmade.add(checker.typeToString(type));
  return made;
}

const WORD = "x";

/** Values of types that have no fields of their own; `null` for any other type. */
function plainValue(type: Type): readonly unknown[] | null {
  const { flags } = type;
  if (flags & (TypeFlags.Undefined | TypeFlags.Never | TypeFlags.Void)) return [];
  if (type.isLiteralType()) return [type.value];
  if (flags & TypeFlags.Null) return [null];
  if (flags & (TypeFlags.AnyOrUnknown | TypeFlags.StringLike)) return [WORD];
  if (flags & TypeFlags.NumberLike) return [1];
  if (flags & TypeFlags.BooleanLike) return [true];
  switch (type.getSymbol()?.name) {
    case "Uint8Array":
    case "Buffer":
      return [new Uint8Array([1])];
    case "ArrayBuffer":
      return [new Uint8Array([1]).buffer];
    case "URL":
      return [new URL("https://x.example/x")];
    default:
      return null;
  }
}

/** Arguments of calls that vendors take; `null` for any other field. */
function argumentValues(name: string, { flags }: Type): readonly unknown[] | null {
  if (name === "arguments") return flags & TypeFlags.StringLike ? ["{}"] : [{}];
  return (name === "input" || name === "args") && !(flags & TypeFlags.StringLike) ? [{}] : null;
}

function objects(place: Place): readonly unknown[] {
  const { checker, type, level } = place;
  const fields = checker.getPropertiesOfType(type).map((field) => {
    const isLast = level >= LAST_LEVEL;
    const known = argumentValues(field.name, typeOf(checker, field));
    const values =
      known !== null ? known : isLast ? [WORD] : choices({ ...place, type: typeOf(checker, field), level: level + 1 });
    return { name: field.name, values, isOptional: (field.flags & SymbolFlags.Optional) !== 0 };
  });
  if (fields.some(({ values, isOptional }) => values.length === 0 && !isOptional)) return [];
  const known = fields.filter(({ values }) => values.length > 0);
  const fullest = Object.fromEntries(known.map(({ name, values: [first] }) => [name, first]));
  if (level > CHOICE_LEVELS) return [fullest];
  const less = known.flatMap(({ name, isOptional }) => (isOptional ? [without(fullest, name)] : []));
  const others = known.flatMap(({ name, values }) => values.slice(1).map((each) => ({ ...fullest, [name]: each })));
  return [fullest, ...less, ...others];
}

function without(whole: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name));
}
