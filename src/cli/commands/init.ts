// `segno init`: writes a first workflow and says what to do with it.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { shellWord } from "../../events/typeable.ts";
import { initProject, listTemplates } from "../../services/workflows/init.ts";
import type { Call } from "../command.ts";
import { answerWith } from "../usage-error.ts";

/** How the commands below have to call the program: npx finds one that is installed in a project and not on the path. */
const programOf = (env: Call["asked"]["env"]): string =>
  env.npm_command === "exec" || !isOnPath(env) ? "npx segno" : "segno";

const isOnPath = ({ PATH = "" }: Call["asked"]["env"]): boolean =>
  PATH.split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, "segno")));

export default async function init({ asked, output }: Call): Promise<number> {
  const { green, bold, dim } = output.outColors;
  if (asked.flag("list"))
    return answerWith(await listTemplates({}), output, ({ templates }) => {
      const width = Math.max(...templates.map(({ name }) => name.length));
      const rows = templates.map(({ name, about }) => `${bold(name.padEnd(width))}  ${about}`);
      return `${[...rows, "", dim("Take one: segno init DIR --template NAME")].join("\n")}\n`;
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
    const segno = programOf(asked.env);
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
            [`${dir === "." ? "" : `cd ${shellWord(dir)} && `}${segno} trust`, "let its plugin act"],
          ]),
    ];
    const width = Math.max(...commands.map(([line = ""]) => line.length));
    const next = commands.map(([line = "", about = ""]) => `  ${bold(line.padEnd(width))}  ${dim(about)}`);
    return `${[...lines, "", "Next:", ...next].join("\n")}\n`;
  });
}
