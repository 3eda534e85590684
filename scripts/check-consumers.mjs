// Installs the packed package into small projects, as users would, and runs them.
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pack, root, run, runGates, runTool, scratchFolder } from './gate.mjs';

const scratch = scratchFolder();
const project = (name) => join(scratch, name);
const says = (output) => {
  const line = output.trim().split('\n').at(-1) ?? '';
  if (!/^health 200, created 201, listed 1$/.test(line)) throw new Error(`the consumer said: ${output}`);
  return line;
};

await runGates('check-consumers', {
  'install the tarball'() {
    cpSync(join(root, 'tests/package/consumers'), scratch, { recursive: true });
    const { tarball } = pack(scratch);
    writeFileSync(join(scratch, 'package.json'), JSON.stringify({ name: 'consumers', private: true }));
    run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', tarball], {
      cwd: scratch,
    });
    const tree = JSON.parse(run('npm', ['ls', '--all', '--json'], { cwd: scratch }));
    const own = tree.dependencies['kube-vitals'];
    return `with ${Object.keys(own.dependencies ?? {}).join(', ') || 'nothing else'}`;
  },
  'ESM import'() {
    return says(run(process.execPath, ['main.js'], { cwd: project('esm') }));
  },
  'CommonJS require'() {
    return says(run(process.execPath, ['main.js'], { cwd: project('cjs') }));
  },
  'TypeScript, compiled and run'() {
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
    runTool('typescript/bin/tsc', ['-p', project('typescript'), ...types]);
    return says(run(process.execPath, ['build/main.js'], { cwd: project('typescript') }));
  },
  'Jest in CommonJS'() {
    runTool('jest/bin/jest.js', [
      '--ci',
      '--rootDir',
      project('jest-cjs'),
      '--config',
      join(project('jest-cjs'), 'jest.config.json'),
    ]);
  },
});
