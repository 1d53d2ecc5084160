/** Names that tags have bound, inner ones over outer ones. */
export class Names {
  private readonly bound = new Set<string>();

  constructor(private readonly outer?: Names) {}

  add(...names: readonly string[]): this {
    for (const name of names) this.bound.add(name);
    return this;
  }

  has(name: string): boolean {
    return this.bound.has(name) || (this.outer?.has(name) ?? false);
  }
}
