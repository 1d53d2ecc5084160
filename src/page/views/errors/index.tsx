export function ErrorsView() {
  return <main class="view quiet">Errors</main>;
}
