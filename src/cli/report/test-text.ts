// Scenario results for people.
import type { TestAnswer } from "../../services/test.ts";
import type { Colors } from "../output.ts";
import { amount } from "../text/amount.ts";
import { columns } from "../text/columns.ts";
import { plain, plainLineOf } from "../text/harmless.ts";

type Report = TestAnswer["scenarios"][number];

export function scenarioLine(
  { name, passed, skipped, problems, refused = [], duration_ms }: Report,
  colors: Colors,
): string {
  const { green, red, yellow, dim } = colors;
  if (skipped !== undefined) return `${yellow("-")} ${plainLineOf(name)}  ${dim(`skipped: ${plainLineOf(skipped)}`)}\n`;
  const head = `${passed ? green("✓") : red("✗")} ${plainLineOf(name)}  ${dim(`${duration_ms} ms`)}\n`;
  const said = passed ? refused.map((one) => dim(plain(one))) : problems.map((problem) => red(plain(problem)));
  return head + said.map((text) => `    ${text.replaceAll("\n", "\n    ")}\n`).join("");
}

/** What is about to run for real, in one line that is also a comment of TAP. */
export const realCallsLine = (file: string, calls: readonly string[]): string =>
  plainLineOf(`# ${file} scripts not everything, so this runs for real: ${calls.join("; ")}`);

export function coverageText(
  { files, error_routes_percent }: NonNullable<TestAnswer["coverage"]>,
  colors: Colors,
): string {
  const { bold, dim, red, green } = colors;
  const share = ({ taken, total }: { readonly taken: number; readonly total: number }): string =>
    total === 0 ? dim("none") : (taken === total ? green : red)(`${taken}/${total}`);
  const head = ["FILE", "STEPS", "ROUTES", "ERROR ROUTES"].map((word) => dim(word));
  const rows = files.map((file) => [
    bold(plainLineOf(file.file)),
    share(file.steps),
    share(file.success_routes),
    share(file.error_routes),
  ]);
  const untaken = files.flatMap(({ file, untaken: list }) =>
    list.map(({ what, node, line, route }) => {
      const said = what === "step" ? `step ${node}` : `${what} of ${node}: ${route}`;
      return `  ${what === "error route" ? red("✗") : dim("·")} ${plainLineOf(file)}:${line}  ${plainLineOf(said)}`;
    }),
  );
  const missed = untaken.length > 0 ? `\nNever taken:\n${untaken.join("\n")}\n` : "";
  const verdict =
    error_routes_percent === null ? "there are no error routes" : `${error_routes_percent} % of error routes taken`;
  return `\n${columns([head, ...rows], 120)}\n${missed}\n${verdict}\n`;
}

export function testSummary({ passed, failed, skipped, error }: TestAnswer, { red, green }: Colors): string {
  const counts = [
    `${amount(passed, "scenario")} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const line = counts.join(", ");
  if (!error) return `${green("✓")} ${line}\n`;
  return `${red("✗")} ${line}${failed === 0 ? `; ${error}` : ""}\n`;
}
