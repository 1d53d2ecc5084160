// What a step may see in `context.mode: explicit`: only what its `input` names.
import { stepTypeOf } from "../../steps/types.ts";
import { parseDotted, type Read } from "../analysis/reads.ts";
import type { RuleContext } from "./rule.ts";

type Path = readonly (string | number)[];

/** `a.score` is short for `a.output.score`; an error comes in whole, whatever part of it is named. */
function spelledOut([root, part, ...rest]: Path, hasChanges: (name: string) => boolean): Path {
  if (root === undefined || part === undefined) return root === undefined ? [] : [root];
  if (root === "workflow" || ["output", "outputs", "errors", "count"].includes(String(part)))
    return [root, part, ...rest];
  if ((part === "changes" || part === "denied") && hasChanges(String(root))) return [root, part, ...rest];
  return part === "error" ? [root, part] : [root, "output", part, ...rest];
}

const overlaps = (a: Path, b: Path): boolean => a.slice(0, b.length).every((part, index) => part === b[index]);

/** The reads of a file that explicit mode would leave undefined. */
export function* uncoveredReads(context: RuleContext): Generator<Read & { readonly reader: string }> {
  const { facts, workflow } = context;
  if (workflow.definition.workflow.context?.mode !== "explicit") return;
  const hasChanges = (name: string): boolean => {
    const named = facts.nodes.get(name);
    return named !== undefined && facts.hasChanges(named);
  };
  for (const read of facts.reads.all) {
    const { site, path, guarded } = read;
    if (!site.narrowed || guarded || site.node === null) continue;
    const node = facts.nodes.get(site.node);
    const [root, second] = path;
    if (node?.kind !== "step" || typeof root !== "string" || site.locals.includes(root)) continue;
    const isInput = root === "workflow" && second === "input" && stepTypeOf(node).inputsByName;
    if (!isInput && !facts.nodes.names.has(root)) continue;
    const given = (node.step.input ?? []).flatMap((written) => {
      const parsed = parseDotted(written);
      return parsed ? [spelledOut(parsed, hasChanges)] : [];
    });
    if (!given.some((declared) => overlaps(path, declared))) yield { ...read, reader: site.node };
  }
}
