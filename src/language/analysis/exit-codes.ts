// Who reads the exit codes of a file's scripts. A script whose failure is data, and that nobody looks at, fails unseen.
import type { LoadedWorkflow } from "../loaded.ts";
import { mayFailByExit } from "../schema/opting-in.ts";
import { type Facts, gatherFacts, type Read } from "./facts.ts";
import { resolveNode } from "./named-reads.ts";
import type { FlowNode, StepNode } from "./nodes.ts";
import { optingInOf } from "./raises.ts";

type ScriptNode = StepNode & { readonly step: { readonly type: "script" } };

export const isScript = (node: FlowNode): node is ScriptNode => node.kind === "step" && node.step.type === "script";

/** Whether a step reads its own exit code there, by name: `exit_code` or `output.exit_code` in a route, or by its own name. */
export function isOwnExitCode(read: Read, node: StepNode, facts: Facts): boolean {
  const [root, field] = read.path;
  if (read.site.node !== node.name) return false;
  if (root === "output" && read.site.locals.includes("output")) return field === "exit_code";
  if (root === "exit_code") return read.inExpression && read.site.bare.includes("output");
  const named = resolveNode(read, facts);
  return named?.name === node.name && named.part === "output" && named.rest[0] === "exit_code";
}

/** Whether a read gets the exit code of a step. Whoever reads the whole output gets it, too. */
function getsExitCode(read: Read, node: StepNode, facts: Facts): boolean {
  if (isOwnExitCode(read, node, facts)) return true;
  if (read.site.node === node.name && read.path.length === 1 && read.path[0] === "output") return true;
  const named = resolveNode(read, facts);
  if (!named) return false;
  const { name, part, rest } = named;
  const ofStep = name === node.name && (part === "output" || part === undefined);
  const ofGroup = node.groups.includes(name) && (part === "outputs" || part === undefined);
  if (!ofStep && !ofGroup) return false;
  // The outputs of a group are read by the name of a member first, those of a for_each by the number or the key of an item.
  const [member, inMember] = rest;
  if (ofGroup && facts.nodes.get(name)?.type === "parallel" && member !== undefined && member !== node.name)
    return false;
  const field = ofGroup ? inMember : member;
  // `input: [a.output]` only lets the step read it.
  return field === undefined ? read.site.role !== "input" : field === "exit_code";
}

/** Every read that gets the exit code of a step. */
export const exitCodeReads = (node: StepNode, facts: Facts): readonly Read[] =>
  facts.reads.all.filter((read) => getsExitCode(read, node, facts));

/** Scripts that may exit with another code than 0 without an error, and whose exit code nothing in the file reads. */
export function ignoredExitCodes(workflow: LoadedWorkflow, facts: Facts): readonly ScriptNode[] {
  return facts.nodes.all.filter(isScript).filter((node) => {
    if (node.step.ok_exit_codes !== undefined || mayFailByExit(optingInOf(node, facts.nodes, workflow))) return false;
    return exitCodeReads(node, facts).length === 0;
  });
}

const known = new WeakMap<LoadedWorkflow, ReadonlySet<string>>();

/** Whether nothing in the file reads the exit code of a script. */
export function isExitCodeIgnored(workflow: LoadedWorkflow, step: string): boolean {
  let names = known.get(workflow);
  if (!names) {
    names = new Set(ignoredExitCodes(workflow, gatherFacts(workflow)).map(({ name }) => name));
    known.set(workflow, names);
  }
  return names.has(step);
}
