// An answer of a tool in MCP's form, and small: a client puts it before a model. What is too large stays in the run's
// result, which is a resource.
import type { CallToolResult, ResourceLink } from "@modelcontextprotocol/server";
import { isMapping } from "../errors/mapping.ts";
import { listedNames } from "../errors/nearest.ts";
import { plainEntry } from "../results/entry.ts";
import { cutTo } from "./said.ts";
import type { ToolAnswer } from "./session.ts";

export function inForm(answer: ToolAnswer): CallToolResult {
  const { object, text, isError, link } = withoutLargeParts(withoutLongEchoes(withEntry(answer)));
  return {
    content: [{ type: "text", text }, ...(link ? [link] : [])],
    structuredContent: { ...object },
    ...(isError ? { isError } : {}),
  };
}

/** What failed always has an entry in `errors`, also where other fields say what it was: failing scenarios, open letters. */
function withEntry(answer: ToolAnswer): ToolAnswer {
  const { object } = answer;
  const { success, error, errors } = object;
  if (success !== false || typeof error !== "string" || !Array.isArray(errors) || errors.length > 0) return answer;
  const lists = Object.keys(object).filter((name) => Array.isArray(object[name]) && object[name].length > 0);
  const hint = lists.length === 0 ? {} : { hint: `What failed is in ${listedNames(lists, "and")}.` };
  return { ...answer, object: { ...object, errors: [plainEntry({ message: error, fixable: true, ...hint })] } };
}

const MOST_ECHOED = 1000;

/** A refusal names what it was given, which may be of any length. */
function withoutLongEchoes(answer: ToolAnswer): ToolAnswer {
  const { object, text } = answer;
  if (object.status !== "invalid" && !isRefusal(object.errors)) return answer;
  const short = (line: string): string =>
    line.length > MOST_ECHOED ? `${cutTo(MOST_ECHOED, line)} … (${line.length} characters)` : line;
  const shortIn = (value: unknown): unknown => {
    if (typeof value === "string") return short(value);
    if (Array.isArray(value)) return value.map(shortIn);
    return isMapping(value)
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [short(name), shortIn(one)]))
      : value;
  };
  return { ...answer, object: shortIn(object) as ToolAnswer["object"], text: text.split("\n").map(short).join("\n") };
}

const isRefusal = (errors: unknown): boolean =>
  Array.isArray(errors) && errors.some((entry) => isMapping(entry) && entry.category === "input_validation");

/** As JSON, in characters. */
const MOST_CHARACTERS = 50_000;
const MOST_OF_A_PART = 4_000;

/** Of a result that is too large, small parts stay and large ones are left out, by name; the link leads to all of it. */
function withoutLargeParts(answer: ToolAnswer): ToolAnswer & { readonly link?: ResourceLink } {
  const { object, text } = answer;
  const { run_id: run } = object;
  if (typeof run !== "string" || !("checkpoint" in object) || sizeOf(object) <= MOST_CHARACTERS) return answer;
  const uri = `segno://runs/${run}/result`;
  const leftOut: string[] = [];
  const small = Object.entries(object).map(([name, value]) => {
    if (sizeOf(value) <= MOST_OF_A_PART) return [name, value];
    leftOut.push(name);
    return [name, Array.isArray(value) ? firstOf(value) : null];
  });
  return {
    ...answer,
    object: { ...Object.fromEntries(small), left_out: leftOut, resource: uri },
    text: `${text}\nThe whole result is the resource ${uri}; left out here: ${leftOut.join(", ")}.`,
    link: { type: "resource_link", uri, name: `${run} result`, mimeType: "application/json" },
  };
}

/** As many as there is room for; of errors the first are what matters. */
function firstOf(values: readonly unknown[]): readonly unknown[] {
  let size = 0;
  return values.filter((value) => {
    size += sizeOf(value);
    return size <= MOST_OF_A_PART;
  });
}

const sizeOf = (value: unknown): number => (JSON.stringify(value) ?? "").length;
