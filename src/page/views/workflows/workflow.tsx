export function WorkflowView({ file }: { readonly file: string }) {
  return <main class="view quiet">{file}</main>;
}
