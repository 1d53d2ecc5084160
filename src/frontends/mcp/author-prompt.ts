// The one prompt: how to write a workflow, and how to repair one whose run failed.
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { REPAIR_RULES } from "../../services/workflows/repair-rules.ts";

export const AUTHOR_PROMPT = {
  name: "workflow_author",
  title: "Write and repair workflows",
  description: "How to write a workflow for Segno and how to repair one whose run failed.",
  arguments: [
    { name: "task", description: "what the workflow should do", required: false },
    { name: "run_id", description: "a failed run that should be repaired", required: false },
  ],
};

const GUIDE = `You write and repair Segno workflows: YAML files whose steps run in the order that their routes say.

A small one:

\`\`\`yaml
workflow:
  name: publish
  entry_point: build
  input:
    version: { type: string }
steps:
  - name: build
    type: script
    command: make
    args: [dist, "VERSION={{ workflow.input.version }}"]
    raises: [build.broken]
    routes:
      - to: upload
      - { on_error: build.broken, halt: { message: "The build is broken: {{ error.message }}" } }
  - name: upload
    type: http
    method: PUT
    url: https://example.com/releases/{{ workflow.input.version }}
    body: { notes: "{{ build.output.stdout }}" }
    routes:
      - to: $end
      - { on_error: http.unavailable, retry: { max: 3 } }
output:
  version: "{{ workflow.input.version }}"
\`\`\`

To write one:
1. Read the resource segno://cheat-sheet, then of segno://language the page of each type of step that you use (segno://language/http), and those on routes, retries, groups and templates as you need them. segno://kinds has the errors that steps raise. schema_get with a \`type\` gives the fields of one type.
2. Give every step that can fail error routes for what can be handled; leave out what cannot. An error without a route stops the run, and the run can be resumed. A script that exits with another code than 0 raises \`internal.script_error\`; where such a code is no failure, list it in \`ok_exit_codes\` and route on \`exit_code\`. (In a file with \`agents:\`, which follows Conductor, the step also needs \`raises: []\` or an error route.)
3. Call workflow_validate until nothing is found, then workflow_describe and look at \`unhandled\`.
4. Write a scenario (segno://language/scenarios) for the way that should go well and for each error route, and call workflow_test: it touches nothing outside.

To repair one:
1. Call run_status, and run_explain if it is not plain what led there. \`errors\` names the step (\`node_id\`), the place in the file (\`location\`), the kind, and for templates what was \`missing\` and which fields exist (\`available_fields\`).
2. \`fixable: false\` means that no change of the file helps: say so. \`retryable: true\` means that run_resume alone may do.
3. ${REPAIR_RULES} Ask that person first.
4. Call workflow_validate, then run_resume with the run_id. Completed steps are not run again.
5. If the same error comes back, stop and report what you tried.

A gate is a question to a person. Do not answer it in their place unless they asked you to.`;

export function authorPrompt(name: string, given: Readonly<Record<string, string>>) {
  if (name !== AUTHOR_PROMPT.name)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no prompt ${name}`);
  const wishes = [
    ...(given.task ? [`Write this workflow: ${given.task}`] : []),
    ...(given.run_id ? [`Repair the run ${given.run_id}.`] : []),
  ];
  const text = [GUIDE, ...wishes].join("\n\n");
  return {
    description: AUTHOR_PROMPT.description,
    messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
  };
}
