// `segno export`: writes a workflow that is code as YAML.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { exportWorkflow } from "../../services/defined/export.ts";
import type { Call } from "../command.ts";
import { plain } from "../text/harmless.ts";
import { answerWith, UsageError } from "../usage-error.ts";

export default async function exported({ asked, output }: Call): Promise<number> {
  const out = asked.text("out");
  const answer = await exportWorkflow(asked.session, {
    file: asked.required(0),
    ...(out === undefined || out === "-" ? {} : { out }),
  });
  if (answer.success && out === "-" && answer.files.length > 1)
    throw new UsageError(`${asked.required(0)} is several files: ${names(answer.files)}. Leave out --out -.`);
  if (answer.success && out !== "-") for (const one of answer.files) write(resolve(asked.cwd, one.file), one.text);
  return answerWith(answer, output, ({ files }) =>
    out === "-" ? (files[0]?.text ?? "") : `${plain(names(files))} written.\n`,
  );
}

const names = (files: readonly { readonly file: string }[]): string => files.map(({ file }) => file).join(", ");

/** What is there already may be a person's. */
function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch (problem) {
    const { code, message } = problem as NodeJS.ErrnoException;
    throw new UsageError(
      code === "EEXIST"
        ? `${file} is there already. Remove it, or name another file with --out.`
        : `${file} cannot be written: ${message}.`,
    );
  }
}
