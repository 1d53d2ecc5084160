// Shapes of single steps: in a row, in a loop, tried again, with somebody who takes care of their errors.
import { add, RETRY, script } from "./frame.mjs";

export const plain = (frame, name, next) => add(frame, script(frame, name, "never", { routes: [{ to: next }] }));

export const set = (frame, name, next) =>
  add(frame, { name, type: "set", values: { at: name, count: frame.random.between(1, 9) }, routes: [{ to: next }] });

export const wait = (frame, name, next) => add(frame, { name, type: "wait", duration: "30ms", routes: [{ to: next }] });

/** Comes by several times, by way of another step. */
export function loop(frame, name, next) {
  const rounds = frame.random.between(2, 4);
  add(
    frame,
    script(frame, name, "never", { routes: [{ to: `${name}_again`, when: `visit < ${rounds}` }, { to: next }] }),
  );
  add(frame, script(frame, `${name}_again`, "never", { routes: [{ to: name }] }));
}

export function retried(frame, name, next) {
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

export function handled(frame, name, next) {
  add(frame, script(frame, name, "always", { routes: [{ on_error: true, to: `${name}_handler` }, { to: next }] }));
  add(frame, script(frame, `${name}_handler`, "never", { routes: [{ to: next }] }));
}

/** `retry` with `to`: another step mends it, and it is tried once more. */
export function roundabout(frame, name, next) {
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

export function gate(frame, name, next) {
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

export function ending(frame, name) {
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
