// Writes the reference of every entry of the package (docs/reference) from the TSDoc of src/.
//   npm run reference               writes pages that are not current
//   npm run reference -- --check    names them instead, and fails
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referencePages } from './reference/pages.js';

const root = join(import.meta.dirname, '..');
const folder = 'docs/reference';

const check = process.argv.includes('--check');
const pages = await referencePages(root);
const stale: string[] = [];
for (const [name, text] of pages) {
  const file = join(root, folder, name);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  stale.push(`${folder}/${name}`);
  if (check) continue;
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(file, text);
}
const there = existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [];
for (const name of there.filter((name) => !pages.has(name))) {
  stale.push(`${folder}/${name}`);
  if (!check) rmSync(join(root, folder, name), { recursive: true });
}
for (const path of stale) console.log(check ? `not current: ${path}` : `written: ${path}`);
if (check && stale.length > 0) {
  console.log('Run "npm run reference" and commit the result.');
  process.exitCode = 1;
}
