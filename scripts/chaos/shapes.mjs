// From a seed to a workflow: a row of blocks, each a small shape that a crash could spoil. Everything in it ends the same
// way however often it is cut off, so one undisturbed run says what all others must come to.
import { randomFrom } from "./random.mjs";

const SECONDS = ["0", "0", "0", "0.02", "0.05"];
const RETRY = { backoff: "fixed", initial_seconds: 0.01 };

/** The files of a seed: `{ "main.yaml": …, "child-1.yaml": … }`, as JSON, which is YAML. */
export function filesOf(seed) {
  const random = randomFrom(seed);
  const files = {};
  const family = { random, files, children: 0 };
  workflow(family, "main.yaml", 0, random.between(3, 6));
  return files;
}

function workflow(family, file, depth, length) {
  const { random } = family;
  const frame = { ...family, family, depth, agents: [], parallel: [], for_each: [], shown: [], count: 0, before: null };
  const starts = [];
  for (let block = 0; block < length; block += 1) starts.push(addBlock(frame, block, block === length - 1));
  const name = file.replace(".yaml", "");
  const hooks = random.chance(0.2) ? { on_complete: hook("complete"), on_error: hook("error") } : undefined;
  const output = {};
  for (const { node, field } of frame.shown)
    output[node] = `{{ ${node}.${field} if ${node} is defined and ${node}.${field} is defined else none }}`;
  family.files[file] = JSON.stringify(
    {
      workflow: { name, entry_point: starts[0], limits: { max_iterations: 500 }, ...(hooks ? { hooks } : {}) },
      agents: frame.agents,
      ...(frame.parallel.length > 0 ? { parallel: frame.parallel } : {}),
      ...(frame.for_each.length > 0 ? { for_each: frame.for_each } : {}),
      output,
    },
    null,
    1,
  );
}

const hook = (word) => ({ command: "sh", args: ["-c", `printf 'hook.${word}\\n' >> "$CHAOS_LOG"`] });

/** The name under which block `n` of a frame begins: known before it is made, so that the one before can lead there. */
const startOf = (block) => `b${block}`;

function addBlock(frame, block, isLast) {
  const next = isLast ? "$end" : startOf(block + 1);
  const shapes = [
    plain,
    plain,
    set,
    wait,
    loop,
    retried,
    retried,
    handled,
    roundabout,
    parallel,
    forEach,
    forEach,
    gate,
  ];
  if (frame.depth < 3) shapes.push(child, child, childItems);
  if (isLast && frame.depth === 0) shapes.push(ending, ending, ending);
  frame.random.pick(shapes)(frame, startOf(block), next);
  frame.before = startOf(block);
  return startOf(block);
}

function script(frame, name, rule = "never", more = {}) {
  const seen = frame.before
    ? `{{ ${frame.before}.output if ${frame.before} is defined and ${frame.before}.output is defined else 'none' }}`
    : "none";
  const { item = "-", ...rest } = more;
  return {
    name,
    type: "script",
    command: "sh",
    args: ["step.sh", frame.random.pick(SECONDS), rule, "app.chaos", item, frame.random.chance(0.5) ? seen : "none"],
    ...rest,
  };
}

function add(frame, node) {
  frame.agents.push(node);
  if (node.type === "script" || node.type === "set" || node.type === "workflow")
    frame.shown.push({ node: node.name, field: node.type === "script" ? "output.mark" : "output" });
}

const plain = (frame, name, next) => add(frame, script(frame, name, "never", { routes: [{ to: next }] }));

const set = (frame, name, next) =>
  add(frame, { name, type: "set", values: { at: name, count: frame.random.between(1, 9) }, routes: [{ to: next }] });

const wait = (frame, name, next) => add(frame, { name, type: "wait", duration: "30ms", routes: [{ to: next }] });

/** Comes by several times, by way of another step. */
function loop(frame, name, next) {
  const rounds = frame.random.between(2, 4);
  add(
    frame,
    script(frame, name, "never", { routes: [{ to: `${name}_again`, when: `visit < ${rounds}` }, { to: next }] }),
  );
  add(frame, script(frame, `${name}_again`, "never", { routes: [{ to: name }] }));
}

function retried(frame, name, next) {
  const max = frame.random.between(1, 3);
  const failures = frame.random.between(1, max + 1);
  const routes = [
    { on_error: "app.*", retry: { max, ...RETRY } },
    { on_error: true, to: `${name}_handler` },
    { to: next },
  ];
  add(frame, script(frame, name, `ordinal:${failures}`, { routes }));
  add(frame, script(frame, `${name}_handler`, "never", { routes: [{ to: next }] }));
}

function handled(frame, name, next) {
  add(frame, script(frame, name, "always", { routes: [{ on_error: true, to: `${name}_handler` }, { to: next }] }));
  add(frame, script(frame, `${name}_handler`, "never", { routes: [{ to: next }] }));
}

/** `retry` with `to`: another step mends it, and it is tried once more. */
function roundabout(frame, name, next) {
  const max = frame.random.between(1, 3);
  const routes = [
    { on_error: "app.*", retry: { max, ...RETRY }, to: `${name}_mend` },
    { on_error: true, to: `${name}_handler` },
    { to: next },
  ];
  add(frame, script(frame, name, `visit:${frame.random.between(1, max + 1)}`, { routes }));
  add(frame, script(frame, `${name}_mend`, "never", { routes: [{ to: name }] }));
  add(frame, script(frame, `${name}_handler`, "never", { routes: [{ to: next }] }));
}

/** Siblings that fail_fast would end depend on the moment; with one at a time there is no moment. */
const modeOf = (frame) => frame.random.pick(["fail_fast", "continue_on_error", "all_or_nothing"]);
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

function parallel(frame, name, next) {
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

function items(frame, name) {
  const list = Array.from({ length: frame.random.between(2, 4) }, (_, index) => `i${index}`);
  add(frame, { name, type: "set", values: { list }, routes: [{ to: `${name}_all` }] });
  return list;
}

function forEach(frame, name, next) {
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

function pushForEach(frame, { group, source, mode, agent, next }) {
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

function gate(frame, name, next) {
  add(frame, {
    name,
    type: "human_gate",
    prompt: "Go on?",
    options: [
      { label: "Yes", value: "yes", ...(frame.random.chance(0.6) ? { route: `${name}_chosen` } : {}) },
      { label: "No", value: "no", route: next },
    ],
    routes: [{ to: next }],
  });
  add(frame, script(frame, `${name}_chosen`, "never", { routes: [{ to: next }] }));
}

function childFile(frame) {
  frame.family.children += 1;
  const file = `child-${frame.family.children}.yaml`;
  workflow(frame.family, file, frame.depth + 1, frame.random.between(1, 3));
  if (frame.random.chance(0.4)) makeItFail(frame, file);
  return file;
}

/** A child that raises at its end, always or only on its first try. */
function makeItFail(frame, file) {
  const child = JSON.parse(frame.family.files[file]);
  const rule = frame.random.pick(["always", "generation:1"]);
  const text = JSON.stringify(child.agents).replaceAll('"$end"', '"broken"');
  child.agents = JSON.parse(text);
  for (const group of [...(child.parallel ?? []), ...(child.for_each ?? [])])
    group.routes = group.routes.map((route) => (route.to === "$end" ? { ...route, to: "broken" } : route));
  child.agents.push(script({ ...frame, before: null }, "broken", rule, { routes: [{ to: "$end" }] }));
  frame.family.files[file] = JSON.stringify(child, null, 1);
}

function child(frame, name, next) {
  const retry = frame.random.chance(0.5) ? [{ on_error: true, retry: { max: 1, ...RETRY } }] : [];
  const routes = [...retry, { on_error: true, to: `${name}_handler` }, { to: next }];
  add(frame, { name, type: "workflow", workflow: `./${childFile(frame)}`, routes });
  add(frame, script(frame, `${name}_handler`, "never", { routes: [{ to: next }] }));
}

function childItems(frame, name, next) {
  items(frame, name);
  const agent = { name: `${name}_sub`, type: "workflow", workflow: `./${childFile(frame)}` };
  pushForEach(frame, { group: `${name}_all`, source: name, mode: modeOf(frame), agent, next });
}

function ending(frame, name) {
  const how = frame.random.pick(["success", "failed", "halt", "unhandled"]);
  if (how === "success" || how === "failed")
    add(frame, { name, type: "terminate", status: how, reason: "as the seed says" });
  else if (how === "halt")
    add(
      frame,
      script(frame, name, "always", { routes: [{ on_error: true, halt: { message: "stop" } }, { to: "$end" }] }),
    );
  else add(frame, script(frame, name, "always", { raises: ["app.chaos"], routes: [{ to: "$end" }] }));
}
