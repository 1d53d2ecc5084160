// What the runs of a tormented fleet do: a group, a child, a step that fails at first, and a question. Each script notes
// which worker ran it, and when.

/** When the worker began it, in ticks since the machine was started: a busy machine lets a shell wait before its first word. */
const BEGUN = '$(read -r s < /proc/$$/stat && set -- ${s##*) } && echo "${20}")';

const noting = (name, then) => [
  "-c",
  `echo "$SEGNO_IDEMPOTENCY_KEY $PPID $(date +%s%3N) ${name} ${BEGUN}" >> "$CHAOS_LOG"; ${then}`,
];

const script = (name, then, more = {}) => ({ name, type: "script", command: "sh", args: noting(name, then), ...more });

/** Fails once for each run. */
const FLAKY = 'test -e "flaky-$1" || { touch "flaky-$1"; exit 75; }';

export const FILES = {
  "work.yaml": JSON.stringify({
    workflow: { name: "work", entry_point: "begin", input: { id: { type: "string" } } },
    agents: [
      { name: "begin", type: "set", value: "{{ [1, 2, 3, 4] }}", output_type: "list", routes: [{ to: "each" }] },
      {
        ...script("flaky", ""),
        args: [...noting("flaky", FLAKY), "sh", "{{ workflow.input.id }}"],
        routes: [{ to: "call" }, { on_error: "*", retry: { max: 9, initial_seconds: 0.2 } }],
      },
      { name: "call", type: "workflow", workflow: "./child.yaml", routes: [{ to: "ask" }] },
      { name: "ask", type: "human_gate", prompt: "Go on?", options: [{ label: "Yes", value: "yes", route: "last" }] },
      script("last", "sleep 0.2"),
    ],
    for_each: [
      {
        name: "each",
        type: "for_each",
        source: "begin.output",
        as: "n",
        max_concurrent: 2,
        agent: script("item", "sleep 1"),
        routes: [{ to: "flaky" }],
      },
    ],
    output: { done: "yes" },
  }),
  "child.yaml": JSON.stringify({
    workflow: { name: "child", entry_point: "a" },
    agents: [script("a", "sleep 0.6", { routes: [{ to: "b" }] }), { name: "b", type: "set", value: "1" }],
    output: { b: "{{ b.output }}" },
  }),
};
