// SARIF 2.1.0, for code scanning: one run, the rules that spoke, a result for each note.

import type { Place } from "../../../results/result.ts";
import { ruleText } from "../../../services/workflows/rule-texts.ts";
import { jsonText } from "../../text/harmless.ts";
import type { ReportedCheck, ReportedFinding } from "./check.ts";

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";

export function sarif(checks: readonly ReportedCheck[], version: string): string {
  const notes = checks.flatMap((check) => check.notes);
  const rules = [...new Set(notes.map(({ rule }) => rule))];
  const result = ({ level, rule, message, place }: ReportedFinding): object => ({
    ruleId: rule,
    ruleIndex: rules.indexOf(rule),
    level,
    message: { text: message },
    ...(place ? { locations: [{ physicalLocation: physical(place) }] } : {}),
  });
  const driver = { name: "Segno", semanticVersion: version, rules: rules.map(ruleOf) };
  const run = { tool: { driver }, columnKind: "utf16CodeUnits", results: notes.map(result) };
  return `${jsonText({ $schema: SCHEMA, version: "2.1.0", runs: [run] }, 2)}\n`;
}

function ruleOf(id: string): object {
  const text = ruleText(id);
  if (!text) return { id };
  const { description, example } = text;
  const help = example === undefined ? description : `${description}\n\nFor example:\n\n${example}`;
  return { id, shortDescription: { text: description }, help: { text: help } };
}

const physical = ({ file, line, column }: Place): object => ({
  artifactLocation: { uri: uriOf(file) },
  region: { startLine: line, startColumn: column },
});

/** A path as a reference to a file: relative ones stay relative, so that a scanner finds them in the checkout. */
const uriOf = (file: string): string => {
  const path = file.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
  return path.startsWith("/") ? `file://${path}` : path;
};
