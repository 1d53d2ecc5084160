export function Errors() {
  return <main class="view quiet">Errors</main>;
}
