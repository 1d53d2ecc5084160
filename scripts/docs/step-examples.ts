// One short example of each type of step, for docs/reference.md. The tests of the docs hold them against the language.
import type { StepTypeName } from "../../src/steps/types.ts";

export const STEP_EXAMPLES: Readonly<Partial<Record<StepTypeName, string>>> = {
  agent: `
- name: sort
  prompt: |
    Which team does this belong to? Raise triage.unclear if it cannot be told.

    {{ workflow.input.text }}
  output:
    team: { type: string, enum: [billing, support] }
  raises: [triage.unclear]
  routes:
    - { to: refund, when: "team == 'billing'" }
    - { to: answer }
    - { on_error: [triage.unclear, internal.schema_violation], to: ask }`,
  script: `
- name: count
  type: script
  command: python3
  args: [count.py, "--since", "{{ workflow.input.since }}"]
  stdin: "{{ fetch.output.body | tojson }}"       # what is long; an argument has a limit
  env: { TZ: UTC }
  timeout: 2m
  output: { rows: { type: number } }              # of the JSON object that it prints
  routes:
    - { to: load, when: rows > 0 }
    - { to: $end }
    - { on_error: internal.timeout, retry: 1 }
    - { on_error: internal.script_error, to: tell }   # it exited with another code than 0`,
  http: `
- name: create
  type: http
  method: POST
  url: "https://api.example.com/issues/{{ workflow.input.project }}"
  query: { notify: false }
  headers: { authorization: "Bearer \${TRACKER_TOKEN}" }
  body: { title: "{{ draft.output.title }}", labels: "{{ draft.output.labels }}" }
  timeout: 30
  routes:
    - { to: tell, when: "status == 201" }         # later: {{ create.output.body.id }}
    - { to: $end }
    - { on_error: [http.unavailable, http.network], retry: { max: 3, initial_seconds: 2 } }
    - { on_error: http.status, when: "error.details.status_code == 409", to: update }`,
  mcp: `
- name: open_issue
  type: mcp
  server: github                                  # one of workflow.runtime.mcp_servers
  tool: create_issue
  arguments: { repo: acme/shop, title: "{{ draft.output.title }}" }
  routes:
    - to: $end
    - { on_error: mcp.tool_error, halt: { message: "{{ error.message }}", resumable: true } }
    - { on_error: mcp.protocol_error, retry: 2 }`,
  set: `
- name: totals
  type: set
  values:
    paid: "{{ orders.output.body | selectattr('paid') | list | length }}"
    names: "{{ orders.output.body | map(attribute='name') | list }}"
  routes: [{ to: report, when: paid > 0 }, { to: $end }]   # later: {{ totals.output.paid }}`,
  wait: `
- { name: pause, type: wait, duration: "{{ workflow.input.minutes }}m", reason: the cache fills, routes: [{ to: check }] }`,
  human_gate: `
- name: approve
  type: human_gate
  prompt: "Publish **{{ build.output.version }}**?"
  options:
    - { label: Publish, value: "yes", route: publish }
    - { label: Not now, value: "no", route: stop, prompt_for: why }   # {{ approve.output.additional_input.why }}
  timeout: 1d
  on_timeout: "no"`,
  questions: `
- name: ask
  type: questions
  questions:
    - { id: db, text: "Which database?", choices: [Postgres, SQLite], default: SQLite }
    - { id: name, text: "What is it called?", required: true }
  routes: [{ to: make }]                          # later: {{ ask.output.answers.name }}`,
  workflow: `
- name: deploy
  type: workflow
  workflow: ./deploy.yaml
  input_mapping: { target: "{{ workflow.input.target }}", files: "{{ build.output.files }}" }
  routes:
    - { to: tell, when: "deploy.output.changed" }   # what the child's \`output:\` has
    - { to: $end }
    - { on_error: deploy.denied, to: ask }          # raised in the child, and handled nowhere there`,
  terminate: `
- name: nothing_new
  type: terminate
  status: success
  reason: "no rows since {{ workflow.input.since }}"
  output_template: { imported: 0 }`,
};

export const PARALLEL_EXAMPLE = `
parallel:
  - name: checks
    agents: [lint, unit]                          # steps of this file
    failure_mode: all_or_nothing
    routes:
      - { to: publish }                           # {{ checks.outputs.lint.stdout }}
      - { on_error: true, to: report }            # {{ checks.errors.unit.message }}`;

export const FOR_EACH_EXAMPLE = `
for_each:
  - name: each
    type: for_each
    source: list.output.body.regions              # or a template that gives a list
    as: region
    key_by: name                                  # outputs and errors by region.name
    max_concurrent: 4
    failure_mode: continue_on_error
    agent:                                        # any step, also \`type: workflow\`
      name: deploy
      type: script
      command: ./deploy.sh
      args: ["{{ region.name }}"]
      routes:                                     # a member has error routes only
        - { on_error: internal.script_error, retry: 1 }
    routes:
      - { to: $end, output: { done: "{{ each.succeeded }}", lost: "{{ each.errors | list }}" } }`;
