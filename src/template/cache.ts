// The last few things made, by the text they were made from.

export class Cache<T> {
  private readonly entries = new Map<string, T>();

  constructor(
    private readonly size: number,
    private readonly make: (key: string) => T,
  ) {}

  get(key: string): T {
    const known = this.entries.get(key);
    if (known !== undefined) {
      // Moved to the end, so that the first entry is the one unused for longest.
      this.entries.delete(key);
      this.entries.set(key, known);
      return known;
    }
    const made = this.make(key);
    this.entries.set(key, made);
    if (this.entries.size > this.size) this.entries.delete(this.entries.keys().next().value!);
    return made;
  }
}
