// What authors without the documentation at hand read of the language: a page for each thing that a file says, put together
// from sections of docs/.

export interface LanguagePage {
  /** `script` for `segno://language/script`. */
  readonly name: string;
  readonly title: string;
  /** One line, for the index. */
  readonly about: string;
  /**
   * Sections of docs/: `errors#matching`. With ` only` behind it without the sections below it; with ` as TITLE` under another
   * heading, where its own says too little out of its page.
   */
  readonly from: readonly string[];
}

export const LANGUAGE_PAGES: readonly LanguagePage[] = [
  {
    name: "file",
    title: "The file",
    about: "What stands at the top of a file: `workflow`, its inputs, limits, hooks and output; the two dialects.",
    from: [
      "reference#top-level",
      "reference#workflow only",
      "reference#workflowinputname",
      "reference#workflowcontext",
      "reference#workflowlimits",
      "reference#workflowhooks only",
      "reference#workflowmcp",
      "conductor#two-dialects",
    ],
  },
  {
    name: "steps",
    title: "Steps",
    about: "The types of steps, the fields that every step has, `output:` (schemas) and `cache`.",
    from: ["reference#steps only", "reference#fields-of-every-step", "reference#output-fields", "reference#cache"],
  },
  {
    name: "agent",
    title: "Steps that ask a model",
    about: "`type: agent`: the prompt, structured output, raising.",
    from: [
      "reference#type-agent only",
      "agents#structured-output",
      "agents#raising",
      "agents#one-agent as A whole file",
    ],
  },
  {
    name: "agent-keys",
    title: "Providers and keys",
    about: "Whom agents ask: providers, their keys, addresses and hosts.",
    from: ["agents#providers-and-keys"],
  },
  {
    name: "agent-models",
    title: "Models and cost",
    about: "Of agents: fallbacks, retries of calls, budgets, a validator, a dialog.",
    from: [
      "agents#models-and-fallbacks",
      "agents#what-comes-before-a-prompt",
      "agents#when-a-call-fails",
      "agents#cost-and-budgets",
      "agents#a-second-opinion",
      "agents#let-the-agent-ask-back",
      "reference#retry as `retry` of an agent",
      "reference#reasoning",
      "reference#validator",
      "reference#dialog",
    ],
  },
  {
    name: "providers",
    title: "Settings of providers",
    about: "`workflow.runtime.provider`: addresses, keys and options of each provider.",
    from: ["reference#workflowruntimeprovider"],
  },
  {
    name: "agent-tools",
    title: "Tools of agents",
    about: "MCP servers in `runtime.mcp_servers`, and which of their tools an agent gets.",
    from: ["agents#tools-from-mcp-servers", "reference#workflowruntimemcp_serversname"],
  },
  {
    name: "coding-agents",
    title: "Coding agents as steps",
    about: "`provider: claude-agent-sdk`, `codex`, `copilot`, `acp`: sandbox, permission, what comes back.",
    from: [
      "coding-agents only",
      "coding-agents#asking-for-permission",
      "coding-agents#what-comes-back",
      "coding-agents#limits",
    ],
  },
  {
    name: "script",
    title: "Scripts",
    about: "`type: script`: a command without a shell, its exit code, raising errors of your own.",
    from: [
      "reference#type-script",
      "errors#exit-codes-that-are-no-failure",
      "errors#raising-from-a-script only",
      "errors#bash",
      "errors#python",
      "errors#node",
      "errors#a-wrapper-in-the-step",
    ],
  },
  {
    name: "http",
    title: "HTTP requests",
    about: "`type: http`: the request, which statuses are errors, answers that say no.",
    from: ["reference#type-http", "errors#raise_when"],
  },
  {
    name: "mcp",
    title: "Calls of MCP tools",
    about: "`type: mcp`: one call of a tool, without a model.",
    from: ["reference#type-mcp", "reference#workflowruntimemcp_serversname"],
  },
  {
    name: "set",
    title: "Values",
    about: "`type: set`: computes values for later steps.",
    from: ["reference#type-set", "templates#types as Types in templates"],
  },
  { name: "wait", title: "Waiting", about: "`type: wait`: lets time pass.", from: ["reference#type-wait"] },
  {
    name: "human_gate",
    title: "Gates",
    about: "`type: human_gate`: a person decides.",
    from: ["reference#type-human_gate", "gates#a-gate as A whole file", "gates#who-may-answer-and-until-when only"],
  },
  {
    name: "questions",
    title: "Questions",
    about: "`type: questions`: a person answers a list.",
    from: ["reference#type-questions", "gates#questions as A whole file"],
  },
  {
    name: "workflow",
    title: "Sub-workflows",
    about: "`type: workflow`: inputs, output, errors that cross the boundary.",
    from: ["reference#type-workflow", "errors#sub-workflows as Errors of sub-workflows"],
  },
  {
    name: "terminate",
    title: "Ending on purpose",
    about: "`type: terminate`, and how it differs from `halt` and `$end`.",
    from: ["reference#type-terminate", "terminate"],
  },
  {
    name: "groups",
    title: "Groups",
    about: "`parallel` and `for_each`: members, outputs, errors of some of them.",
    from: ["reference#groups", "errors#groups as Errors in groups"],
  },
  {
    name: "routes",
    title: "Routes",
    about: "Where a step leads, after success and after errors; what is unhandled.",
    from: [
      "reference#routes only",
      "errors#matching",
      "errors#the-four-actions only",
      "errors#error-in-a-handler",
      "errors#defaults-for-the-whole-file",
      "errors#what-unhandled-means only",
    ],
  },
  {
    name: "retries",
    title: "Retries",
    about: "Retries of a route, of `resilience`, of calls to a model; what a retried step may read of its error.",
    from: [
      "errors#retry as Retries of a route",
      "errors#error-in-a-handler",
      "resilience#retry as Retries of `resilience`",
      "resilience#who-decides as Who decides: routes or `resilience`",
      "agents#when-a-call-fails as Calls to a model",
    ],
  },
  {
    name: "errors",
    title: "Errors",
    about: "Kinds and envelopes: how each type of step raises.",
    from: [
      "errors#the-envelope",
      "errors#raising-from-a-script only",
      "errors#raising-from-an-agent",
      "errors#raise_when",
    ],
  },
  {
    name: "templates",
    title: "Templates",
    about: "What is in scope, types, conditions, filters.",
    from: ["templates"],
  },
  {
    name: "resilience",
    title: "Resilience",
    about: "`workflow.resilience`: breakers, dead letters, escalation.",
    from: [
      "resilience#circuit_breaker",
      "resilience#dead_letter",
      "resilience#escalate",
      "reference#workflowresilience only",
    ],
  },
  {
    name: "policies",
    title: "Policies",
    about: "`workflow.policies`: rules that refuse steps before they run.",
    from: ["resilience#policies", "reference#workflowpolicies"],
  },
  {
    name: "runtime",
    title: "Runtime",
    about: "`workflow.runtime` and `workflow.cost`: default model, checkpoints, limits of calls, prices.",
    from: ["reference#workflowruntime only", "reference#workflowruntimelimits", "reference#workflowcost"],
  },
  {
    name: "scenarios",
    title: "Scenarios",
    about: "Tests that play a workflow offline: what answers for steps, what is expected.",
    from: ["testing#what-a-scenario-can-say", "testing#answers-that-scenarios-share"],
  },
  {
    name: "resume",
    title: "Resume",
    about: "What is reused when a run goes on with an edited file.",
    from: ["resume#what-is-reused-and-why", "resume#what-can-be-resumed", "resume#reuse-across-runs-cache"],
  },
  {
    name: "project",
    title: "segno.yaml",
    about: "Settings of a project: people, policies, plugins, triggers, retention, trust.",
    from: ["projects#the-file", "projects#your-own-step-types", "projects#trust"],
  },
  {
    name: "triggers",
    title: "Triggers",
    about: "Runs that start by themselves: at a time, after a webhook, after a run.",
    from: [
      "triggers only",
      "triggers#at-a-time",
      "triggers#after-a-webhook",
      "triggers#after-a-run",
      "triggers#what-templates-see",
    ],
  },
  {
    name: "typescript",
    title: "Workflows in TypeScript",
    about: "The same language as code: steps, references, functions, routes, groups.",
    from: [
      "typescript#a-first-one",
      "typescript#steps",
      "typescript#references",
      "typescript#function-steps",
      "typescript#routes-and-errors",
      "typescript#groups-and-sub-workflows",
    ],
  },
  {
    name: "typescript-runs",
    title: "Running and testing workflows in TypeScript",
    about: "From the command line, from a program, in tests.",
    from: ["typescript#run-it-from-the-command-line", "typescript#from-your-program", "typescript#tests"],
  },
];
