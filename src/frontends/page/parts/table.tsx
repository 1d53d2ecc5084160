// A table of a view. On a phone each row is a card, in which facts say what they are.
import type { ComponentChildren } from "preact";

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Facts have their head beside them on a phone; of actions it is heard and not seen. Otherwise a cell speaks for itself. */
  readonly is?: "fact" | "number" | "actions";
  /** Left out where there is no room for it. */
  readonly isRoomy?: boolean;
}

interface TableProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly nameOf: (row: Row) => string;
  /** Which row is chosen by key. */
  readonly chosen?: number;
  /** What a click anywhere in a row does; by key its link does it. */
  readonly open?: (row: Row) => void;
}

const isOwnTarget = ({ target }: Event): boolean =>
  target instanceof Element && target.closest("a, button, input, select, summary") !== null;

const LOOKS = { fact: "fact soft", number: "fact number", actions: "number acts" };

const lookOf = ({ is, isRoomy }: Pick<Column<never>, "is" | "isRoomy">): string =>
  `${is ? LOOKS[is] : ""}${isRoomy ? " roomy" : ""}`;

export function Table<Row>({ columns, rows, nameOf, chosen, open }: TableProps<Row>) {
  return (
    <table class="lined cards">
      <thead>
        <tr>
          {columns.map((column) => (
            <th scope="col" class={lookOf(column)} key={column.head}>
              {column.is === "actions" ? <span class="only-heard">{column.head}</span> : column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr
            class={`${index === chosen ? "chosen" : ""}${open ? " opens" : ""}`}
            key={nameOf(row)}
            onClick={open && ((event) => !isOwnTarget(event) && open(row))}
          >
            {columns.map((column) => (
              <td class={lookOf(column)} data-head={column.head} key={column.head}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
