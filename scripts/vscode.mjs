// `npm run vscode`: bundles the extension of editors/vscode and packs it as editors/vscode/segno.vsix, a zip with a manifest.
import { readFileSync, writeFileSync } from "node:fs";
import { crc32, deflateRawSync } from "node:zlib";
import { build } from "esbuild";

const folder = "editors/vscode";
const manifest = readFileSync(`${folder}/package.json`, "utf8");
const { name, publisher, version, displayName, description, engines } = JSON.parse(manifest);
const { outputFiles } = await build({
  entryPoints: [`${folder}/extension.mjs`],
  bundle: true,
  write: false,
  platform: "node",
  format: "cjs",
  target: "node20",
  minify: true,
  external: ["vscode"],
});

const vsix = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata><Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}"/>
<DisplayName>${displayName}</DisplayName><Description xml:space="preserve">${description}</Description>
<Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value="${engines.vscode}"/></Properties></Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/><Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/></Assets>
</PackageManifest>
`;
const types = ["json", "cjs", "svg", "md", "vsixmanifest"]
  .map((one) => `<Default Extension=".${one}" ContentType="${one === "json" ? "application/json" : "text/plain"}"/>`)
  .join("");

const entries = {
  "extension.vsixmanifest": vsix,
  "[Content_Types].xml": `<?xml version="1.0" encoding="utf-8"?>\n<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${types}</Types>\n`,
  "extension/package.json": manifest,
  "extension/extension.cjs": outputFiles[0].text,
  "extension/file.svg": readFileSync(`${folder}/file.svg`),
  "extension/README.md": readFileSync(`${folder}/README.md`),
};
writeFileSync(`${folder}/segno.vsix`, zip(entries));
console.log(`${folder}/segno.vsix`);

/** No time of day in it: the same files give the same bytes. */
function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const data = Buffer.from(content);
    const packed = deflateRawSync(data);
    const title = Buffer.from(path);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(title.length, 22);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(offset, 10);
    parts.push(Buffer.from("PK\x03\x04"), common, title, packed);
    directory.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), common, central, title);
    offset += 4 + common.length + title.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(files).length, 4);
  end.writeUInt16LE(Object.keys(files).length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, list, Buffer.from("PK\x05\x06"), end]);
}
