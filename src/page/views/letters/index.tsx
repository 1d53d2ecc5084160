export function Letters() {
  return <main class="view quiet">Letters</main>;
}
