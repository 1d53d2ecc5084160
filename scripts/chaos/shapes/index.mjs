// From a seed to a workflow: a row of blocks, each a small shape that a crash could spoil. Everything in it ends the same
// way however often it is cut off, so one undisturbed run says what all others must come to.
import { randomFrom } from "../random.mjs";
import { child, childItems } from "./children.mjs";
import { governedShapes, owedBy, POLICY, rulesFor } from "./governed.mjs";
import { forEach, parallel } from "./groups.mjs";
import { ending, gate, handled, loop, plain, retried, roundabout, set, wait } from "./steps.mjs";

/** The files of a seed: `{ "main.yaml": …, "child-1.yaml": … }`, as JSON, which is YAML. */
export function filesOf(seed) {
  const random = randomFrom(seed);
  const files = { "policy.mjs": POLICY };
  const family = { seed, random, files, children: 0 };
  family.write = (file, depth, length) => workflow(family, file, depth, length);
  family.write("main.yaml", 0, random.between(3, 6));
  return files;
}

function workflow(family, file, depth, length) {
  const { random } = family;
  const name = file.replace(".yaml", "");
  const rules = rulesFor(random, family.seed, depth, name);
  const lists = { agents: [], parallel: [], for_each: [], shown: [], phases: [] };
  const frame = { ...family, ...lists, family, depth, rules, before: null };
  const starts = [];
  const owed = { at: random.between(0, length - 1), shape: owedBy(rules) };
  for (let block = 0; block < length; block += 1) starts.push(addBlock(frame, block, block === length - 1, owed));
  const hooks = random.chance(0.2) ? { on_complete: hook("complete"), on_error: hook("error") } : undefined;
  const output = {};
  for (const { node, field } of frame.shown)
    output[node] = `{{ ${node}.${field} if ${isThere(node, field)} else none }}`;
  const section = {
    name,
    entry_point: starts[0],
    limits: { max_iterations: 500 },
    ...(hooks ? { hooks } : {}),
    ...(rules.resilience ? { resilience: rules.resilience } : {}),
    ...(rules.policies.length > 0 ? { policies: rules.policies } : {}),
    ...(frame.phases.length > 0 ? { phases: frame.phases } : {}),
  };
  family.files[file] = JSON.stringify(
    {
      workflow: section,
      agents: frame.agents,
      ...(frame.parallel.length > 0 ? { parallel: frame.parallel } : {}),
      ...(frame.for_each.length > 0 ? { for_each: frame.for_each } : {}),
      output,
    },
    null,
    1,
  );
}

/** A step that was denied gave nothing, and what is in nothing cannot be asked for. */
const isThere = (node, field) =>
  field
    .split(".")
    .map((_, at, parts) => `${[node, ...parts.slice(0, at + 1)].join(".")} is defined`)
    .reduce((all, one) => `${all} and ${one}`, `${node} is defined`);

const hook = (word) => ({ command: "sh", args: ["-c", `printf 'hook.${word}\\n' >> "$CHAOS_LOG"`] });

/** The name under which block `n` of a frame begins: known before it is made, so that the one before can lead there. */
const startOf = (block) => `b${block}`;

const SHAPES = [
  ...[plain, plain, set, wait, loop, retried, retried, handled, roundabout],
  ...[parallel, forEach, forEach, gate],
];

function addBlock(frame, block, isLast, owed) {
  const next = isLast ? "$end" : startOf(block + 1);
  const shapes = [...SHAPES];
  // Rules that nothing meets would not be worth writing: half of the blocks are about them.
  const governed = governedShapes(frame);
  if (governed.length > 0 && frame.random.chance(0.5)) shapes.splice(0, shapes.length, ...governed);
  else if (frame.depth < 3) shapes.push(child, child, childItems);
  if (isLast && frame.depth === 0) shapes.push(ending, ending, ending);
  const shape = block === owed.at ? owed.shape : undefined;
  (shape ?? frame.random.pick(shapes))(frame, startOf(block), next);
  frame.before = startOf(block);
  return startOf(block);
}
