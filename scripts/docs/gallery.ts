// docs/gallery.md: the workflows that `segno init --template` gives, each with its picture and what its scenarios hold.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { draw } from "../../src/graph/draw.ts";
import { mermaid } from "../../src/graph/mermaid.ts";
import { validWorkflow } from "../../src/services/workflows/valid-workflow.ts";
import { code, generated, paragraphs, table } from "./markdown.ts";

const GALLERY = "examples/gallery";

/** The comment on top of a file. */
const aboutFile = (text: string): string =>
  text
    .split("\n")
    .slice(
      0,
      text.split("\n").findIndex((line) => !line.startsWith("#")),
    )
    .map((line) => line.replace(/^# ?/, ""))
    .join(" ");

function section(name: string): string {
  const file = join(GALLERY, name, `${name}.yaml`);
  const text = readFileSync(file, "utf8");
  const workflow = validWorkflow(file, { cwd: process.cwd(), env: {} }, { asChild: true });
  const tests = readdirSync(join(GALLERY, name, "tests")).filter((one) => one.endsWith(".scenario.yaml"));
  const scenarios = tests.map((one): [string, string] => {
    const scenario = readFileSync(join(GALLERY, name, "tests", one), "utf8");
    return [code(one.replace(".scenario.yaml", "")), aboutFile(scenario)];
  });
  return paragraphs(
    `## ${name}`,
    aboutFile(text),
    `\`\`\`sh example\nsegno init ${name} --template ${name}\n\`\`\``,
    `\`\`\`mermaid\n${mermaid(draw(workflow, 0), null).trimEnd()}\n\`\`\``,
    table(["scenario", "what happens in it"], scenarios),
  ).trimEnd();
}

export function galleryPage(): string {
  const names = readdirSync(GALLERY).sort();
  return paragraphs(
    generated(GALLERY),
    "# Gallery",
    "Eight workflows from real use, to start from. `segno init DIR --template NAME` copies one with its scenarios; `segno init --list` lists them. Each passes `segno validate` without a warning, `segno errors --fail-on-unhandled`, and its scenarios offline, which take every error route. Scripts in them are stand-ins for your own.",
    ...names.map(section),
  );
}
