import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/health.ts', 'src/node.ts', 'src/fetch.ts', 'src/testing.ts'],
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'node',
  dts: true,
  splitting: true,
  treeshake: true,
  sourcemap: false,
  clean: true,
  // Bundlers for other runtimes tell built-ins from packages by `node:`.
  removeNodeProtocol: false,
});
