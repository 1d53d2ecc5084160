// Which members the groups of a workflow, and of its sub-workflows, went on without on their last visit: a run that lost any
// is degraded. Members are kept apart: one item's sub-workflow that lost nothing says nothing about another's that did.
export type PackedLost = readonly (readonly [string, readonly string[]])[];

export class LostMembers {
  /** By group, or by the step that called a sub-workflow; under a group also the members that called one. */
  readonly #lost = new Map<string, Set<string>>();

  constructor(packed: PackedLost = []) {
    for (const [node, members] of packed) this.#lost.set(node, new Set(members));
  }

  packed(): PackedLost {
    return [...this.#lost].map(([node, members]) => [node, [...members]]);
  }

  get any(): boolean {
    return this.#lost.size > 0;
  }

  /** A group is visited anew. */
  begin(group: string): void {
    this.#lost.delete(group);
  }

  /** Whether a group, a sub-workflow's step, or a member of the group that called a sub-workflow lost anything. */
  mark(node: string, isLost: boolean, member = ""): void {
    const members = this.#lost.get(node) ?? new Set();
    if (isLost) members.add(member);
    else members.delete(member);
    if (members.size > 0) this.#lost.set(node, members);
    else this.#lost.delete(node);
  }
}
