import { isAccepted } from "../../steps/http/accepted-status.ts";
import { resolveNode } from "../analysis/named-reads.ts";
import { stepNodes } from "./parts-of-file.ts";
import { code, defineRule } from "./rule.ts";

/** Numbers in a condition that can be a status. */
const STATUSES = /(?<![\w.])[1-5]\d\d(?![\w.])/g;

export const raiseWhenRefusedStatus = defineRule({
  name: "raise-when-refused-status",
  severity: "warning",
  description:
    "A `raise_when` rule is read for a status that the step refuses only if its `when` names `error`. Without it, such a status is `http.status` or `http.unavailable`.",
  example:
    "type: http\nraise_when:\n  - { when: output.status == 404, kind: tracker.no_issue, message: there is none }",
  *check(context) {
    const { facts } = context;
    for (const node of stepNodes(context, "http")) {
      for (const [index, { when }] of node.step.raise_when.entries()) {
        const path = [...node.path, "raise_when", index, "when"];
        const reads = facts.reads.all.filter(({ site }) => site.path.join() === path.join());
        if (reads.some((read) => String(read.path[0]).startsWith("error"))) continue;
        const asksForStatus = reads.some((read) => {
          const [first, second] = read.path;
          const named = resolveNode(read, facts);
          return first === "status" || (first === "output" && second === "status") || named?.rest[0] === "status";
        });
        const refused = [...when.matchAll(STATUSES)].find(
          ([status]) => !isAccepted(Number(status), node.step.accept_status),
        );
        if (asksForStatus && refused)
          yield context.finding(
            path,
            `This rule is not read for ${refused[0]}, a status that ${code(node.name)} refuses, because it does not name ${code("error")}. Write \`error is defined and error.details.status_code == ${refused[0]}\`, or take it for an answer: \`accept_status: [200-399, ${refused[0]}]\`.`,
            { node: node.name },
          );
      }
    }
  },
});
