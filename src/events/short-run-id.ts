// How a run is named in few characters. An id begins with its time, which runs of one day share, and ends with chance: its
// end is what is shown, and taken.

/** Fewer characters of an id, from its beginning or its end, name nothing. */
export const LEAST_OF_RUN_ID = 6;

export const shortRunId = (runId: string): string => runId.slice(-LEAST_OF_RUN_ID);
