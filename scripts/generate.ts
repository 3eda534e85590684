// Writes the files that are generated from the schema of the Event (src/events/resource/schema.ts).
//   npm run generate               writes files that are not current
//   npm run generate -- --check    names them instead, and fails
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { eventShape, SOURCE } from '../src/events/resource/schema.js';
import { compareSource } from './generate/compare.js';
import { decodeSource } from './generate/decode.js';
import { modelSource } from './generate/model.js';
import { selectorSource, storeSource } from './generate/selectors.js';
import { eventFields } from './generate/shape-fields.js';
import { writeSource } from './generate/write-text.js';

const HEADER = '// Written by `npm run generate` from events/resource/schema.ts. Change the schema, not this file.\n\n';

const parts = eventFields(eventShape());
const files: Readonly<Record<string, string>> = {
  'src/model/event.ts': modelSource(parts),
  'src/events/codec/compare-events.ts': compareSource(parts),
  'src/events/codec/decode-event.ts': decodeSource(parts),
  'src/events/codec/write-event.ts': writeSource(parts) + selectorSource(parts, SOURCE),
  'src/store/contract/schema-facts.ts': storeSource(parts, SOURCE),
};

const check = process.argv.includes('--check');
const stale: string[] = [];
for (const [path, source] of Object.entries(files)) {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  const options = await resolveConfig(file);
  const text = await format(HEADER + source.trim(), { ...options, parser: 'typescript' });
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  stale.push(path);
  if (check) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
for (const path of stale) console.log(check ? `not current: ${path}` : `written: ${path}`);
if (check && stale.length > 0) process.exitCode = 1;
