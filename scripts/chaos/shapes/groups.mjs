// Shapes of groups: members and items that fail or not, each with its own way to deal with it.
import { add, RETRY, script } from "./frame.mjs";

/** Siblings that fail_fast would end depend on the moment; with one at a time there is no moment. */
export const modeOf = (frame) => frame.random.pick(["fail_fast", "continue_on_error", "all_or_nothing"]);
const widthOf = (frame, mode) => (mode === "fail_fast" ? 1 : frame.random.between(1, 3));

function groupRoutes(frame, name, next) {
  const retry = frame.random.chance(0.5)
    ? [{ on_error: "app.*", retry: { max: frame.random.between(1, 2), ...RETRY } }]
    : [];
  add(frame, script(frame, `${name}_handler`, "never", { routes: [{ to: next }] }));
  return [...retry, { on_error: true, to: `${name}_handler` }, { to: next }];
}

/** What a member does with its own error. */
function memberRoutes(frame, name) {
  switch (frame.random.pick(["none", "none", "retry", "handler", "mend"])) {
    case "retry":
      return [{ on_error: "app.*", retry: { max: frame.random.between(1, 2), ...RETRY } }];
    case "handler":
      add(frame, script(frame, `${name}_own`));
      return [{ on_error: "app.*", to: `${name}_own` }];
    case "mend":
      add(frame, script(frame, `${name}_mend`));
      return [{ on_error: "app.*", retry: { max: frame.random.between(1, 2), ...RETRY }, to: `${name}_mend` }];
    default:
      return [];
  }
}

export function parallel(frame, name, next) {
  const mode = modeOf(frame);
  const members = Array.from({ length: frame.random.between(2, 3) }, (_, index) => `${name}_${"xyz"[index]}`);
  for (const member of members) {
    const rule = frame.random.pick(["never", "never", "always", "ordinal:1", "generation:1"]);
    add(frame, script(frame, member, rule, { routes: memberRoutes(frame, member) }));
  }
  const routes = groupRoutes(frame, name, next);
  frame.parallel.push({ name, agents: members, failure_mode: mode, max_concurrent: widthOf(frame, mode), routes });
  frame.shown.push({ node: name, field: "outputs" });
}

export function items(frame, name) {
  const list = Array.from({ length: frame.random.between(2, 4) }, (_, index) => `i${index}`);
  add(frame, { name, type: "set", values: { list }, routes: [{ to: `${name}_all` }] });
  return list;
}

export function forEach(frame, name, next) {
  const list = items(frame, name);
  const mode = modeOf(frame);
  const rule = frame.random.pick(["never", "always", "ordinal:1", "generation:1", `items:${frame.random.pick(list)}`]);
  const group = `${name}_all`;
  // A mended retry has one budget for all items: which item gets it is a matter of time, so it is left to `parallel`.
  const own =
    rule.startsWith("ordinal") && frame.random.chance(0.5) ? [{ on_error: "app.*", retry: { max: 1, ...RETRY } }] : [];
  if (own.length === 0 && frame.random.chance(0.4)) {
    add(frame, script(frame, `${name}_own`));
    own.push({ on_error: "app.*", to: `${name}_own` });
  }
  const agent = script(frame, `${name}_work`, rule, { item: "{{ item }}", routes: own });
  pushForEach(frame, { group, source: name, mode, agent, next });
}

export function pushForEach(frame, { group, source, mode, agent, next }) {
  frame.for_each.push({
    name: group,
    type: "for_each",
    source: `${source}.output.list`,
    as: "item",
    failure_mode: mode,
    max_concurrent: widthOf(frame, mode),
    agent,
    routes: groupRoutes(frame, group, next),
  });
  frame.shown.push({ node: group, field: "outputs" });
}
