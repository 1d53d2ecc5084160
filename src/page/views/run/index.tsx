export function RunView({ id }: { readonly id: string }) {
  return <main class="view quiet">{id}</main>;
}
