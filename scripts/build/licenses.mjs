// What of other people's work is in the package: their names, versions and licences, as a text for people and as a bill of
// materials (CycloneDX). Both are made from what esbuild put into the scripts, and are the same for the same packages.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const LICENSE_FILE = /^(licen[cs]e|copying)([-.].*)?$/i;
const NOTICE_FILE = /^notice([-.].*)?$/i;
const RULE = "=".repeat(80);

/** Packages of which at least one byte is in one of the outputs, by name. */
export function bundledPackages(metafiles) {
  const folders = new Set();
  for (const { outputs } of metafiles)
    for (const { inputs } of Object.values(outputs))
      for (const [file, { bytesInOutput }] of Object.entries(inputs))
        if (bytesInOutput > 0 && file.includes("node_modules/")) folders.add(folderOf(file));
  const found = new Map();
  for (const folder of folders) {
    const one = packageIn(folder);
    found.set(`${one.name}@${one.version}`, one);
  }
  const all = [...found.values()].sort(
    (one, other) => compare(one.name, other.name) || compare(one.version, other.version),
  );
  return all.map((one) => (one.text === "" ? { ...one, text: textOfSameRepository(one, all) } : one));
}

/** Some packages of a repository with many come without the text that the others bring. */
function textOfSameRepository({ name, version, license, homepage }, all) {
  const like = all.find((other) => other.text !== "" && other.license === license && other.homepage === homepage);
  if (like && homepage) return like.text;
  throw new Error(`${name} ${version} comes without the text of its licence, ${license}. It cannot be shipped.`);
}

const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

/** The nearest folder with a package.json that has a name and a version; some packages have others inside, without. */
function folderOf(file) {
  const path = file.replace(/^[a-z-]+:/, "");
  for (let folder = dirname(path); folder.includes("node_modules"); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (!existsSync(manifest)) continue;
    const { name, version } = JSON.parse(readFileSync(manifest, "utf8"));
    if (name && version) return folder;
  }
  throw new Error(`${file} belongs to no package.`);
}

function packageIn(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { name, version, license } = manifest;
  const names = readdirSync(folder).sort();
  const texts = [...names.filter((file) => LICENSE_FILE.test(file)), ...names.filter((file) => NOTICE_FILE.test(file))];
  if (typeof license !== "string") throw new Error(`${name} ${version} does not say which licence it has.`);
  return {
    name,
    version,
    license,
    homepage: homepageOf(manifest),
    text: texts.map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim()).join("\n\n"),
  };
}

function homepageOf({ repository, homepage }) {
  const url = (typeof repository === "string" ? repository : repository?.url) ?? homepage;
  if (url === undefined) return undefined;
  if (/^[\w.-]+\/[\w.-]+$/.test(url)) return `https://github.com/${url}`;
  return url
    .replace(/^git\+/, "")
    .replace(/^(git|ssh):\/\/(git@)?/, "https://")
    .replace(/^git@([^:]+):/, "https://$1/")
    .replace(/\.git$/, "");
}

/** THIRD_PARTY_LICENSES. */
export const licensesText = (packages) =>
  [
    "Segno's scripts contain code of the packages below, each under its own licence.",
    ...packages.map(({ name, version, license, homepage, text }) =>
      [RULE, `${name} ${version}`, `Licence: ${license}`, ...(homepage ? [homepage] : []), "", text].join("\n"),
    ),
    ...wholeApache(packages),
    "",
  ].join("\n\n");

const WHOLE_APACHE = "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION";

/** Packages under the Apache License often bring its notice alone, and the licence asks for a copy of the whole. */
function wholeApache(packages) {
  const under = packages.filter(({ license }) => license === "Apache-2.0");
  if (under.every(({ text }) => text.includes(WHOLE_APACHE))) return [];
  const whole = under.find(({ text }) => text.includes(WHOLE_APACHE));
  if (!whole) throw new Error("None of the packages under Apache-2.0 brings the whole text of that licence.");
  return [`${RULE}\nThe Apache License, Version 2.0, that texts above refer to\n\n${whole.text}`];
}

/** sbom.cdx.json: what is bundled, and what npm installs beside it. */
export function billOfMaterials(packages, manifest) {
  const { dependencies } = manifest;
  const isInstalled = ({ name, version }) => dependencies[name] === version;
  const bundled = packages.map((one) => component(one, isInstalled(one) ? "bundled and installed" : "bundled"));
  const installed = Object.entries(dependencies)
    .filter(([name, version]) => !packages.some((one) => one.name === name && one.version === version))
    .map(([name, version]) => {
      const { license } = JSON.parse(readFileSync(join("node_modules", name, "package.json"), "utf8"));
      return component({ name, version, license }, "installed");
    });
  const components = [...bundled, ...installed];
  const self = purlOf(manifest);
  const serial = createHash("sha256")
    .update(JSON.stringify([manifest.version, components]))
    .digest("hex");
  const bill = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${serial.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-5$3-8$4-$5")}`,
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": self,
        name: manifest.name,
        version: manifest.version,
        purl: self,
        licenses: [{ license: { id: manifest.license } }],
      },
    },
    components,
    dependencies: [{ ref: self, dependsOn: components.map((one) => one["bom-ref"]) }],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function component({ name, version, license, homepage }, how) {
  const [last, group] = name.split("/").reverse();
  return {
    type: "library",
    "bom-ref": purlOf({ name, version }),
    ...(group ? { group } : {}),
    name: last,
    version,
    scope: "required",
    licenses: [/\s/.test(license) ? { expression: license.replace(/^\((.*)\)$/, "$1") } : { license: { id: license } }],
    purl: purlOf({ name, version }),
    ...(homepage ? { externalReferences: [{ type: "vcs", url: homepage }] } : {}),
    properties: [{ name: "segno:delivered", value: how }],
  };
}

const purlOf = ({ name, version }) => `pkg:npm/${name.replace("@", "%40")}@${version}`;
