import { builtinModules } from 'node:module';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Servers and drivers that the published code describes structurally and never imports, not even their types. */
const frameworks = ['express', 'fastify', 'hono', '@hono/*', '@nestjs/*', 'koa', '@kubernetes/*'];

/** Modules written without the prefix: `node:` says at a glance that a file leaves the portable part. */
const unprefixedBuiltins = builtinModules.filter((name) => !name.startsWith('_') && !name.startsWith('node:'));

/** Forms that the published code does without. */
const restrictedSyntax = [
  { selector: 'ExportAllDeclaration', message: 'Name what is exported.' },
  { selector: 'ExportDefaultDeclaration', message: 'Use a named export.' },
  { selector: 'TSEnumDeclaration', message: 'Use a union of string literals.' },
  {
    selector: 'AssignmentExpression[left.type="MemberExpression"][right.type=/^(Arrow)?FunctionExpression$/]',
    message:
      'Assign a local function instead: V8 allocates this one, and retains what it refers to, in the old generation (decision 81).',
  },
  {
    selector: 'Program > VariableDeclaration[kind=/^(let|var)$/]',
    message: 'State lives on instances, never in a module.',
  },
  {
    selector: 'Program > ExportNamedDeclaration > VariableDeclaration[kind=/^(let|var)$/]',
    message: 'State lives on instances, never in a module.',
  },
  {
    selector: 'AwaitExpression:not(:function *)',
    message: 'No top-level await: the CommonJS build cannot have it.',
  },
];

const randomness = {
  selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
  message: 'Identifiers and tokens come from crypto.',
};

/** The globals of Node that scripts use. */
const nodeGlobals = [
  'AbortController',
  'AbortSignal',
  'Buffer',
  'TextDecoder',
  'TextDecoderStream',
  'URL',
  'clearInterval',
  'clearTimeout',
  'console',
  'fetch',
  'performance',
  'process',
  'setInterval',
  'setTimeout',
];

export default defineConfig(
  {
    ignores: [
      'dist/',
      'bench/.built/',
      'coverage/',
      '.nodes/',
      '.site/',
      'docs/.vitepress/.temp/',
      '.ci/',
      '.data/',
      'kube-vitals-data/',
      'tests/conformance/corpus/',
      'tests/package/consumers/',
      'tests/package/runtimes/',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },

  // Everything, typed or not.
  {
    files: ['**/*.{ts,mts,js,mjs}'],
    languageOptions: { parser: tseslint.parser },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-proto': 'error',
      'no-extend-native': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-control-regex': 'error',
      'no-unsafe-finally': 'error',
      'no-constant-binary-expression': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'start' }],
    },
  },

  // Programs that no compiler checks.
  {
    files: ['scripts/**/*.mjs', 'tests/**/*.mjs'],
    languageOptions: { globals: Object.fromEntries(nodeGlobals.map((name) => [name, 'readonly'])) },
    rules: { 'no-undef': 'error' },
  },

  // TypeScript, with types.
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['tsup.config.ts', 'vitest.config.ts'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': [
        'error',
        // The runner of node:test waits for what it registers.
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['it', 'test', 'describe', 'suite'] },
          ],
        },
      ],
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // An async function without await is how a synchronous implementation answers an asynchronous contract.
      '@typescript-eslint/require-await': 'off',
      // Contracts are interfaces of functions that are safe to detach.
      '@typescript-eslint/unbound-method': 'off',
      // Its newer form also reports assertions that spell out what a cast-like helper returns.
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      // Whatever was thrown has to become text somewhere.
      '@typescript-eslint/no-base-to-string': 'off',
    },
  },

  // The published code.
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-console': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      'no-restricted-globals': [
        'error',
        { name: 'process', message: 'The library does not read its environment: take an option.' },
        { name: 'Buffer', message: 'Use Uint8Array, TextEncoder and TextDecoder; Buffer belongs to bridge/node/.' },
        { name: 'require', message: 'Use import, or import() for what is loaded lazily.' },
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: unprefixedBuiltins.map((name) => ({ name, message: `Write node:${name}.` })),
          patterns: [
            { group: frameworks, message: 'Describe foreign objects structurally; frameworks live in examples/.' },
            { group: ['kube-vitals', 'kube-vitals/*'], message: 'Import the file, not the package.' },
          ],
        },
      ],
      'no-restricted-syntax': ['error', ...restrictedSyntax, randomness],
    },
  },
  {
    // Deadlines and retries are spread at random; nothing is identified by it.
    files: ['src/events/watching/watch-stream.ts', 'src/clock/backoff.ts'],
    rules: { 'no-restricted-syntax': ['error', ...restrictedSyntax] },
  },
  {
    files: ['src/bridge/node/**/*.ts'],
    rules: { 'no-restricted-globals': 'off' },
  },

  // Tests and examples stand in for users: they reach into answers of unknown shape.
  {
    files: ['tests/**/*.ts', 'examples/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
