export function BreakersView() {
  return <main class="view quiet">Breakers</main>;
}
