// What all shapes are made of: a script that leaves its mark, and the frame of the workflow that it is added to.

const SECONDS = ["0", "0", "0", "0.02", "0.05"];
export const RETRY = { backoff: "fixed", initial_seconds: 0.01 };

export function script(frame, name, rule = "never", more = {}) {
  const seen = frame.before
    ? `{{ ${frame.before}.output if ${frame.before} is defined and ${frame.before}.output is defined else 'none' }}`
    : "none";
  const { item = "-", kind = "app.chaos", ...rest } = more;
  return {
    name,
    type: "script",
    command: "sh",
    args: ["step.sh", frame.random.pick(SECONDS), rule, kind, item, frame.random.chance(0.5) ? seen : "none"],
    ...rest,
  };
}

export function add(frame, node) {
  frame.agents.push(node);
  if (node.type === "script" || node.type === "set" || node.type === "workflow")
    frame.shown.push({ node: node.name, field: node.type === "script" ? "output.mark" : "output" });
}
