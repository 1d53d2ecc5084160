// A workflow file as a model may see it: without secrets, line by line, so that what comes back can be put right again.
import { isSecretKey, REDACTED, type Redactor } from "../../redact/index.ts";

export interface ShownFile {
  readonly text: string;
  /** The text with its secrets back in their lines; a reason when a line that held one was changed. */
  restore(answer: string): { readonly text: string } | { readonly reason: string };
}

/** Nothing when a secret reaches over several lines: then lines cannot stand for one another. */
export function showFile(text: string, redactor: Redactor): ShownFile | undefined {
  const lines = text.split("\n");
  const shown = lines.map((line) => hideValue(redactor.text(line)));
  // A key block is only known as a whole.
  if (redactor.text(shown.join("\n")) !== shown.join("\n")) return undefined;
  const hidden = lines.flatMap((line, index) => {
    const visible = shown[index] ?? "";
    return visible === line ? [] : [{ line, visible: visible.trim() }];
  });
  return {
    text: shown.join("\n"),
    restore(answer) {
      const left = [...hidden];
      const restored: string[] = [];
      for (const line of answer.split("\n")) {
        if (!line.includes(REDACTED)) {
          restored.push(line);
          continue;
        }
        const index = left.findIndex(({ visible }) => visible === line.trim());
        const [found] = index === -1 ? [] : left.splice(index, 1);
        if (!found) return { reason: "it changes a line that holds a secret, which is not shown to the model" };
        restored.push(found.line);
      }
      return { text: restored.join("\n") };
    },
  };
}

/** `password: hunter2` is a secret by the name of its key. References and templates name one without holding it. */
function hideValue(line: string): string {
  const [, start = "", key = "", between = "", value = ""] =
    /^(\s*(?:- )?["']?)([\w-]+)(["']?\s*:\s+)(\S.*)$/.exec(line) ?? [];
  const isReference = /\$\{|\{\{|^[|>&*!{[]/.test(value);
  return key !== "" && isSecretKey(key) && !isReference ? `${start}${key}${between}${REDACTED}` : line;
}
