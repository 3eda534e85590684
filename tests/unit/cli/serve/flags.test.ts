import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../../src/cli/command-line/parse-command-line.js';
import { serveFlags, completeFlags, type Flags } from '../../../../src/cli/serve/flags.js';
import { readInFlightLimits } from '../../../../src/limits/in-flight-options.js';
import { serveCommand } from '../../../../src/cli/serve/serve-command.js';

function flags(...argv: string[]): Flags {
  const parsed = parseCommandLine(serveFlags, [], argv);
  if (!('flags' in parsed)) throw new Error(JSON.stringify(parsed));
  return completeFlags(parsed.flags);
}

function error(...argv: string[]): string {
  const prepared = serveCommand.prepare(argv);
  return 'error' in prepared ? prepared.error : '';
}

describe('the command line of serve', () => {
  it('has safe defaults', () => {
    expect(flags()).toEqual({
      livezGracePeriod: 0,
      shutdownDelayDuration: 0,
      bindAddress: '127.0.0.1',
      securePort: 6443,
      insecurePort: 8080,
      insecurePortAcceptsCredentialsInTheClear: false,
      maxConnections: 10_000,
      maxBodyBytes: 3_145_728,
      certDir: 'kube-vitals-data/certs',
      tlsCertFile: undefined,
      tlsPrivateKeyFile: undefined,
      tokenAuthFile: undefined,
      authorizationMode: 'AlwaysAllow',
      authorizationPolicyFile: undefined,
      anonymousAuth: true,
      eventTtl: 3_600_000,
      apiDomain: 'example.com',
      coreV1Events: true,
      managedFields: true,
      watchCache: true,
      dataDir: './kube-vitals-data',
      store: undefined,
      workers: 1,
      limits: { limits: {}, eventRateLimits: [{ type: 'SourceAndObject', qps: 50, burst: 1_000 }] },
      eventRateLimitServer: undefined,
      eventRateLimitNamespace: undefined,
      eventRateLimitUser: undefined,
      eventRateLimitSourceAndObject: { type: 'SourceAndObject', qps: 50, burst: 1_000 },
      metrics: true,
      exampleDependency: false,
    });
  });

  it('reads values after a space and after an equals sign; the last one counts', () => {
    expect(flags('--secure-port', '7443', '--event-ttl=1h30m')).toMatchObject({
      securePort: 7443,
      eventTtl: 5_400_000,
    });
    expect(flags('--secure-port=1', '--secure-port=2').securePort).toBe(2);
    expect(flags('--data-dir=/a=b').dataDir).toBe('/a=b');
  });

  it('reads boolean flags with and without a value', () => {
    expect(flags('--anonymous-auth').anonymousAuth).toBe(true);
    expect(flags('--anonymous-auth=false').anonymousAuth).toBe(false);
    expect(error('--anonymous-auth', 'false')).toBe('unexpected argument "false"');
    expect(error('--anonymous-auth=maybe')).toContain('must be true or false');
  });

  it('accepts tokens in the clear only with the full flag', () => {
    expect(flags('--insecure-port-accepts-credentials-in-the-clear').insecurePortAcceptsCredentialsInTheClear).toBe(
      true,
    );
    expect(error('--insecure-port-accepts-credentials')).toContain('unknown flag');
  });

  it('keeps certificates in the data directory by default', () => {
    expect(flags('--data-dir', '/data').certDir).toBe('/data/certs');
    expect(flags('--data-dir', '/data', '--cert-dir', '/certs').certDir).toBe('/certs');
  });

  it('leaves the choice of a store to the start by default', () => {
    expect(flags('--store', 'memory').store).toEqual({ kind: 'memory', shown: 'memory' });
    expect(flags('--store=sqlite:/data/e.db').store).toMatchObject({ kind: 'sqlite', path: '/data/e.db' });
    expect(flags('--store=').store).toBeUndefined();
  });

  it('limits the rate of events by each type, or not at all', () => {
    const rates = flags(
      '--event-rate-limit-server=500/1000',
      '--event-rate-limit-namespace=100/200',
      '--event-rate-limit-user=0.5/20/10',
      '--event-rate-limit-source-and-object=off',
    );
    expect(rates.limits).toEqual({
      limits: {},
      eventRateLimits: [
        { type: 'Server', qps: 500, burst: 1_000 },
        { type: 'Namespace', qps: 100, burst: 200 },
        { type: 'User', qps: 0.5, burst: 20, cacheSize: 10 },
      ],
    });
    const none = flags('--limits=off', '--event-rate-limit-user=1/1').limits;
    expect(none.eventRateLimits).toEqual([]);
    expect(none.limits).toMatchObject({ reads: Infinity, writes: Infinity, watches: Infinity, queued: Infinity });
    // Every limit there is, those that are not named above too.
    const counts = Object.entries(readInFlightLimits(none.limits ?? {})).filter(([name]) => !name.endsWith('Ms'));
    expect(counts.filter(([, value]) => value !== Infinity)).toEqual([]);
    for (const wrong of ['50', '0/5', '5/0', '-1/5', '5/5/0', '5/1.5', '']) {
      expect(error(`--event-rate-limit-user=${wrong}`)).toContain('must be off or QPS/BURST');
    }
    expect(error('--event-rate-limit-server=5/5/5')).toContain('must be off or QPS/BURST: there is only one server');
    expect(error('--limits=no')).toContain('must be on or off');
  });

  it('accepts port 0 for any free one, and off', () => {
    expect(flags('--secure-port=0', '--insecure-port=0')).toMatchObject({ securePort: 0, insecurePort: 0 });
    expect(flags('--insecure-port=off').insecurePort).toBe('off');
    expect(error('--secure-port=off')).toContain('must be a port');
  });

  it.each([
    [['--nope'], 'unknown flag: --nope'],
    [['--nope=1'], 'unknown flag: --nope'],
    [['--__proto__'], 'unknown flag: --__proto__'],
    [['-v'], 'unexpected argument "-v"'],
    [['serve'], 'unexpected argument "serve"'],
    [['--'], 'unexpected argument "--"'],
    [['--event-ttl'], 'flag needs an argument: --event-ttl'],
    [['--event-ttl=5'], 'invalid argument "5" for "--event-ttl" flag: time: missing unit in duration "5"'],
    [['--event-ttl=1ms'], 'invalid argument "1ms" for "--event-ttl" flag: must be at least 1s'],
    [['--livez-grace-period=-1s'], 'invalid argument "-1s" for "--livez-grace-period" flag: must be from 0s to 24h'],
    [['--secure-port=65536'], 'invalid argument "65536" for "--secure-port" flag: must be a port, from 0 to 65535'],
    [
      ['--authorization-mode=RBAC'],
      'invalid argument "RBAC" for "--authorization-mode" flag: must be AlwaysAllow or ABAC',
    ],
    [
      ['--store=etcd'],
      'invalid argument "etcd" for "--store" flag: must be memory, sqlite:PATH, postgres://…, or etcd://HOST:PORT,HOST:PORT/PREFIX',
    ],
    [
      ['--store=postgre://shop:secret@db/shop'],
      'invalid argument "postgre://…" for "--store" flag: must be memory, sqlite:PATH, postgres://…, or etcd://HOST:PORT,HOST:PORT/PREFIX',
    ],
    [
      ['--max-connections=0'],
      'invalid argument "0" for "--max-connections" flag: must be a whole number from 1 to 999999999',
    ],
    [['--workers=0'], 'invalid argument "0" for "--workers" flag: must be a whole number from 1 to 128'],
    [['--workers=129'], 'invalid argument "129" for "--workers" flag: must be a whole number from 1 to 128'],
    [['--max-body-bytes=3145729'], 'invalid argument "3145729" for "--max-body-bytes" flag: must be from 1 to 3145728'],
    [['--bind-address='], 'invalid argument "" for "--bind-address" flag: must not be empty'],
    [['--tls-cert-file=x'], '--tls-cert-file and --tls-private-key-file go together: give both, or neither'],
    [
      ['--authorization-mode=ABAC'],
      '--authorization-mode=ABAC and --authorization-policy-file go together: give both, or neither',
    ],
    [
      ['--authorization-policy-file=x'],
      '--authorization-mode=ABAC and --authorization-policy-file go together: give both, or neither',
    ],
  ])('refuses an invalid command line: %j', (argv, expected) => {
    expect(error(...argv)).toBe(expected);
  });

  it.each(['fe80::1%lo', '[::1]', '127.0.0.1:80', '::1 ', '300.1.1.1'])('refuses the address %j', (address) => {
    expect(error(`--bind-address=${address}`)).toBe(
      `invalid argument ${JSON.stringify(address)} for "--bind-address" flag: must be an IP address such as 127.0.0.1 or ::1, without brackets, port or zone`,
    );
  });

  it.each(['::', '::1', 'fe80::1', '0.0.0.0', 'localhost', 'pod-0.shop'])('takes the address %s', (address) => {
    expect(flags('--bind-address', address).bindAddress).toBe(address);
  });

  it.each([
    ['0:0:0:0:0:0:0:1', '::1'],
    ['::0', '::'],
    ['::ffff:127.0.0.1', '::ffff:7f00:1'],
    ['127.1', '127.0.0.1'],
    ['LOCALHOST', 'localhost'],
  ])('takes the address %s in the form that URLs have', (given, address) => {
    expect(flags('--bind-address', given).bindAddress).toBe(address);
  });

  it.each([['--store=memory'], ['--store=sqlite:events.db'], []])(
    'refuses several workers over a store of one process: %j',
    (...store) => {
      expect(error('--workers=2', ...store)).toBe(
        '--workers=2 needs a store that processes can share: give --store=postgres://… or --store=etcd://…, since memory and SQLite belong to one process',
      );
      expect(flags('--workers=1', ...store).workers).toBe(1);
    },
  );

  it.each(['postgres://shop@db/shop', 'etcd://127.0.0.1:2379'])('takes several workers over %s', (store) => {
    expect(flags('--workers=2', `--store=${store}`).workers).toBe(2);
  });

  it.each(['', 'Example.com', 'a..b', '-a', 'a_b', `${'a'.repeat(250)}.com`])('refuses the domain %j', (domain) => {
    expect(error(`--api-domain=${domain}`)).toContain('must be a lower-case DNS name');
  });

  it('explains every flag with its default', () => {
    const prepared = serveCommand.prepare(['--event-ttl=1s', '--help']);
    const help = 'help' in prepared ? prepared.help : '';
    expect(help).toContain('--event-ttl duration\n      How long an event is kept. (default 1h0m0s)');
    expect(help).toContain('--anonymous-auth[=true|false]');
    expect(help).toMatch(
      /--store store\n .*sqlite:PATH.*postgres:.*etcd:.*\(default sqlite:events\.db in --data-dir; memory where /,
    );
    expect(help.match(/^ {2}--/gm)).toHaveLength(Object.keys(serveFlags).length + 1);
    expect(Object.keys(serveFlags)).toHaveLength(30);
    expect('help' in serveCommand.prepare(['-h'])).toBe(true);
  });

  it('gives one line for any command line', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom('--event-ttl', '--secure-port=', '--help'))),
        (argv) => {
          const prepared = serveCommand.prepare(argv);
          if ('error' in prepared) expect(prepared.error.trim()).not.toBe('');
        },
      ),
    );
  });
});
