// `segno init`: writes a first workflow and says what to do with it.
import { shellWord } from "../../events/shell-word.ts";
import { initProject } from "../../services/init.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";

export default async function init({ asked, output }: Call): Promise<number> {
  const dir = asked.argument(0) ?? ".";
  const answer = await initProject({ cwd: asked.cwd, dir, project: asked.flag("project") });
  const { green, bold, dim } = output.outColors;
  return answerWith(answer, output, ({ files }) => {
    const workflow = shellWord(files.find((file) => /(?<!scenario)\.ya?ml$/.test(file)) ?? "FILE");
    const lines = files.map((file) => `${green("✓")} ${file}`);
    const commands = [
      [`segno run ${workflow}`, "run it"],
      [`segno validate ${workflow}`, "check it as you change it"],
      ["segno test", "take its error route, offline"],
      ...(asked.flag("project")
        ? [[`${dir === "." ? "" : `cd ${shellWord(dir)} && `}segno trust`, "let its plugin act"]]
        : []),
    ];
    const width = Math.max(...commands.map(([line = ""]) => line.length));
    const next = commands.map(([line = "", about = ""]) => `  ${bold(line.padEnd(width))}  ${dim(about)}`);
    return `${[...lines, "", "Next:", ...next].join("\n")}\n`;
  });
}
