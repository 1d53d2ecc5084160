export function Breakers() {
  return <main class="view quiet">Breakers</main>;
}
