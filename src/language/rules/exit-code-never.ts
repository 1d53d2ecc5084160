import { compileCondition, TemplateError } from "../../template/index.ts";
import { isOwnExitCode, isScript } from "../analysis/exit-codes.ts";
import type { Facts, Read } from "../analysis/facts.ts";
import type { StepNode } from "../analysis/nodes.ts";
import { optingInOf } from "../analysis/raises.ts";
import { mayFailByExit } from "../schema/opting-in.ts";
import { code, defineRule } from "./rule.ts";

export const exitCodeNever = defineRule({
  name: "exit-code-never",
  severity: "warning",
  description:
    "A success route reads `exit_code` only where it can be another than 0. A script that fails raises `internal.script_error` before its success routes are read, unless `ok_exit_codes` has the code.",
  example:
    "steps:\n  - name: check\n    type: script\n    command: ./check.sh\n    routes: [{ to: repair, when: exit_code == 3 }, { to: $end }]",
  *check(context) {
    const { facts, workflow } = context;
    for (const node of facts.nodes.all.filter(isScript)) {
      const { ok_exit_codes = [0], output } = node.step;
      // A script that prints JSON may have a field of that name.
      if (ok_exit_codes === "any" || Object.hasOwn(output ?? {}, "exit_code")) continue;
      if (!mayFailByExit(optingInOf(node, facts.nodes, workflow))) continue;
      const never = readingRoutes(node, facts).filter((read) => !mayHold(read, node, ok_exit_codes, facts));
      const codes = meantCodes(ok_exit_codes, never);
      const seen = ok_exit_codes.join(" or ");
      const always = ok_exit_codes.length === 1 ? "always " : "";
      for (const read of never)
        yield context.inText(
          read,
          `${code("exit_code")} is ${always}${seen} in this route: when ${code(node.name)} exits with another code it raises ${code("internal.script_error")}, which only error routes see. If the code is no failure, add ${code(`ok_exit_codes: ${codes}`)}; if it is one, write the route with ${code("on_error: internal.script_error")}.`,
          { suggestions: [`ok_exit_codes: ${codes}`, "on_error: internal.script_error"] },
        );
    }
  },
});

/** For each success route that reads the exit code of its own step, the first such read. */
function readingRoutes(node: StepNode, facts: Facts): readonly Read[] {
  const found = new Map<Read["site"], Read>();
  for (const read of facts.reads.all) {
    const { site } = read;
    if (site.role !== "route" || site.dialect !== "condition" || found.has(site)) continue;
    if (isOwnExitCode(read, node, facts)) found.set(site, read);
  }
  return [...found.values()];
}

/**
 * Whether the condition can be true for one of the codes that do not raise. Where 0 is the only one, every read of the code
 * is a mistake: it always gives the same. A condition that reads other values, too, is left to its author.
 */
function mayHold({ site }: Read, node: StepNode, codes: readonly number[], facts: Facts): boolean {
  if (codes.every((one) => one === 0)) return false;
  const others = facts.reads.all.some((read) => read.site === site && !isOwnExitCode(read, node, facts));
  return others || codes.some((one) => holdsFor(one, site.source, node.name));
}

function holdsFor(exitCode: number, condition: string, step: string): boolean {
  const output = { exit_code: exitCode };
  try {
    return compileCondition(condition).test({ ...output, output, [step]: { output } });
  } catch (problem) {
    if (problem instanceof TemplateError) return true;
    throw problem;
  }
}

/** `exit_code == 3` is about 3, `exit_code in [2, 4]` about 2 and 4. Of other comparisons nobody knows. */
function meantCodes(ok: readonly number[], never: readonly Read[]): string {
  const compared = never.map(({ site }) => {
    const found = /exit_code\s*(?:==\s*(\d{1,3})\b|in\s*[[(]([\d\s,]+)[\])])/g;
    return [...site.source.matchAll(found)].flatMap(([, one, list]) => (one ?? list ?? "").split(",").map(Number));
  });
  const codes = [...new Set([...ok, ...compared.flat()])].filter((one) => one <= 255).sort((a, b) => a - b);
  const isKnown = compared.every((some) => some.some((one) => !ok.includes(one) && one <= 255));
  return isKnown ? `[${codes.join(", ")}]` : "any";
}
