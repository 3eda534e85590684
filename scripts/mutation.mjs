// Mutation testing by room with Stryker: changes src/ in one small place at a time, and prints the changes that no test
// noticed.
//   npm run mutation -- health                      every mutant of src/health
//   npm run mutation -- events/writing --sample 150   a sample of this size of each room, chosen by a seed
//   npm run mutation -- auth limits --sample 40 --seed 7 --threshold 90
// --near runs only the tests at the same place below tests/unit. Without it, mutants that those do not notice run with all unit
// tests, the conformance tests and the recorded exchanges; those of bridge/, lifecycle/, nest/ and
// shutdown/ also tests/lifecycle.
// --with PATH counts the tests below PATH among those nearby; may be given several times.
// --whole runs all tests of a file if one of them executes the place of a mutant: for values that are computed once, on
// first use, by the first test of the file.
// --jobs N runs N mutants at once (1). --files TEXT takes only files whose path contains it. --json FILE writes the
// mutants that survived, in the form of the list of equivalent ones; --again FILE runs only those of such a file.
// tests/mutation/equivalent.json lists mutants that do not change the behaviour, with the reason.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { entryOf, keysOf, roomOf, textOf } from '../tests/mutation/keys.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
/** Files that neither the tests nor Vitest read. */
const UNREAD = ['dist', 'coverage', '.nodes', '.data', 'tests/{clients,engines,package,types}', 'bench/baseline.json'];
/**
 * Tests that do not run for mutants: those of examples; of the depth at which a parser's recursion ends, which differs
 * in the threads that Stryker uses; of what is collected as garbage, which Stryker keeps; of hostile requests, which take
 * long and are about time and memory; of real databases; of the program, which is built.
 */
const UNFIT =
  /^tests\/unit\/(examples|api\/yaml\/depth|checks\/unused-measurement)|^tests\/conformance\/(hostile-corpus|sqlite)|^tests\/lifecycle\/(program|standalone)/;

const USAGE = `usage: npm run mutation -- ROOM… [--sample N] [--seed S] [--near] [--with PATH]… [--whole] [--jobs N]
         [--files TEXT] [--threshold PERCENT] [--json FILE] [--again FILE]
A room is a folder or file of src/, for example: health events/writing api/patch store/memory
docs/testing.md describes the options.`;

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        sample: { type: 'string' },
        seed: { type: 'string', default: '1' },
        threshold: { type: 'string' },
        json: { type: 'string' },
        again: { type: 'string' },
        jobs: { type: 'string', default: '1' },
        files: { type: 'string', default: '' },
        near: { type: 'boolean', default: false },
        whole: { type: 'boolean', default: false },
        with: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return refuse(error.message);
  }
}

function refuse(message) {
  console.error(`error: ${message}\n${USAGE}`);
  process.exit(2);
}

const { values: flags, positionals } = readArguments();
if (flags.help) {
  console.log(USAGE);
  process.exit(0);
}
const rooms = positionals.map((room) => room.replace(/^src\//, '').replace(/\/$|\.ts$/, ''));
if (rooms.length === 0) refuse('no room');
for (const room of rooms) {
  if (!existsSync(join(ROOT, 'src', room)) && !existsSync(join(ROOT, 'src', `${room}.ts`))) refuse(`no room: ${room}`);
}

function filesBelow(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path).flatMap((name) => filesBelow(join(path, name)));
}
const below = (path, suffix) =>
  filesBelow(join(ROOT, path))
    .map((file) => file.slice(ROOT.length + 1))
    .filter((file) => file.endsWith(suffix));

const mutate = rooms
  .flatMap((room) => [...below(`src/${room}`, '.ts'), ...below(`src/${room}.ts`, '.ts')])
  .filter((file) => file.includes(flags.files));

/** A module that other tests have loaded cannot be replaced. */
function isFit(file) {
  if (UNFIT.test(file)) return false;
  return process.env.MUTATION_ISOLATE !== 'no' || !/\bvi\.(mock|doMock)\(/.test(readFileSync(join(ROOT, file), 'utf8'));
}

/** The tests of each room, or of the folder it is in. */
function nearTests() {
  const testsOf = (room) => [
    ...below(`tests/unit/${room}`, '.test.ts'),
    ...below(`tests/unit/${room}.test.ts`, '.test.ts'),
  ];
  const found = rooms.flatMap((room) => {
    const own = testsOf(room);
    return own.length > 0 || !room.includes('/') ? own : testsOf(dirname(room));
  });
  const besides = flags.with.flatMap((path) => below(path, '.test.ts'));
  return [...new Set([...found, ...besides])].filter(isFit);
}

function allTests() {
  const sockets = rooms.some((room) => /^(bridge|lifecycle|nest|shutdown)\b/.test(room));
  return [
    ...below('tests/unit', '.test.ts').filter(isFit),
    ...below('tests/conformance', '.test.ts').filter(isFit),
    ...(sockets ? below('tests/lifecycle', '.test.ts').filter(isFit) : []),
  ];
}

/** One run of Stryker. Returns the mutants that ran, by key. */
async function run(tests, choice) {
  const folder = await mkdtemp(join(tmpdir(), 'kube-vitals-mutation-'));
  const config = {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', join(ROOT, 'tests/mutation/choice.mjs')],
    vitest: { configFile: 'tests/mutation/vitest.config.ts', related: true },
    checkers: ['choice'],
    choice: { root: ROOT, rooms, seed: flags.seed, ...choice },
    mutate,
    ignorePatterns: UNREAD,
    coverageAnalysis: 'perTest',
    concurrency: Number(flags.jobs),
    // Tests nearby take seconds, and a mutant that never ends costs this long.
    timeoutMS: tests === near ? 10_000 : 30_000,
    dryRunTimeoutMinutes: 15,
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: join(folder, 'report.json') },
    tempDirName: join(folder, 'sandbox'),
    checkerNodeArgs: [],
    allowConsoleColors: false,
    logLevel: process.env.MUTATION_LOG ?? 'warn',
    warnings: false,
    // The sandbox has a link to node_modules.
    symlinkNodeModules: true,
  };
  const file = join(folder, 'stryker.config.json');
  await writeFile(file, JSON.stringify(config));
  // Random tests try the same values for every mutant, and in every run.
  process.env.TEST_SEED ||= '1';
  if (flags.whole) Object.assign(process.env, { MUTATION_WHOLE: 'yes', MUTATION_ISOLATE: 'yes' });
  process.env.MUTATION_TESTS = JSON.stringify(tests);
  // Not shorter: on a busy machine the first run, of the unmutated code, may need it.
  process.env.MUTATION_TEST_TIMEOUT_MS = '20000';
  try {
    await new Stryker({ configFile: file }).runMutationTest();
    return ran(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function ran({ files }) {
  return Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const inOrder = [...mutants].sort((a, b) => Number(a.id) - Number(b.id));
    const keys = keysOf(
      file,
      source,
      inOrder.map(({ location, ...rest }) => ({ ...rest, line: location.start.line - 1 })),
    );
    return inOrder
      .map((mutant, index) => ({ ...mutant, file, source, key: keys[index] }))
      .filter(({ status }) => ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status));
  });
}

const noticed = ({ status }) => status === 'Killed' || status === 'Timeout';

function show({ file, location: { start, end }, source, mutatorName, replacement, status }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  const brief = (text) => {
    const plain = text.replaceAll(/\s+/g, ' ');
    return plain.length <= 140 ? plain : `${plain.slice(0, 140)}…`;
  };
  console.log(
    `${file}:${start.line}:${start.column} ${mutatorName}${status === 'NoCoverage' ? ', run by no test' : ''}`,
  );
  console.log(`    - ${brief(lines.join('\n'))}`);
  console.log(`    + ${brief(replacement)}`);
}

/** The figures by room; returns the percentage of all together. */
function report(what) {
  console.log('');
  const line = (name, some) => {
    const count = some.filter(noticed).length;
    const same = some.filter((mutant) => !noticed(mutant) && equivalent.has(mutant.key)).length;
    const counted = some.length - same;
    const percent = counted === 0 ? 0 : (100 * count) / counted;
    const besides = same > 0 ? `, ${same} listed as equivalent` : '';
    console.log(`${name.padEnd(20)} ${count} of ${counted} ${what}: ${percent.toFixed(1)} %${besides}`);
    return percent;
  };
  for (const room of rooms)
    line(
      room,
      mutants.filter(({ file }) => roomOf(rooms, file) === room),
    );
  return line('together', mutants);
}

const listed = JSON.parse(await readFile(join(ROOT, 'tests/mutation/equivalent.json'), 'utf8'));
for (const { file, line } of listed) {
  if (existsSync(join(ROOT, file)) && (await readFile(join(ROOT, file), 'utf8')).includes(line)) continue;
  console.error(`tests/mutation/equivalent.json: ${file} has no line ${line}`);
  process.exit(2);
}
const equivalent = new Set(listed.map(textOf));
const started = Date.now();
const size = flags.sample === undefined ? undefined : Number(flags.sample);
const near = nearTests();
const keys = flags.again && JSON.parse(await readFile(flags.again, 'utf8')).map(textOf);
let mutants = await run(near.length > 0 ? near : allTests(), { size, keys });
const left = mutants.filter((mutant) => !noticed(mutant) && !equivalent.has(mutant.key));
report('noticed by the tests nearby');
if (!flags.near && near.length > 0 && left.length > 0) {
  const again = new Map(
    (await run(allTests(), { keys: left.map(({ key }) => key) })).map((mutant) => [mutant.key, mutant]),
  );
  mutants = mutants.map((mutant) => again.get(mutant.key) ?? mutant);
}

for (const mutant of mutants) if (!noticed(mutant) && !equivalent.has(mutant.key)) show(mutant);
const percent = report('noticed');
console.log(`seed ${flags.seed}, ${Math.round((Date.now() - started) / 1000)} s`);
if (flags.json !== undefined) {
  const left = mutants.filter((mutant) => !noticed(mutant) && !equivalent.has(mutant.key));
  await writeFile(
    flags.json,
    `${JSON.stringify(
      left.map(({ key }) => entryOf(key)),
      undefined,
      2,
    )}\n`,
  );
}
process.exitCode = flags.threshold !== undefined && percent < Number(flags.threshold) ? 1 : 0;
