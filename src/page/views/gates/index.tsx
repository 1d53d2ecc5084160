export function Gates() {
  return <main class="view quiet">Gates</main>;
}
