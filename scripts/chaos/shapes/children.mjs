// Shapes of sub-workflows: files of their own, some of which fail.
import { add, RETRY, script } from "./frame.mjs";
import { items, modeOf, pushForEach } from "./groups.mjs";

function childFile(frame) {
  frame.family.children += 1;
  const file = `child-${frame.family.children}.yaml`;
  frame.family.write(file, frame.depth + 1, frame.random.between(1, 3));
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

export function child(frame, name, next) {
  const retry = frame.random.chance(0.5) ? [{ on_error: true, retry: { max: 1, ...RETRY } }] : [];
  const routes = [...retry, { on_error: true, to: `${name}_handler` }, { to: next }];
  add(frame, { name, type: "workflow", workflow: `./${childFile(frame)}`, routes });
  add(frame, script(frame, `${name}_handler`, "never", { routes: [{ to: next }] }));
}

export function childItems(frame, name, next) {
  items(frame, name);
  const agent = { name: `${name}_sub`, type: "workflow", workflow: `./${childFile(frame)}` };
  pushForEach(frame, { group: `${name}_all`, source: name, mode: modeOf(frame), agent, next });
}
