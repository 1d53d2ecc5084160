/** A step or a group as templates see it. */
export type NodeView = Readonly<Record<string, unknown>>;
