import { describe, expect, it, vi } from 'vitest';
import type { ProcessContext } from '../../../src/cli/command-line/command.js';
import { runProgram } from '../../../src/cli/program.js';

const ran = vi.hoisted(() => ({ serve: [] as unknown[], copy: [] as unknown[] }));
vi.mock('../../../src/cli/serve/serve.js', () => ({
  runServe: async (flags: unknown) => ran.serve.push(flags),
}));
vi.mock('../../../src/cli/copy/copy.js', () => ({
  runCopy: async (task: unknown) => ran.copy.push(task),
}));

async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' };
  const context: ProcessContext = {
    stdout: { write: (text) => (written.out += text) },
    stderr: { write: (text) => (written.err += text) },
    pid: 1,
    onSignal: () => () => undefined,
  };
  return { code: await runProgram(argv, '1.2.3', context), ...written };
}

describe('kube-vitals', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']]])('lists its commands for %j', async (argv) => {
    const { code, out, err } = await run(...argv);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^Usage: kube-vitals COMMAND \[flags\]$/m);
    expect(out).toMatch(/^ {2}serve {9}Serves/m);
    expect(out).toMatch(/^ {2}copy FROM TO {2}Copies/m);
  });

  it('prints its version', async () => {
    expect(await run('--version')).toEqual({ code: 0, out: '1.2.3\n', err: '' });
  });

  it.each([
    ['serve', 'Usage: kube-vitals serve [flags]'],
    ['copy', 'Usage: kube-vitals copy FROM TO [flags]'],
  ])('prints the help for %s', async (name, usage) => {
    const { code, out } = await run(name, '--help');
    expect(code).toBe(0);
    expect(out.split('\n')).toContain(usage);
  });

  it.each([
    [['srve'], 'error: unknown command "srve"; see kube-vitals --help\n'],
    [['--serve=1'], 'error: unknown flag: --serve; see kube-vitals --help\n'],
    [['serve', '--hlep'], 'error: unknown flag: --hlep; see kube-vitals serve --help\n'],
    [['serve', 'now'], 'error: unexpected argument "now"; see kube-vitals serve --help\n'],
    [['copy', 'sqlite:a'], 'error: missing argument: TO; see kube-vitals copy --help\n'],
    [
      ['copy', 'memory', 'sqlite:a'],
      'error: invalid argument "memory" for FROM: a store in memory is empty when the program starts; see kube-vitals copy --help\n',
    ],
    [
      ['copy', 'sqlite:a', 'memory'],
      'error: invalid argument "memory" for TO: a store in memory is lost when the program ends; see kube-vitals copy --help\n',
    ],
    [
      ['copy', 'sqlite:a', 'postgre://u:secret@h/d'],
      'error: invalid argument "postgre://…" for TO: must be memory, sqlite:PATH, postgres://…, or etcd://HOST:PORT,HOST:PORT/PREFIX; see kube-vitals copy --help\n',
    ],
  ])('refuses %j with exit code 2, and runs no command', async (argv, err) => {
    const before = [ran.serve.length, ran.copy.length];
    expect(await run(...argv)).toEqual({ code: 2, out: '', err });
    expect([ran.serve.length, ran.copy.length]).toEqual(before);
  });

  it('runs a command with its flags', async () => {
    await run('serve', '--secure-port=0');
    expect(ran.serve.at(-1)).toMatchObject({ securePort: 0 });
    await run('copy', 'sqlite:a', 'etcd://h:1/p', '--overwrite');
    expect(ran.copy.at(-1)).toMatchObject({
      ...{ from: { kind: 'sqlite', path: 'a' }, to: { kind: 'etcd', prefix: '/p' } },
      ...{ overwrite: true, skipRefused: false },
    });
  });
});
