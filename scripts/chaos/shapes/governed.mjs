// `resilience:` and `policies:` of a file, and the shapes that meet them. What a breaker makes of a call depends on kills:
// a failure that was not recorded is made again, and counted again. So its rules are such that only the kind may differ.
import { add, script } from "./frame.mjs";
import { items, pushForEach } from "./groups.mjs";

/** Policies as code: steps are refused by name, with a verdict or by falling over. */
export const POLICY = `export default {
  name: "by-name",
  description: "Refuses steps whose name says so.",
  evaluate({ step }) {
    if (step.name.endsWith("_thrown")) throw new Error("as the name says");
    return { allowed: !step.name.endsWith("_refused"), policyName: "by-name", reason: "as the name says" };
  },
};
`;

const RECOVERY_SECONDS = 0.2;
const PAUSE = "350ms";
const LONGEST_SECONDS = 20;

/** Main files take turns, so that a short run meets all of them too. */
const TURNS = ["retries", "opens", "none", "recovers", "none"];

/** `{ resilience, policies }` of a file; those of breakers only in a main file, where every block is met once. */
export function rulesFor(random, seed, depth, name) {
  const how = depth === 0 ? TURNS[seed % TURNS.length] : random.pick(["none", "none", "retries"]);
  const hasPolicies = depth === 0 ? seed % 2 === 0 : random.chance(0.3);
  return { how, resilience: resilienceOf(random, how, name), policies: hasPolicies ? policiesOf(random, how) : [] };
}

function resilienceOf(random, how, name) {
  if (how === "none") return undefined;
  const escalate = random.chance(0.6) ? { escalate: { command: "sh", args: ["escalate.sh", name] } } : {};
  if (how === "retries") {
    const retry = { max_retries: random.between(0, 2), initial_delay: 0.01, retryable: ["app.*"] };
    return { retry, dead_letter: random.chance(0.8), ...escalate };
  }
  const circuit_breaker = {
    failure_threshold: random.between(2, 3),
    recovery_timeout: how === "opens" ? 3600 : RECOVERY_SECONDS,
    success_threshold: 2,
    scope: "step",
    counts: ["app.down"],
  };
  // No retries: how many are left when it opens is a matter of when it opens.
  return { retry: { max_retries: 0, retryable: ["app.*"] }, circuit_breaker, dead_letter: true, ...escalate };
}

function policiesOf(random, how) {
  const all = [
    { max_concurrent_tasks: random.between(1, 3) },
    { task_timeout: { max_seconds: LONGEST_SECONDS } },
    { phase_gate: { min_success_rate: random.pick([0.5, 0.8, 1]) } },
    { module: "./policy.mjs" },
    { budget: { usd: 5 } },
    // It looks at breakers too.
    ...(how === "opens" || how === "recovers" ? [] : [{ agent_availability: {} }]),
  ];
  return all.filter(() => random.chance(0.6));
}

/** The shapes that meet the rules of a frame. */
export function governedShapes({ rules }) {
  const has = (policy) => rules.policies.some((entry) => policy in entry);
  return [
    ...(rules.resilience ? [lost, lost] : []),
    ...(rules.resilience?.escalate ? [escalated] : []),
    ...(rules.how === "opens" ? [opens, opens] : []),
    ...(rules.how === "recovers" ? [recovers, recovers] : []),
    ...(has("task_timeout") ? [overlong] : []),
    ...(has("module") ? [refused] : []),
    ...(has("phase_gate") ? [phased, phased] : []),
  ];
}

/** The shape without which the rules of a file would be about nothing. */
export const owedBy = ({ how }) => ({ opens, recovers, retries: lost })[how];

/** Some items are given up: what is kept of them, and what runs again when they are tried once more. */
function lost(frame, name, next) {
  const list = items(frame, name);
  const rule = frame.random.pick(["always", "ordinal:1", "ordinal:2", `items:${frame.random.pick(list)}`]);
  const agent = script(frame, `${name}_work`, rule, { item: "{{ item }}" });
  pushForEach(frame, { group: `${name}_all`, source: name, mode: "continue_on_error", agent, next });
}

/** A kind that is not retryable. */
function escalated(frame, name, next) {
  const list = items(frame, name);
  const rule = frame.random.pick(["always", `items:${frame.random.pick(list)}`]);
  const agent = script(frame, `${name}_work`, rule, { item: "{{ item }}", kind: "lost.chaos" });
  pushForEach(frame, { group: `${name}_all`, source: name, mode: "continue_on_error", agent, next });
}

/** More failures than a breaker stands; it stays open. */
function opens(frame, name, next) {
  const { failure_threshold } = frame.rules.resilience.circuit_breaker;
  const list = Array.from({ length: failure_threshold + frame.random.between(1, 3) }, (_, index) => `i${index}`);
  add(frame, { name, type: "set", values: { list }, routes: [{ to: `${name}_all` }] });
  const agent = script(frame, `${name}_down`, "always", { item: "{{ item }}", kind: "app.down" });
  frame.for_each.push({
    name: `${name}_all`,
    type: "for_each",
    source: `${name}.output.list`,
    as: "item",
    failure_mode: "continue_on_error",
    max_concurrent: frame.random.between(1, 2),
    agent,
    routes: [{ on_error: true, to: next }, { to: next }],
  });
}

/** Fails until its breaker is open, waits for longer than that lasts, and goes well from then on. */
function recovers(frame, name, next) {
  const failures = frame.rules.resilience.circuit_breaker.failure_threshold;
  const down = `${name}_down`;
  add(frame, script(frame, name, "never", { routes: [{ to: down }] }));
  const again = { to: down, when: `visit < ${failures + 2}` };
  const routes = [{ on_error: true, to: `${name}_pause` }, again, { to: next }];
  add(frame, script(frame, down, `visit:${failures}`, { kind: "app.down", routes }));
  add(frame, { name: `${name}_pause`, type: "wait", duration: PAUSE, routes: [{ to: down }] });
}

function overlong(frame, name, next) {
  const routes = [{ on_error: "policy.denied", to: `${name}_handler` }, { to: next }];
  add(frame, script(frame, name, "never", { timeout: 2 * LONGEST_SECONDS, routes }));
  add(frame, script(frame, `${name}_handler`, "never", { timeout: LONGEST_SECONDS, routes: [{ to: next }] }));
}

function refused(frame, name, next) {
  const no = `${name}_${frame.random.pick(["refused", "thrown"])}`;
  add(frame, script(frame, name, "never", { routes: [{ to: no }] }));
  const routes = [{ on_error: "policy.denied", to: `${name}_handler` }, { to: next }];
  add(frame, script(frame, no, "never", { routes }));
  add(frame, script(frame, `${name}_handler`, "never", { routes: [{ to: next }] }));
}

/** Two steps of one phase, of which some fail, then two of the next one, which may be let in or not. */
function phased(frame, name, next) {
  const [build, ship] = [`${name}_build`, `${name}_ship`];
  frame.phases.push(build, ship);
  const step = (node, phase, to) => {
    const rule = frame.random.pick(["never", "never", "always"]);
    add(frame, script(frame, node, rule, { phase, routes: [{ on_error: true, to }, { to }] }));
  };
  step(name, build, `${name}_two`);
  step(`${name}_two`, build, `${name}_three`);
  step(`${name}_three`, ship, `${name}_four`);
  step(`${name}_four`, ship, next);
}
