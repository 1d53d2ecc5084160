// A kind of error to look for, kept in the address.
import { change } from "../state/address.ts";

export const KindField = ({ kind }: { readonly kind: string }) => (
  <input
    class="field search"
    type="search"
    data-filter
    aria-label="Kind"
    placeholder="Kind, such as http.*  /"
    value={kind}
    onChange={(event) => change({ kind: event.currentTarget.value })}
  />
);
