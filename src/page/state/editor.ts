// The way from the live preview to the author's editor: a click on a node, or on the line of a finding.
import type { EditorJson } from "../../server/contract/workflows.ts";
import { apiPath, postJson } from "../api/client.ts";
import { about } from "../api/session.ts";
import { say } from "../parts/toast.tsx";
import { sayProblem } from "./actions.ts";

/** The page of `segno graph --watch`: only that leads to an editor. */
export const isPreview = (): boolean => about.value?.preview ?? false;

/** Gives whether an editor went there; says the place where there is none. */
export async function askEditorToShow(
  file: string,
  place: { readonly node: string } | { readonly line: number },
): Promise<boolean> {
  try {
    const { file: where, line, shown } = await postJson<EditorJson>(apiPath("editor", ...file.split("/")), place);
    if (!shown) say(`${where}:${line}. No editor with this file is connected.`);
    return shown;
  } catch (error) {
    sayProblem(error);
    return false;
  }
}
