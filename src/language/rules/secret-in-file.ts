import type { Finding, NodePath } from "../loaded.ts";
import { code, defineRule } from "./rule.ts";

/** What common tokens look like. One expression, since it is held against every text of the file. */
const TOKENS = new RegExp(
  [
    /\bsk-[A-Za-z0-9_-]{16,}/,
    /\bgh[pousr]_[A-Za-z0-9]{20,}/,
    /\bgithub_pat_[A-Za-z0-9_]{20,}/,
    /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/,
    /\bAKIA[0-9A-Z]{16}\b/,
    /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/,
    /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
    /\b[Bb]earer\s+[A-Za-z0-9._~+/-]{16,}/,
  ]
    .map((pattern) => pattern.source)
    .join("|"),
);

const SECRET_WORDS: ReadonlySet<string> = new Set(
  "apikey secret token password passwd pwd authorization bearer credential credentials privatekey sshkey".split(" "),
);
const SECRET_PAIRS: ReadonlySet<string> = new Set(["api key", "private key", "ssh key", "access key"]);

/** Whether the name of a field says that its value is secret: by whole words, in snake, kebab and camel case. */
function soundsSecret(key: string): boolean {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  return words.some(
    (word, index) => SECRET_WORDS.has(word) || SECRET_PAIRS.has(`${word} ${words[index + 1] ?? ""}`.trim()),
  );
}

/** A value written out, rather than one that says where it comes from. */
const isLiteral = (value: string): boolean =>
  value.length >= 8 && !/\s/.test(value) && !value.includes("${") && !value.includes("{{") && !value.includes("{%");

type Said = (text: string, path: NodePath) => void;

/** Goes through all texts of a file. One path serves them all; who keeps it copies it. */
function eachText(value: unknown, say: Said, path: (string | number)[] = []): void {
  if (typeof value === "string") say(value, path);
  if (typeof value !== "object" || value === null) return;
  const isList = Array.isArray(value);
  for (const key of Object.keys(value)) {
    path.push(isList ? Number(key) : key);
    eachText((value as Readonly<Record<string, unknown>>)[key], say, path);
    path.pop();
  }
}

/** Fields whose texts are for people or describe a shape, so that a word in their name says nothing. */
const NOT_VALUES: ReadonlySet<string> = new Set("description type name pattern prompt_for on_error kind to".split(" "));

export const secretInFile = defineRule({
  name: "secret-in-file",
  severity: "warning",
  description:
    "Keys, tokens and passwords come from the environment as `${NAME}`, or from an input with `secret: true`; a workflow file is read by many.",
  example: "provider: { name: openai, api_key: sk-abc… }",
  check(context) {
    const findings: Finding[] = [];
    eachText(context.workflow.raw, (text, path) => {
      // The default of an environment reference is there to be seen.
      const written = text.includes("${") ? text.replace(/\$\{[^}]*\}/g, "") : text;
      const key = path.findLast((part) => typeof part === "string");
      const isNamed = typeof key === "string" && isLiteral(text) && !NOT_VALUES.has(key) && soundsSecret(key);
      if (!isNamed && !TOKENS.test(written)) return;
      const variable =
        typeof key === "string" && soundsSecret(key) ? key.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase() : "MY_TOKEN";
      findings.push(
        context.finding(
          [...path],
          `This looks like a secret written into the file, where everyone who reads the file can see it. Put it into the environment and write ${code(`\${${variable}}`)} here, or take it as an input with \`secret: true\`.`,
          { suggestions: [`\${${variable}}`] },
        ),
      );
    });
    return findings;
  },
});
