// An item of a for_each has one name everywhere: its group's, with its key. Its step's name is the same for all of them.

interface Place {
  readonly node_id: string;
  readonly group?: string | undefined;
  readonly item_key?: string | undefined;
}

/** `each[eu]`; any other step has its own name. */
export const itemName = ({ node_id, group, item_key }: Place): string =>
  item_key === undefined ? node_id : `${group ?? node_id}[${item_key}]`;
