// What an agent changed in its folder: file by file, with the lines that came and went.
import { countText } from "../../../parts/text.ts";

interface FileChange {
  readonly path: string;
  readonly change: string;
  readonly added: number | null;
  readonly removed: number | null;
}

interface AgentChanges {
  readonly files: readonly FileChange[];
  readonly added: number;
  readonly removed: number;
  readonly incomplete: boolean;
}

export function ChangedFiles({ output }: { readonly output: unknown }) {
  const changes = changesIn(output);
  if (!changes || changes.files.length === 0) return null;
  const { files, added, removed, incomplete } = changes;
  return (
    <section class="part">
      <h3>Changed files</h3>
      <table class="changes">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">Change</th>
            <th scope="col">Added</th>
            <th scope="col">Removed</th>
          </tr>
        </thead>
        <tbody>
          {files.map(({ path, change, ...lines }) => (
            <tr key={path}>
              <td>
                <code>{path}</code>
              </td>
              <td>{change}</td>
              <td>{lineText("+", lines.added)}</td>
              <td>{lineText("−", lines.removed)}</td>
            </tr>
          ))}
        </tbody>
        {files.length > 1 && (
          <tfoot>
            <tr>
              <th scope="row">{countText(files.length)} files</th>
              <td />
              <td>{lineText("+", added)}</td>
              <td>{lineText("−", removed)}</td>
            </tr>
          </tfoot>
        )}
      </table>
      {incomplete && <p class="small soft">There were more files than are looked at: the list is not complete.</p>}
    </section>
  );
}

/** Lines are not counted in large files and in what is no text. */
const lineText = (sign: string, lines: number | null): string => (lines === null ? "–" : `${sign}${countText(lines)}`);

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isLines = (value: unknown): boolean => value === null || typeof value === "number";

const isFileChange = (value: unknown): value is FileChange =>
  isMapping(value) &&
  typeof value["path"] === "string" &&
  typeof value["change"] === "string" &&
  isLines(value["added"]) &&
  isLines(value["removed"]);

/** An output may have a field of that name that is something else. */
function changesIn(output: unknown): AgentChanges | undefined {
  const changes = isMapping(output) ? output["changes"] : undefined;
  if (!isMapping(changes)) return undefined;
  const { files, added, removed, incomplete } = changes;
  if (!Array.isArray(files) || !files.every(isFileChange)) return undefined;
  if (typeof added !== "number" || typeof removed !== "number") return undefined;
  return { files, added, removed, incomplete: incomplete === true };
}
