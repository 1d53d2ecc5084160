// Findings of loading a file, before there is a workflow that rules could judge. A test holds the names against the sources.
export const LOADING_RULES: Readonly<Record<string, readonly ["error" | "warning", string]>> = {
  "yaml-syntax": ["error", "The file is YAML 1.2 in UTF-8, without duplicate keys."],
  "unknown-key": [
    "error",
    "A key exists where it is written; the message names the nearest that does, or the step type it belongs to.",
  ],
  "two-dialects": ["error", "A file has `agents:` or `steps:`, not both."],
  "missing-key": ["error", "A key that is needed is there."],
  "wrong-type": ["error", "A value is of the type that its key takes."],
  "foreign-step": [
    "error",
    "A step has Segno's keys. For `run:` and `uses:` of other tools, the message says how to write the step here.",
  ],
  "missing-file": ["error", "A file that `!file`, a `workflow` step or a policy `module` names exists."],
  "unreadable-file": ["error", "A file that is named can be read, and does not include itself."],
  "unset-variable": ["error", "`${NAME}` is set in the environment, or has a default: `${NAME:-default}`."],
  "sub-workflow-depth": ["error", "Sub-workflows nest at most ten deep."],
  "unsupported-option": [
    "warning",
    "An option has an effect in Segno; this names one of Conductor's that has none. A workflow from a registry is an error.",
  ],
  "key-at-other-address": [
    "error",
    "A key of the environment goes to the provider that it belongs to, or to an address that the user names. A `base_url` that the file names needs a key in the file, or its host in `SEGNO_ALLOW_KEY_TO`.",
  ],
  "missing-skill": ["warning", "A skill that is named can be found."],
  "too-many-findings": [
    "error",
    "A file has a limited number of findings: the first ones are shown, the rest is left out.",
  ],
};
