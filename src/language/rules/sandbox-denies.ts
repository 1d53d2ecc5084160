import type { Finding } from "../loaded.ts";
import { type CodingStep, codingSteps } from "./parts-of-file.ts";
import { code, defineRule } from "./rule.ts";

const PUSHES =
  /\bgit\s+push\b|\bpush(?:es)?\s+(?:it|them|the|your|to|all|a)\b|\bcommits?\s+and\s+push(?:es)?\b|\bopen(?:s)? a (?:pull|merge) request\b/i;
const COMMITS = /\bgit\s+commit\b|\bcommit(?:s)?\s+(?:it|them|the|your|all|everything|and)\b/i;
const CHANGES = /^(?:edit|write|notebookedit|multiedit|create|apply_patch)\b/i;
const COMMANDS = /^(?:bash|shell)\b/i;

/** Why the sandbox denies what is asked of git, and what would help; as far as can be known. */
function* gitDenials(step: CodingStep, asked: string): Generator<string> {
  const { sandbox, network, provider } = step;
  const isPushed = PUSHES.test(asked);
  const isCommitted = COMMITS.test(asked);
  if (provider === "copilot" && (isPushed || isCommitted)) {
    if (step.ask === "deny")
      yield `it is to ${isCommitted ? (isPushed ? "commit and push" : "commit") : "push"}, and copilot runs no commands under \`sandbox: ${sandbox}\`, since nothing confines them. Do it in a script step after it`;
    return;
  }
  if (isCommitted && sandbox === "read-only")
    yield "it is to commit, and under `sandbox: read-only` an agent changes nothing. Commit in a script step after it";
  else if (isCommitted && provider === "codex")
    yield "it is to commit, and codex mounts `.git` read-only under `sandbox: workspace`. Commit in a script step after it";
  if (isPushed && !network)
    yield `it is to push, and under \`sandbox: ${sandbox}\` commands have no network. Push in a script step after it, or say \`network: true\``;
}

function* promptDenials(step: CodingStep): Generator<string> {
  const { prompt } = step.step;
  const byGit = [...gitDenials(step, prompt)];
  yield* byGit;
  if (byGit.length > 0 || step.sandbox !== "read-only" || step.ask === "gate") return;
  const said = saysToWriteFile(prompt);
  if (said !== undefined)
    yield `its prompt says ${code(said)}, and under \`sandbox: read-only\` an agent changes nothing. Use \`sandbox: workspace\`, or let it answer with the text and write that in a later step`;
}

function* allowDenials(step: CodingStep): Generator<string> {
  const { sandbox, provider } = step;
  // Every agent knows this one.
  const allow = step.allow.filter((rule) => rule !== "node_modules");
  const command = provider === "copilot" ? allow.find((rule) => COMMANDS.test(rule.trim())) : undefined;
  if (command !== undefined) {
    yield `it allows ${code(command)}, and nothing confines copilot's commands, so that under \`sandbox: ${sandbox}\` the step is refused before it starts. Take it out and let a person decide with \`ask: gate\`, or use claude-agent-sdk or codex`;
    return;
  }
  const changes = sandbox === "read-only" ? allow.find((rule) => CHANGES.test(rule.trim())) : undefined;
  if (changes !== undefined) {
    yield `it allows ${code(changes)}, and under \`sandbox: read-only\` an agent changes nothing. Use \`sandbox: workspace\``;
    return;
  }
  const byGit = [...gitDenials(step, allow.join("\n"))];
  yield* byGit;
  const [rule] = provider === "claude-agent-sdk" || byGit.length > 0 ? [] : allow;
  if (rule !== undefined)
    yield `it allows ${code(rule)}, and ${provider} has no such list, so that it changes nothing. Take it out, or let a person decide with \`ask: gate\``;
}

/** Where `allow` stands: on the step, on its provider, or on the file's. */
function allowPath({ node, step }: CodingStep): readonly (string | number)[] {
  if (step.allow) return [...node.path, "allow"];
  const isOwn = step.provider && "allow" in step.provider && step.provider.allow !== undefined;
  return isOwn ? [...node.path, "provider", "allow"] : ["workflow", "runtime", "provider", "allow"];
}

export const sandboxDenies = defineRule({
  name: "sandbox-denies",
  severity: "warning",
  description: "An agent's sandbox allows what its prompt or its `allow` asks for, as far as Segno can tell.",
  example: "- { name: fix, provider: codex, prompt: Fix the test and commit it. }",
  *check(context) {
    for (const found of codingSteps(context)) {
      if (found.sandbox === "full") continue;
      const { name, path } = found.node;
      const finding = (where: readonly (string | number)[], by: string, why: string): Finding =>
        context.finding(where, `${code(name)} will be denied something${by}: ${why}.`, { node: name });
      const byPrompt = [...promptDenials(found)];
      for (const why of byPrompt) yield finding([...path, "prompt"], "", why);
      if (byPrompt.length > 0) continue;
      for (const why of allowDenials(found)) yield finding(allowPath(found), " by its `allow`", why);
    }
  },
});

/** Where an order begins: a sentence, an item of a list, or a further part of one. */
const BEGIN = String.raw`(?:^|[.;:!?\n]\s*|,\s*|\b(?:and|then|please|finally)\s+)(?:[-*]\s+|\d+[.)]\s+)?`;
const ARTICLES = String.raw`(?:(?:the|a|an|this|that|each|every|all|new|your)\s+)*`;
const PATH = String.raw`[\x60"']?(?:[\w.-]+\/)*[\w-]+\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cpp|cs|php|sh|sql|md|txt|json|jsonl|ya?ml|toml|xml|html|css|csv|ini|env|lock)\b`;
const FILE = String.raw`${ARTICLES}(?:files?\b|(?:file\s+)?${PATH})`;

const ORDERS = [
  `(?:write|edit|modify|rewrite|overwrite|create|update|fix|patch|delete|remove|rename)\\s+${FILE}`,
  `(?:write|save|append|add|put|store)\\s+[^.;:!?\\n]{0,60}?\\b(?:to|into)\\s+${FILE}`,
].map((order) => new RegExp(`${BEGIN}(${order})`, "i"));

/**
 * Whether a prompt says to write a file. Only what is said as an order counts, and only of a file: "say how to edit
 * it", "do not change any file" and "write a summary of notes.md" are none. The order, as it is written; nothing when
 * there is none.
 */
function saysToWriteFile(prompt: string): string | undefined {
  for (const order of ORDERS) {
    const [, said] = order.exec(prompt) ?? [];
    if (said !== undefined) return said.replace(/[`"']/g, "");
  }
  return undefined;
}
