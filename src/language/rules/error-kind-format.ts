import { isKind, isSelectorWord } from "../../base/errors/index.ts";
import { kindLists, meantKinds } from "./kinds.ts";
import { eachRoute, isStoodIn } from "./parts-of-file.ts";
import { code, defineRule } from "./rule.ts";

const FORM = "a dotted lower-case name such as `external.git.drift`";

/** The word with the letters that a kind may have. */
const lowered = (word: string): string =>
  word
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[\s/:-]+/g, "_");

/** Of a word without a dot in `raises`: the author's to choose, so it is an example. */
function asExample(word: string): string {
  const kind = `external.${lowered(word)}`;
  return isKind(kind) ? ` For example: ${code(kind)}.` : "";
}

function suggested(word: string, raising: boolean, raised: readonly string[]): readonly string[] {
  const meant = raising ? [] : meantKinds(word, raised);
  if (meant.length > 0) return meant;
  const lower = lowered(word);
  return isKind(lower) && lower !== word ? [lower] : [];
}

export const errorKindFormat = defineRule({
  name: "error-kind-format",
  severity: "error",
  description:
    "A kind is a dotted lower-case name with at least one dot. `on_error` takes a kind, `prefix.*`, a list of these, or `true`; `raises` takes kinds only.",
  example: "routes:\n  - to: $end\n  - { on_error: drift, to: handler }",
  *check(context) {
    const raisedBy = (name: string | undefined): readonly string[] => {
      const node = name === undefined ? undefined : context.facts.nodes.get(name);
      return node ? context.facts.raises(node).map(({ kind }) => kind) : [];
    };
    for (const { role, path, value, words, node } of kindLists(context)) {
      if (role === "on_error" && value === false)
        yield context.finding(
          path,
          "`on_error: false` would match no error. Leave `on_error` out for a success route, or say `on_error: true` for every error.",
          { node, suggestions: ["true"] },
        );
      if (role === "on_error" && Array.isArray(value) && value.length === 0)
        yield context.finding(
          path,
          "`on_error: []` would match no error. Name the kinds that this route is for, or say `on_error: true` for every error.",
          { node, suggestions: ["true"] },
        );
      const raising = role === "raises" || role === "raise_when";
      for (const { word, path: at } of words) {
        if (raising ? isKind(word) : isSelectorWord(word)) continue;
        yield context.finding(
          at,
          raising && word.includes("*")
            ? `${code(word)} is a pattern, and \`${role}\` needs the kinds themselves: routes are checked against them. Write each kind out.`
            : `${code(word)} is not a kind. A kind is ${FORM}: lower-case letters, digits and underscores, with at least one dot${raising ? "" : "; a pattern ends in `.*`"}.${raising ? asExample(word) : ""}`,
          { node, suggestions: suggested(word, raising, raisedBy(node)) },
        );
      }
    }
    for (const { route, path, node } of eachRoute(context))
      if (!node && route.on_error === undefined && !isStoodIn(context.workflow, [...path, "on_error"]))
        yield context.finding(
          path,
          "`error_routes` holds error routes only, and this one has no `on_error`, so it would never be read. Add `on_error` with the kinds it is for, or `on_error: true` for every error.",
          { suggestions: ["on_error: true"] },
        );
  },
});
