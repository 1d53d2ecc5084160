// The one list of node types that only hold others.

const CONTAINERS: ReadonlySet<string> = new Set(["parallel", "for_each", "workflow"]);

/** Whether a node only holds others: what goes wrong in it began further in, and entering it is no execution. */
export const isContainer = (type: string): boolean => CONTAINERS.has(type);

export const isGroup = (type: string): boolean => type === "parallel" || type === "for_each";
