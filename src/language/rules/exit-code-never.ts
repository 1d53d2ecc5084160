import { isOwnExitCode, isScript } from "../analysis/exit-codes.ts";
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
      const { ok_exit_codes, output } = node.step;
      const isAlwaysZero =
        ok_exit_codes === undefined || (ok_exit_codes !== "any" && ok_exit_codes.every((one) => one === 0));
      // A script that prints JSON may have a field of that name.
      if (!isAlwaysZero || Object.hasOwn(output ?? {}, "exit_code")) continue;
      if (!mayFailByExit(optingInOf(node, facts.nodes, workflow))) continue;
      const read = facts.reads.all.find(
        (one) => one.site.role === "route" && one.site.dialect === "condition" && isOwnExitCode(one, node, facts),
      );
      if (!read) continue;
      const codes = meantCodes(read.site.source);
      yield context.inText(
        read,
        `${code("exit_code")} is always 0 in this route: when ${code(node.name)} exits with another code it raises ${code("internal.script_error")}, which only error routes see. If the code is no failure, add ${code(`ok_exit_codes: ${codes}`)}; if it is one, write the route with ${code("on_error: internal.script_error")}.`,
        { suggestions: [`ok_exit_codes: ${codes}`, "on_error: internal.script_error"] },
      );
    }
  },
});

/** `exit_code == 3` is about 3. */
function meantCodes(condition: string): string {
  const compared = [...condition.matchAll(/exit_code\s*==\s*(\d{1,3})\b/g)].map(([, said]) => Number(said));
  const codes = [...new Set([0, ...compared])].filter((one) => one <= 255);
  return codes.length > 1 ? `[${codes.join(", ")}]` : "any";
}
