// The step as it is written, and the values that its templates used.
import type { AttemptJson, StepJson } from "../../../../server/contract/step.ts";
import { JsonTree } from "../../../parts/json-tree.tsx";
import { Yaml } from "../../../parts/yaml.tsx";

interface StepFileProps {
  readonly known: StepJson;
  readonly attempt: AttemptJson | undefined;
}

export function StepFile({ known, attempt }: StepFileProps) {
  const { values, yaml } = known;
  const taken = attempt?.lens?.routes.flatMap(({ taken: isTaken, line }) => (isTaken && line !== null ? [line] : []));
  return (
    <>
      {values.length > 0 && (
        <section class="part">
          <h3>Values it used</h3>
          <table class="values">
            <tbody>
              {values.map(({ expression, field, value, known: isKnown }) => (
                <tr key={`${field} ${expression}`}>
                  <td>
                    <code>{expression}</code>
                    <div class="small soft">{field}</div>
                  </td>
                  <td class="mono">
                    {isKnown ? <JsonTree value={value} depth={1} /> : <span class="kind">not there</span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {yaml && (
        <section class="part">
          <h3>
            {yaml.file}:{yaml.line}
          </h3>
          <Yaml text={yaml.text} line={yaml.line} marked={new Set(taken)} />
        </section>
      )}
    </>
  );
}
