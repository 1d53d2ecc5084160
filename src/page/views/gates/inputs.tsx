// The inputs of a run as they are now, in brief: they distinguish two runs of a workflow.
const MOST = 5;

export function InputsInBrief({ inputs }: { readonly inputs: Readonly<Record<string, string>> }) {
  const all = Object.entries(inputs).filter(([, value]) => value !== "");
  if (all.length === 0) return null;
  const rest = all.slice(MOST);
  return (
    <dl class="brief small">
      {all.slice(0, MOST).map(([name, value]) => (
        <div key={name} title={`${name}: ${value}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {rest.length > 0 && (
        <div title={rest.map(([name, value]) => `${name}: ${value}`).join("\n")}>
          <dt>and {rest.length} more</dt>
        </div>
      )}
    </dl>
  );
}
