// `segno trust`: what a project would execute and send, and whether it may.
import { listTrusted, type ProjectActs, revokeTrust, trustProject } from "../../services/project/trust-project.ts";
import { checkTriggers } from "../../services/triggers/check-triggers.ts";
import { confirmed } from "../ask/prompts.ts";
import { canAskAtTerminal } from "../ask/terminal-asker.ts";
import type { Call } from "../command.ts";
import type { Colors, Output } from "../output.ts";
import { plain } from "../text/harmless.ts";
import { columns, WHOLE_LINES } from "../text/width.ts";
import { answerWith } from "../usage-error.ts";

export default async function trust({ asked, output }: Call): Promise<number> {
  const { green, yellow, dim } = output.outColors;
  if (asked.flag("list"))
    return answerWith(listTrusted(asked.session), output, ({ projects }) =>
      projects.length === 0
        ? "No project is trusted.\n"
        : `${columns(
            projects.map(({ file, at }) => [plain(file), dim(at)]),
            output.stdout.columns ?? WHOLE_LINES,
          )}\n`,
    );
  if (asked.flag("revoke"))
    return answerWith(
      await revokeTrust(asked.session),
      output,
      ({ file }) => `${plain(file ?? "")} is not trusted any more.\n`,
    );
  const yes = asked.flag("yes");
  const answer = await trustProject(asked.session, {
    yes,
    check: checkTriggers,
    ...(canAskAtTerminal(output) ? { confirm: (acts: ProjectActs) => confirm(acts, output) } : {}),
  });
  // Without a terminal to ask on, what is refused is shown all the same, so that the log has it.
  if (!answer.success && answer.acts && output.format === "text")
    output.stderr.write(actsText(answer.acts, output.colors));
  if (answer.success && output.format === "text")
    for (const { message, location } of answer.warnings)
      output.stderr.write(`${yellow("!")} ${plain(`${location?.file ?? ""}:${location?.line ?? 1}: ${message}`)}\n`);
  return answerWith(answer, output, ({ file, trusted, acts }) => {
    const what = acts && (yes || !trusted) ? actsText(acts, output.outColors) : "";
    return `${what}${trusted ? `${green("✓")} ${plain(file ?? "")} is trusted as it is now.` : yellow("Not trusted; nothing of it acts.")}\n`;
  });
}

function confirm(acts: ProjectActs, output: Output): Promise<boolean> {
  output.stderr.write(actsText(acts, output.colors));
  return confirmed("Do you trust this project, as it is now?");
}

/** Enough to compare with what `sha256sum` says of the file; JSON has all of it. */
const SHOWN_OF_HASH = 16;

function actsText(
  { file, plugins, code, imports, hashes, packages, triggers, people, home, sends, removes }: ProjectActs,
  { bold, dim }: Colors,
): string {
  const block = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [bold(title), ...lines.map((line) => `  ${plain(line)}`)];
  const hashed = (one: string): string => `${one}  sha256 ${hashes[one]?.slice(0, SHOWN_OF_HASH) ?? "unknown"}…`;
  const by = plugins.length === 0 ? "a workflow" : code.length === 0 ? "a plugin" : "a plugin or a workflow";
  const taken = [
    ...imports.map((one) => `${hashed(one)} (taken in by ${by})`),
    ...packages.map(({ name, version, files }) => `${name} ${version} (a package, ${files} files)`),
  ];
  const lines = [
    dim(plain(file)),
    ...block("Code that every command executes:", [...plugins.map(hashed), ...(plugins.length > 0 ? taken : [])]),
    ...block("Workflows that are code, executed by commands about them:", [
      ...code.map(hashed),
      ...(plugins.length > 0 ? [] : taken),
    ]),
    ...block(
      "Runs that start by themselves, while a server is up:",
      triggers.map(({ name, fires, workflow }) => `${name}: ${workflow}, ${fires}`),
    ),
    ...block("Who may sign in at a server with a token of theirs, and act in their name:", people),
    ...block(
      "Runs that go on by themselves, while a server is up, when their gates time out, and whose gates tell people:",
      home === null ? [] : [`those that are kept in ${home}`],
    ),
    ...block("What is sent:", sends),
    ...block("What servers and workers remove:", removes),
  ];
  return `${lines.join("\n")}\n`;
}
