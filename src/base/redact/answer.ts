// What an answer of Segno has beside data: fields, words, times and counts of its own, which are no secrets whatever a secret
// is, and maps whose keys are names that an author chose.
import { isEngineKind } from "../errors/kinds.ts";

type Mark = "author" | "names";

const marks = new WeakMap<object, Mark>();

function marked<Value>(value: Value, mark: Mark): Value {
  if (typeof value !== "object" || value === null || marks.has(value)) return value;
  // A copy: elsewhere the same object may be the output of a step, which is data.
  const copy = Array.isArray(value) ? [...value] : { ...value };
  marks.set(copy, mark);
  return copy as Value;
}

/** The value, marked as its author's own, as a workflow's `output` is: no key of it says what stands under it. */
export const authored = <Value>(value: Value): Value => marked(value, "author");

/**
 * A map by names of steps, items or models, with words of Segno's own under them.
 *
 * @example byName({ auth: "completed" }) // a step named `auth`; what became of it is no secret
 */
export const byName = <Value>(map: Value): Value => marked(map, "names");

export const markOf = (value: object): Mark | undefined => marks.get(value);

/** Fields of results and of what they hold: a secret that is called the same does not change the shape of an answer. */
const OUR_FIELDS = new Set(
  (
    "action answer approvers artifacts attempts available_fields available_fields_total available_fields_truncated body " +
    "by_model cached cancelled category cause cell changes checkpoint code column completed completed_nodes cost_usd count " +
    "crashed cut_off deadline degraded description details duration_ms end ended_at error error_type errors errors_jsonl " +
    "estimated_models events_jsonl execution exit_code expression failed failed_node field file fixable gate gates group " +
    "headers hint incomplete input item_key items key kind label letters line location mcp_error mcp_error_details message " +
    "method metrics missing multiline name node_actions node_hashes node_id nodes_executed nodes_total not_by options " +
    "output owner path paused prompt prompt_for prompt_optional propagated questions queued raised_at raw_response reason " +
    "reasoning recovered_by repaired request response_headers response_time resumable resume retryable route rule run_dir " +
    "run_id running runs schema shell_command shell_exit_code shell_stderr shell_stdout source started_at status " +
    "status_code steps success suggestions terminated terminated_by termination tokens total_cost_usd trace_file_hint type " +
    "unpriced_models url value via waits_because warnings when who workflow"
  ).split(" "),
);

export const isOurField = (name: string): boolean => OUR_FIELDS.has(name);

/** Fields with what steps, servers, people and files gave: there keys are data, and so are numbers. */
const DATA_FIELDS = new Set(
  (
    "details raw_response response_headers request mcp_error item inputs output outputs body headers data arguments args result " +
    "value fields metadata cause context additional_input"
  ).split(" "),
);

export const isData = (field: string): boolean => DATA_FIELDS.has(field);

const OUR_WORDS = new Set(
  (
    "valid invalid completed degraded terminated failed paused cancelled queued running crashed not_executed recovered open " +
    "retrying resolved dropped closed half_open fired skipped ended success error warning retry halt terminate default runtime " +
    "validation engine workflow input environment provider script agent http mcp wait set human_gate questions dialog parallel " +
    "for_each gate steps agents segno.result/1 segno.error/1 api_validation execution_failure exception template_error " +
    "static_validation input_validation policy"
  ).split(" "),
);

export const isOurWord = (value: unknown): boolean => typeof value === "string" && OUR_WORDS.has(value);

const WORD_FIELDS = new Set("schema status category source owner action type kind severity dialect state".split(" "));
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const TIME_FIELD = /(?:^|_)(?:at|ts|seen|started|ended|presented|deadline|since|until|modified)$/;
const ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const ID_FIELD = /^(?:id|run|(?:run|eval)_id|first_run|last_run|newest)$/;

/** Whether a field of an answer holds a word, a time or an id of Segno's own, though a secret may be a part of the same text. */
export function isOwnField(field: string, value: unknown): boolean {
  if (typeof value !== "string") return false;
  if (WORD_FIELDS.has(field)) return OUR_WORDS.has(value) || (field === "kind" && isEngineKind(value));
  return TIME_FIELD.test(field) ? TIME.test(value) : ID_FIELD.test(field) && ID.test(value);
}
