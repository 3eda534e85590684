import { createRequire } from 'node:module';
import { runProgram } from './program.js';
import { runInProcess } from './run-in-process.js';

const { version } = createRequire(import.meta.url)('kube-vitals/package.json') as { readonly version: string };

void runInProcess((argv, context) => runProgram(argv, version, context));
