// How people read the limit that a run came to.
import type { EventData } from "./registry.ts";

type Reached = Pick<EventData<"iteration_limit_reached">, "max_iterations" | "max_visits">;

/** @example "max_visits (25)" */
export const limitText = ({ max_iterations, max_visits }: Reached): string =>
  max_visits === undefined ? `max_iterations (${max_iterations})` : `max_visits (${max_visits})`;
