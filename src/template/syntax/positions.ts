// Turns an offset into a line and a column. The table of lines is only built on the first
// use, which is when something is wrong or is being analysed.

export interface Place {
  readonly line: number;
  readonly column: number;
}

export class Positions {
  private starts: number[] | undefined;

  constructor(readonly source: string) {}

  at(offset: number): Place {
    const starts = this.lineStarts();
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - starts[low]! + 1 };
  }

  private lineStarts(): number[] {
    if (this.starts) return this.starts;
    const starts = [0];
    for (let at = this.source.indexOf("\n"); at >= 0; at = this.source.indexOf("\n", at + 1)) starts.push(at + 1);
    this.starts = starts;
    return starts;
  }
}
