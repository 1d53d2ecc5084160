// default-type: the default of an input has the input's type.
import type { FieldType } from "../schema/index.ts";
import { code, defineRule, scalarText } from "./rule.ts";

function typeOf(value: unknown): FieldType | undefined {
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" || type === "object" ? type : undefined;
}

export const defaultType = defineRule({
  name: "default-type",
  severity: "error",
  description: "The `default` of an input has the type that the input declares.",
  example: "input:\n  retries: { type: number, default: three }",
  *check(context) {
    for (const [name, field] of Object.entries(context.workflow.definition.workflow.input ?? {})) {
      if (field.default === undefined || field.default === null) continue;
      const actual = typeOf(field.default);
      if (actual === field.type) continue;
      const path = ["workflow", "input", name, "default"];
      const isText = field.type === "string" && (actual === "number" || actual === "boolean");
      const quoted = JSON.stringify(isText ? scalarText(context.workflow, path, field.default) : "");
      const what = isText
        ? `Put it in quotes to keep it as it is written: ${code(`default: ${quoted}`)}.`
        : `Write a default of type ${field.type}, or change the type.`;
      yield context.finding(
        path,
        `The input ${code(name)} is of type ${field.type}, but its default is ${actual === "array" || actual === "object" ? "an" : "a"} ${actual ?? "unknown value"}. ${what}`,
        { suggestions: isText ? [quoted] : [] },
      );
    }
  },
});
