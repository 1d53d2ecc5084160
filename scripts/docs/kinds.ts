// docs/kinds.md: every kind of the engine's, from the registry.
import { ENGINE_PREFIXES, KINDS, type Kind } from "../../src/base/errors/kinds.ts";
import { capital, code, generated, paragraphs, table } from "./markdown.ts";

const yesNo = (value: boolean): string => (value ? "yes" : "no");

const entry = (kind: Kind): string =>
  paragraphs(
    `### ${code(kind.kind)}`,
    `Raised when ${kind.when}.${kind.optIn ? " In a file with `agents:` the step has to [opt in](errors.md#opting-in)." : ""}`,
    `Details: ${kind.details.length > 0 ? kind.details.map(code).join(", ") : "none; the original error is its `cause`"}.`,
  ).trimEnd();

export function kindsPage(): string {
  const kinds = [...KINDS.values()];
  return paragraphs(
    generated("src/base/errors/kinds.ts"),
    "# Error kinds",
    "Look up what a kind means, what its `details` hold, and whether trying again or editing the file can help. Kinds of your own need no registry: any dotted lower-case name with at least one dot will do, as long as it does not begin with a prefix of the engine.",
    `The engine's prefixes are ${ENGINE_PREFIXES.map((prefix) => code(`${prefix}*`)).join(", ")}. A step's \`raises:\` may not name a kind under them; \`on_error\` may, for every kind below but \`halt.intentional\`.`,
    "Every error in a result has these fields, by its kind:",
    table(
      ["field", "meaning"],
      [
        ["`category`", "what sort of failure it is"],
        ["`fixable`", "whether editing the workflow, the inputs or the machine can help"],
        ["`retryable`", "whether the same call may succeed later; `resilience.retry` tries these by default"],
        ["`owner`", "who has to act: `workflow`, `input`, `environment`, `provider`, `engine` or `person`"],
      ],
    ),
    "## All of them",
    table(
      ["kind", "category", "fixable", "retryable", "owner"],
      [
        ...kinds.map(({ kind, category, fixable, retryable, owner, refine }) => [
          `[${code(kind)}](#${kind.replaceAll(".", "")})${refine ? " ¹" : ""}`,
          category,
          yesNo(fixable),
          yesNo(retryable),
          owner,
        ]),
        ["a kind of yours", "execution_failure", "yes", "no", "workflow"],
      ],
    ),
    "¹ With these exceptions:",
    table(
      ["kind", "when", "then"],
      [
        [
          "`http.status`",
          "401, 403",
          "not fixable, `execution_failure`: it is about who asks, not about what the file says",
        ],
        [
          "`http.network`",
          "`code: IDLE_TIMEOUT` of a POST or PATCH",
          "not retryable: the server may have done the work",
        ],
        ["`internal.step_error`", "it names code of yours in `own_code`", "the environment's, not the engine's"],
        ["`provider.rejected`", "401, 403, or no key", "not fixable, the environment's"],
        [
          "`provider.exhausted`",
          "`limit` is `max_agent_iterations` or `max_session_seconds`",
          "the workflow's: fixable (raise the limit), not retryable, `execution_failure`",
        ],
        ["`provider.exhausted`", "`limit` is `quota`", "the provider gives no more for now"],
      ],
    ),
    ...kinds.map(entry),
    "## Endings without a kind",
    table(
      ["what", "`error_type`", "category"],
      [
        ["a finding of `validate`", "", "static_validation"],
        ["inputs that do not fit", "", "input_validation"],
        ["`max_iterations`, the timeout, an enforced budget", "", "policy"],
        ["a `terminate` with `status: failed`", "`WorkflowTerminated`", "execution_failure"],
        ["a cancel", "`Cancelled`", "execution_failure"],
      ].map(([what, type, category]) => [capital(what ?? ""), type ?? "", category ?? ""]),
    ),
    "They stop the run and are not routable. In a sub-workflow its own limits become `subworkflow.failed`, and its failed `terminate` becomes `subworkflow.terminated`: those are.",
  );
}
