// `segno init`, `segno trust` and `segno doctor`: sets up a folder, a project and this machine.
import { shellWord } from "../../../base/events/typeable.ts";
import type { Check } from "../../../services/doctor/index.ts";
import type { ProjectActs } from "../../../services/project/trust-project.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { plain } from "../text/harmless.ts";
import { columns, wrap } from "../text/width.ts";
import { answerWith } from "../usage-error.ts";

export async function init({ asked, output }: Call): Promise<number> {
  const { initProject, listTemplates } = await import("../../../services/workflows/init.ts");
  const { green, bold, dim } = output.outColors;
  if (asked.flag("list"))
    return answerWith(await listTemplates({}), output, ({ templates }) => {
      const width = Math.max(...templates.map(({ name }) => name.length));
      const rows = templates.map(({ name, about }) => `${bold(name.padEnd(width))}  ${about}`);
      return `${[...rows, "", dim(`Take one: ${asked.program} init DIR --template NAME`)].join("\n")}\n`;
    });
  const dir = asked.argument(0) ?? ".";
  const template = asked.text("template");
  const answer = await initProject(asked.session, { dir, project: asked.flag("project"), template });
  return answerWith(answer, output, ({ files, kept }) => {
    const written = (name: RegExp): string | undefined => files.find((file) => name.test(file));
    const [workflow, project] = [
      written(new RegExp(`(^|[\\\\/])${template ?? "hello"}\\.yaml$`)),
      written(/(^|[\\/])segno\.yaml$/),
    ];
    const lines = [
      ...files.map((file) => `${green("✓")} ${file}`),
      ...kept.map((file) => dim(`· ${file} was there already and is left as it is`)),
    ];
    // Below the folder that was written: scenarios of others are not its business.
    const below = dir === "." ? "" : ` ${shellWord(dir)}`;
    const segno = asked.program;
    const commands = [
      ...(workflow === undefined
        ? []
        : [
            ...(template === undefined ? [[`${segno} run ${shellWord(workflow)}`, "run it"]] : []),
            [`${segno} validate ${shellWord(workflow)}`, "check it as you change it"],
            [
              `${segno} test${below}`,
              template === undefined ? "take its error route, offline" : "take its error routes, offline",
            ],
            ...(template === undefined ? [] : [[`${segno} graph ${shellWord(workflow)}`, "see it"]]),
          ]),
      ...(project === undefined
        ? []
        : [
            ...(workflow === undefined ? [[`${segno} validate ${shellWord(project)}`, "check the project"]] : []),
            [
              `${dir === "." ? "" : `cd ${shellWord(dir)} && `}${segno} trust`,
              "see what segno.yaml would execute or start, and allow it",
            ],
          ]),
    ];
    const width = Math.max(...commands.map(([line = ""]) => line.length));
    const next = commands.map(([line = "", about = ""]) => `  ${bold(line.padEnd(width))}  ${dim(about)}`);
    return `${[...lines, "", "Next:", ...next].join("\n")}\n`;
  });
}

export async function trustCommand({ asked, output }: Call): Promise<number> {
  const { listTrusted, revokeTrust, trustProject } = await import("../../../services/project/trust-project.ts");
  const { green, yellow, dim } = output.outColors;
  if (asked.flag("list"))
    return answerWith(listTrusted(asked.session), output, ({ projects }) => {
      const rows = projects.map(({ file, at }) => [plain(file), dim(at)]);
      return rows.length === 0 ? "No project is trusted.\n" : `${columns(rows, output.width)}\n`;
    });
  if (asked.flag("revoke")) {
    const revoked = await revokeTrust(asked.session);
    return answerWith(revoked, output, ({ file }) => `${plain(file ?? "")} is not trusted any more.\n`);
  }
  const [{ checkTriggers }, { confirmer }] = await Promise.all([
    import("../../../features/triggers/check-triggers.ts"),
    import("../ask/terminal-asker.ts"),
  ]);
  const confirm = confirmer(output);
  const yes = asked.flag("yes");
  const answer = await trustProject(asked.session, {
    yes,
    check: checkTriggers,
    confirm:
      confirm &&
      ((acts) => {
        output.stderr.write(actsText(acts, output.colors));
        return confirm("Do you trust this project, as it is now?");
      }),
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
    ...block("People who may sign in at a server with their own token, and act in their name:", people),
    ...block(
      "Runs that go on by themselves when their gates time out, and whose gates send notices, while a server is up:",
      home === null ? [] : [`those in ${home}`],
    ),
    ...block("What is sent:", sends),
    ...block("What servers and workers remove:", removes),
  ];
  return `${lines.join("\n")}\n`;
}

export async function doctorCommand({ asked, output }: Call): Promise<number> {
  if (asked.flag("licenses")) return await licenses(output);
  const { doctor: examine } = await import("../../../services/doctor/index.ts");
  const answer = await examine(asked.session, {
    reindex: asked.flag("reindex"),
    start: asked.flag("start"),
    starting: (text) => output.say(plain(text)),
    file: asked.argument(0),
    brokenPlugin: asked.brokenPlugin,
  });
  if (output.format !== "text") output.json(answer);
  else {
    output.stdout.write(checksText(answer.checks, output.outColors, Math.min(output.stdout.columns ?? 100, 120)));
    const { green, red } = output.outColors;
    output.print(answer.success ? green("\nEverything that was looked at is in order.") : red(`\n${answer.error}`));
  }
  return answer.exit_code ?? 1;
}

async function licenses(output: Call["output"]): Promise<number> {
  const { billFile, billOfMaterials, componentsOf, licensesFile } = await import(
    "../../../services/doctor/licenses.ts"
  );
  const bill = billOfMaterials();
  if (!bill) {
    output.say(`${billFile()} is missing; the build writes it. Install Segno again, or run its build.`);
    return 1;
  }
  if (output.format !== "text") {
    output.json(bill);
    return 0;
  }
  const rows = componentsOf(bill);
  const widest = Math.max(...rows.map(({ name, version }) => name.length + version.length + 1));
  for (const { name, version, license } of rows) output.print(`${`${name} ${version}`.padEnd(widest)}  ${license}`);
  output.print(`\nTheir texts: ${licensesFile()}`);
  return 0;
}

export function checksText(checks: readonly Check[], colors: Colors, width: number): string {
  const widest = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, ok, message, ready }) => {
    const sign = !ok ? colors.red("✗") : ready === false ? colors.dim("·") : colors.green("✓");
    const text = wrap(plain(message), Math.max(width - widest - 5, 30));
    return text.map((line, index) =>
      index === 0
        ? `${sign} ${colors.bold(plain(name).padEnd(widest))}  ${ok ? line : colors.red(line)}`
        : `${" ".repeat(widest + 4)}${ok ? line : colors.red(line)}`,
    );
  });
  return `${lines.join("\n")}\n`;
}
