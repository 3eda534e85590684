import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const output = new URL('.built/', import.meta.url);
const compiled = new Map<string, Promise<string>>();

/**
 * Compiles a file of this folder, once per run, and returns the path of the script. A process that compiles its own
 * files when they are imported has a second thread for that, and 40 to 60 MB that are not the server's. Packages, ours
 * among them, are imported as they are installed.
 */
export function compile(file: string): Promise<string> {
  let script = compiled.get(file);
  if (script === undefined) compiled.set(file, (script = compileNow(file)));
  return script;
}

async function compileNow(file: string): Promise<string> {
  const script = fileURLToPath(new URL(file.replace(/ts$/, 'js'), output));
  await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    // Without it the compiler would take our package from its sources.
    tsconfigRaw: {},
  });
  return script;
}
