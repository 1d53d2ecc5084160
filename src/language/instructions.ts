// `workflow.instructions`: texts, or files with texts, that stand before every agent's prompt.
import { resolve } from "node:path";
import type { FileReading } from "./include.ts";
import type { LoadedWorkflow } from "./loaded.ts";
import type { Page } from "./page.ts";
import { readSource } from "./source-file.ts";

type Place = Pick<LoadedWorkflow, "definition" | "dir">;

export function readInstructions({ definition, dir }: Place, reading: FileReading, page: Page): string {
  const texts = definition.workflow.instructions.map((entry, index) => {
    const text = entry.trim();
    if (!mayBePath(text)) return text;
    const file = resolve(dir, text);
    const read = reading.world.exists(file) ? readSource(file, reading.world) : undefined;
    if (read?.ok) {
      reading.sources.set(file, read.source.text);
      return read.source.text.trim();
    }
    if (looksLikePath(text))
      page.report(
        "missing-file",
        ["workflow", "instructions", index],
        `${read ? read.message : `There is no file \`${file}\`.`} Agents are given \`${text}\` itself as an instruction.`,
        { severity: "warning" },
      );
    return text;
  });
  return texts.filter(Boolean).join("\n\n");
}

const mayBePath = (text: string): boolean => text !== "" && text.length <= 1024 && !text.includes("\n");

/** One word that ends as text files do is no instruction to a model. */
const looksLikePath = (text: string): boolean => /^\S+\.(?:md|mdx|markdown|txt)$/i.test(text);
