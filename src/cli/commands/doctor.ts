// `segno doctor`: a line for each thing that was looked at.
import { type Check, doctor as examine } from "../../services/doctor/index.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { plain } from "../text/harmless.ts";
import { wrap } from "../text/width.ts";

export default async function doctor({ asked, output }: Call): Promise<number> {
  if (asked.flag("licenses")) return await licenses(output);
  const file = asked.argument(0);
  const answer = await examine(asked.session, {
    reindex: asked.flag("reindex"),
    start: asked.flag("start"),
    starting: (text) => output.say(plain(text)),
    file,
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
  const { billFile, billOfMaterials, componentsOf, licensesFile } = await import("../../services/doctor/licenses.ts");
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
