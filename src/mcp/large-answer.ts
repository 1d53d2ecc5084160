// Keeps answers small: a client puts them before a model. What is too large stays in the run's result, which is a resource.
import type { ResourceLink } from "@modelcontextprotocol/server";
import type { ToolAnswer } from "./session.ts";

/** As JSON, in characters. */
const MOST_CHARACTERS = 50_000;
const MOST_OF_A_PART = 4_000;

/** Of a result that is too large, small parts stay and large ones are left out, by name; the link leads to all of it. */
export function withoutLargeParts(answer: ToolAnswer): ToolAnswer & { readonly link?: ResourceLink } {
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
