export function Workflows() {
  return <main class="view quiet">Workflows</main>;
}
