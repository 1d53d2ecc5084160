import { code, defineRule } from "./rule.ts";

const SECTION = ["workflow", "resilience", "circuit_breaker"] as const;

export const openBreakerInGroup = defineRule({
  name: "open-breaker-in-group",
  severity: "warning",
  description:
    "A breaker that opens in the middle of a group fails all of its remaining items within milliseconds. Where members are retried or kept as dead letters, say `when_open`: `wait`, or `fail` if that is meant.",
  example:
    "resilience: { dead_letter: true, circuit_breaker: {} }   # and a for_each: after five failures all other items fail",
  *check(context) {
    const { resilience } = context.workflow.definition.workflow;
    const breaker = resilience?.circuit_breaker;
    if (!breaker) return;
    if (breaker.max_wait !== undefined && breaker.when_open !== "wait")
      yield context.finding(
        [...SECTION, "max_wait"],
        "`max_wait` says how long a call waits with `when_open: wait`; without that no call waits. Add `when_open: wait`, or leave `max_wait` out.",
      );
    if (breaker.when_open !== undefined) return;
    const isKept = resilience.retry !== undefined || resilience.dead_letter;
    const { nodes } = context.facts;
    const isRetried = (name: string): boolean => nodes.get(name)?.routes.some(({ retry }) => retry) === true;
    const group = nodes.all.find((node) => node.kind === "group" && (isKept || node.members.some(isRetried)));
    if (!group) return;
    yield context.finding(
      SECTION,
      `When this breaker opens while ${code(group.name)} runs, each of the remaining items fails at once with \`circuit.open\`. With \`when_open: wait\` they wait until it lets them through, for an hour at most (\`max_wait\`). \`when_open: fail\` says that they are to fail.`,
      { at: "key" },
    );
  },
});
