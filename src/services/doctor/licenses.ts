// `segno doctor --licenses`: the packages that are part of this copy of Segno, from the bill of materials that the build
// wrote.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../session/home.ts";

/** As CycloneDX has it, as far as it is read here. */
interface BillOfMaterials {
  readonly bomFormat: "CycloneDX";
  readonly components: readonly {
    readonly group?: string;
    readonly name: string;
    readonly version: string;
    readonly licenses: readonly ({ readonly license: { readonly id: string } } | { readonly expression: string })[];
  }[];
}

const fileOf = (name: string): string => join(packageFolder() ?? ".", name);

export const licensesFile = (): string => fileOf("THIRD_PARTY_LICENSES");

export const billFile = (): string => fileOf("sbom.cdx.json");

/** Nothing when this copy was never built. */
export function billOfMaterials(): BillOfMaterials | undefined {
  const file = billFile();
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as BillOfMaterials) : undefined;
}

export const componentsOf = ({ components }: BillOfMaterials) =>
  components.map(({ group, name, version, licenses }) => ({
    name: group === undefined ? name : `${group}/${name}`,
    version,
    license: licenses.map((one) => ("license" in one ? one.license.id : one.expression)).join(", "),
  }));
