// The cells that an address names: each is one Postgres, complete in itself, with workers of its own, and a run lives in one
// of them for its whole life.
import { type CellAddress, cellAddresses, whyNoPostgres } from "../../../base/redact/postgres-address.ts";
import { StoreError } from "../../../storage/store-error.ts";

/** In their order. Nothing of a part that cannot be read is quoted: it may be a password. */
export function cellsOf(address: string): readonly CellAddress[] {
  const cells = cellAddresses(address).map((cell, index) => {
    if (!cell) throw unusable(`part ${index + 1} is not NAME=postgres://… (a name of letters, digits, - and _)`);
    const why = whyNoPostgres(cell.url);
    if (why !== undefined) throw unusable(`of the cell ${cell.name}: ${why}`);
    return cell;
  });
  const twice = cells.find(({ name }, index) => cells.findIndex((other) => other.name === name) < index);
  if (twice) throw unusable(`two cells are called ${twice.name}`);
  if (cells.every(({ isDraining }) => isDraining)) throw unusable("all of its cells are draining: none takes a run");
  return cells;
}

const unusable = (why: string): StoreError =>
  new StoreError(
    "io",
    `The address of the cells (--on or SEGNO_ON) cannot be used: ${why}. It looks like: eu=postgres://user:password@host:5432/database us=postgres://…`,
    "cells",
  );
