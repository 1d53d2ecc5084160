// Random files over all fields that Conductor 0.1.41 knows: most values are right, some are not, and now and then a field
// belongs to another type of step.
import fc from "fast-check";

type Any = fc.Arbitrary<unknown>;
type Fields = Readonly<Record<string, Any>>;

const of = (...values: readonly unknown[]): Any => fc.constantFrom(...values);
const flag = of(true, false);
const text = of("x", "do it", "a: b", "{{ workflow.input.topic }}", "line\nline", "é", "1.10");
const name = of("one", "two", "three");
const list = (item: Any): Any => fc.array(item, { maxLength: 3 });
const texts = list(of("a", "b c"));
const named = (value: Any): Any => fc.dictionary(of("k", "l") as fc.Arbitrary<string>, value, { maxKeys: 2 });

/** What belongs nowhere, or only to some fields. */
const odd = of(
  null,
  "",
  "yes",
  "true",
  "7",
  0,
  -1,
  1.5,
  1e9,
  true,
  [],
  {},
  ["x"],
  { a: 1 },
  [null],
  "${NOT_SET_ANYWHERE}",
);

/** Each field is there or not, and now and then holds something odd. */
const mapping = (needed: Fields, more: Fields = {}): Any => {
  const sometimesOdd = Object.fromEntries(
    Object.entries(more).map(([key, value]) => [
      key,
      fc.oneof({ weight: 60, arbitrary: value }, { weight: 1, arbitrary: odd }),
    ]),
  );
  return fc.record({ ...needed, ...sometimesOdd }, { requiredKeys: Object.keys(needed) });
};

const secret = mapping(
  { ref: of("SET"), delivery: of({ env: "TOKEN" }, { header: "X-Token" }) },
  { scope: of("script", "mcp", "agent") },
);
const secrets = list(secret);
const execution = mapping({}, { profile: of("local", "docker_shell"), secrets });
const restart = mapping({}, { mode: of("rerun", "reuse", "fail") });

const leaf = mapping(
  { type: of("string", "number", "boolean", "array", "object") },
  {
    description: text,
    enum: of(["a", "b"], [1, 2]),
    pattern: of("^a+$", "[0-9]"),
    minimum: of(0, 1),
    maximum: of(10),
    minLength: of(0, 1),
    maxLength: of(10),
    nullable: flag,
  },
);
const output = named(
  fc.oneof(
    leaf,
    mapping({ type: of("array") }, { items: leaf }),
    mapping({ type: of("object") }, { properties: named(leaf) }),
  ),
);

const server = fc.oneof(
  mapping(
    { command: of("npx") },
    { type: of("stdio"), args: texts, env: named(text), timeout: of(1000), tools: of(["*"], ["t"]), secrets },
  ),
  mapping({ type: of("http", "sse"), url: of("https://mcp.example") }, { headers: named(of("v")), secrets }),
);
const servers = fc.dictionary(of("s", "u") as fc.Arbitrary<string>, server, { maxKeys: 2 });

const provider = fc.oneof(
  of("copilot", "openai", "claude", "claude-agent-sdk", "hermes", "aca"),
  mapping(
    { name: of("copilot", "openai", "claude", "claude-agent-sdk", "hermes", "aca") },
    {
      type: of("openai", "azure", "anthropic"),
      wire_api: of("completions", "responses"),
      base_url: of("http://localhost:11434/v1"),
      api_key: of("k-1"),
      bearer_token: of("b-1"),
      auth_token: of("t-1"),
      headers: of({ "x-a": "1" }),
      azure: of({ api_version: "2024-10-21" }),
      runtime_url: of("http://localhost:1"),
      runtime_token: of("r-1"),
      setting_sources: of([], ["user"], ["project", "local"]),
      auth_mode: of("auto", "subscription", "api_key"),
      native_tools: of("none", "claude_code"),
      hermes_home: of("~/.hermes"),
      hermes_toolsets: texts,
      hermes_skip_memory: flag,
      hermes_skip_context_files: flag,
      pool_endpoint: of("https://pool.example"),
      inner_provider: of("copilot"),
      identifier_scope: of("agent"),
      api_version: of("2025-01-01"),
      egress: flag,
      lifecycle: of({ idle: 5 }),
      auth: of("azure_default"),
    },
  ),
);

const runtime = mapping(
  {},
  {
    provider,
    default_model: of("gpt-5"),
    mcp_servers: servers,
    temperature: of(0, 0.5),
    max_tokens: of(100),
    timeout: of(30),
    max_session_seconds: of(60),
    max_agent_iterations: of(5),
    default_reasoning_effort: of("low", "max"),
    default_context_tier: of("default", "long_context"),
    idle_timeout_seconds: of(90),
    max_idle_recovery_attempts: of(0, 5),
    checkpoint: mapping({}, { every_agent: flag, every_seconds: of(5), keep_last: of(3) }),
    tool_output: mapping({}, { enabled: flag, max_chars: of(1000), spill_to_file: flag, spill_dir: of("out") }),
    working_dir: of("."),
    skills: of([]),
    skill_injection: of({ warn_bytes: 10, max_bytes: null }),
    skill_discovery: of({ sources: ["x"] }),
    plugin_sources: of({ p: "o/r" }),
    plugins: of(["p"]),
  },
);

const route = mapping(
  { to: fc.oneof({ weight: 4, arbitrary: of("$end") }, { weight: 1, arbitrary: name }) },
  { when: of("true", "{{ true }}", "1 == 1"), output: named(text) },
);
const routes = list(route);
const step = (type: Fields, more: Fields = {}): Any =>
  mapping(type, { description: text, input: of([], ["workflow.input.topic?"]), routes, ...more });

const option = mapping(
  { label: of("Yes", "No"), value: of("y", "n"), route: of("$end") },
  { prompt_for: of("why"), multiline: flag },
);
const question = mapping(
  { text: text },
  {
    id: of("q"),
    hint: text,
    choices: of(["a", "b"]),
    allow_free_text: flag,
    default: of("a"),
    required: flag,
    multiline: flag,
  },
);

/** Fields that only some types have. */
const OF_AGENTS: Fields = {
  provider,
  model: of("gpt-5", "{{ workflow.input.topic }}"),
  context_tier: of("default"),
  tools: texts,
  system_prompt: text,
  output,
  output_mode: of("raw", "envelope"),
  working_dir: of("."),
  settings_dir: of("."),
  timeout_seconds: of(30),
  max_session_seconds: of(30),
  max_agent_iterations: of(3),
  session_key: of("s"),
  retry: mapping(
    {},
    {
      max_attempts: of(1, 3),
      backoff: of("fixed", "exponential"),
      delay_seconds: of(0, 2.5),
      retry_on: of(["timeout"]),
      max_parse_recovery_attempts: of(0, 2),
    },
  ),
  dialog: mapping({ trigger_prompt: text }, { conversation_prompt: text }),
  reasoning: mapping({}, { effort: of("low", "{{ workflow.input.topic }}") }),
  validator: mapping({ criteria: text }, { model: of("gpt-5"), max_retries: of(0, 1) }),
  sandbox: of({ cpu: 1 }),
  skills: of([]),
  plugins: of([]),
  execution,
  restart,
};

const STEPS: readonly Any[] = [
  step({ prompt: text }, { ...OF_AGENTS, type: of("agent") }),
  step({ type: of("human_gate"), prompt: text, options: fc.array(option, { minLength: 1, maxLength: 3 }) }),
  step(
    { type: of("questions"), questions: fc.array(question, { minLength: 1, maxLength: 2 }) },
    { prompt: text, allow_back: flag, allow_skip: flag, allow_skip_all: flag, allow_abort: flag },
  ),
  step(
    { type: of("script"), command: of("echo") },
    { args: texts, env: named(text), working_dir: of("."), stdin: text, timeout: of(5), output, execution, restart },
  ),
  step({ type: of("set"), value: text }, { output_type: of("auto", "string", "list") }),
  step({ type: of("set"), values: named(text) }, { output }),
  step({ type: of("wait"), duration: of(1, "5s", "2m") }, { reason: text }),
  mapping(
    { type: of("terminate"), status: of("success", "failed"), reason: of("done") },
    { output_template: named(text), description: text },
  ),
  step(
    { type: of("workflow"), workflow: of("child.yaml") },
    { input_mapping: named(text), max_depth: of(1, 10), output, execution, restart },
  ),
  step(
    { type: of("mcp"), server: of("s"), tool: of("t") },
    { arguments: named(fc.oneof(text, of(1, true, null, ["x"]))), timeout: of(5), output, execution, restart },
  ),
];

/** Now and then a field of agents, or one that nobody knows, stands in a step of any type. */
const strayed = fc
  .tuple(fc.oneof(...STEPS), fc.integer({ max: 11, min: 0 }), mapping({}, { ...OF_AGENTS, of_nobody: text }))
  .map(([one, chance, stray]) => (chance === 0 ? { ...(stray as object), ...(one as object) } : one));

const section = mapping(
  { name: of("w", "my-flow"), entry_point: of("one") },
  {
    description: text,
    version: of("1.0.0"),
    runtime,
    input: of(
      { topic: { type: "string", default: "t" } },
      { topic: { type: "string", required: false, description: "d" } },
    ),
    context: mapping(
      {},
      {
        mode: of("accumulate", "last_only", "explicit"),
        max_tokens: of(1000),
        trim_strategy: of("truncate", "drop_oldest", "summarize"),
      },
    ),
    limits: mapping(
      {},
      { max_iterations: of(1, 500), timeout_seconds: of(60), budget_usd: of(0.5), budget_mode: of("audit", "enforce") },
    ),
    cost: mapping(
      {},
      { show_per_agent: flag, show_summary: flag, pricing: of({ m: { input_per_mtok: 1, output_per_mtok: 2 } }) },
    ),
    hooks: mapping({}, { on_start: text, on_complete: text, on_error: text }),
    metadata: of({ a: [1] }),
    instructions: of(["Be brief."]),
    mcp: mapping(
      {},
      {
        expose: flag,
        mode: of("async", "sync", "auto"),
        read_only: flag,
        destructive: flag,
        estimated_minutes: of(5, null),
      },
    ),
    defaults: mapping({}, { execution: mapping({}, { profile: of("shell") }), restart }),
    bundle: mapping({}, { assets: of(["data/*"]), additional_roots: of(["lib"]) }),
    workspace: mapping({}, { mode: of("shared", "isolated"), persistence: of("ephemeral", "durable", "on-failure") }),
  },
);

const NAMES = ["one", "two", "three"];
const failure_mode = of("fail_fast", "continue_on_error", "all_or_nothing");

/** A whole file as plain data. */
export const conductorFile: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc
  .record({
    workflow: section,
    steps: fc.array(strayed, { minLength: 1, maxLength: 3 }),
    tools: texts,
    output: named(text),
    parallel: mapping({ name: of("both"), agents: of(["one", "two"]) }, { failure_mode, description: text, routes }),
    for_each: mapping(
      {
        name: of("each"),
        type: of("for_each"),
        source: of("workflow.input.topic"),
        as: of("item"),
        agent: fc.oneof(...STEPS),
      },
      { max_concurrent: of(1, 100), failure_mode, key_by: of("id"), routes, description: text },
    ),
    groups: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ workflow, steps, tools, output: result, parallel, for_each, groups }) => ({
    workflow,
    tools,
    agents: steps.map((one, index) => ({ name: NAMES[index], ...(one as object) })),
    ...(groups === 1 ? { parallel: [parallel] } : {}),
    ...(groups === 2
      ? { for_each: [{ ...(for_each as object), agent: { name: "inner", ...(for_each as { agent: object }).agent } }] }
      : {}),
    output: result,
  }));
