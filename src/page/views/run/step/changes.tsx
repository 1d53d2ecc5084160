// What an agent changed in its folder: file by file, with the lines that came and went.
import type { ChangesJson } from "../../../../server/contract/step.ts";
import { countText } from "../../../parts/text.ts";

export function ChangedFiles({ changes }: { readonly changes: ChangesJson }) {
  const { files, added, removed, incomplete, more_files: more = 0 } = changes;
  if (files.length === 0) return null;
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
              <th scope="row">{countText(files.length + more)} files</th>
              <td />
              <td>{lineText("+", added)}</td>
              <td>{lineText("−", removed)}</td>
            </tr>
          </tfoot>
        )}
      </table>
      {more > 0 && <p class="small soft">The first {files.length} are shown.</p>}
      {incomplete && <p class="small soft">There were more files than are looked at: the list is not complete.</p>}
    </section>
  );
}

/** Lines are not counted in large files and in what is no text. */
const lineText = (sign: string, lines: number | null): string => (lines === null ? "–" : `${sign}${countText(lines)}`);
