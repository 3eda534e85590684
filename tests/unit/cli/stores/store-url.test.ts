import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStoreUrl, passwordFilter, withoutSecrets } from '../../../../src/cli/stores/store-url.js';

describe('parseStoreUrl', () => {
  it('reads memory and SQLite files', () => {
    expect(parseStoreUrl('memory')).toEqual({ kind: 'memory', shown: 'memory' });
    expect(parseStoreUrl('sqlite:events.db')).toEqual({ kind: 'sqlite', path: 'events.db', shown: 'events.db' });
    expect(parseStoreUrl('sqlite:/var/lib/a b/e?.db')).toMatchObject({ path: '/var/lib/a b/e?.db' });
    expect(parseStoreUrl('sqlite:///var/lib/e.db')).toMatchObject({ path: '///var/lib/e.db' });
  });

  it.each(['postgres', 'postgresql'])('passes %s URLs on unchanged', (scheme) => {
    const text = `${scheme}://shop:s%40cret@db.example.com:5433/shop?sslmode=verify-full&options=-c%20jit=off`;
    expect(parseStoreUrl(text)).toEqual({
      kind: 'postgres',
      connectionString: text,
      schema: undefined,
      shown: 'postgres://shop@db.example.com:5433/shop',
      password: 's@cret',
    });
  });

  it('finds no user and no password in a PostgreSQL URL without them, and finds a password among its parameters', () => {
    const read = (text: string): unknown => parseStoreUrl(text);
    const found = { kind: 'postgres', schema: undefined, shown: 'postgres://db/shop' };
    expect(read('postgres://db/shop')).toEqual({ ...found, connectionString: 'postgres://db/shop' });
    const text = 'postgres://db/shop?password=s%40cret';
    expect(read(text)).toEqual({ ...found, connectionString: text, password: 's@cret' });
  });

  it('removes the schema from a PostgreSQL URL', () => {
    expect(parseStoreUrl('postgres://db/shop?schema=events&sslmode=require')).toMatchObject({
      connectionString: 'postgres://db/shop?sslmode=require',
      schema: 'events',
    });
  });

  it('reads etcd URLs with one host or several', () => {
    expect(parseStoreUrl('etcd://10.0.0.1:2379,h2:23790,[::1]:1/shop/events')).toEqual({
      kind: 'etcd',
      endpoints: ['http://10.0.0.1:2379', 'http://h2:23790', 'http://[::1]:1'],
      prefix: '/shop/events',
      username: undefined,
      files: {},
      shown: 'etcd://10.0.0.1:2379,h2:23790,[::1]:1/shop/events',
    });
    expect(parseStoreUrl('etcd://h')).toMatchObject({ endpoints: ['http://h:2379'], prefix: undefined });
    expect(parseStoreUrl('etcd://h/')).toMatchObject({ prefix: undefined });
    expect(parseStoreUrl('etcd://h/shop//')).toMatchObject({ prefix: '/shop' });
    expect(parseStoreUrl('etcd://h:65535')).toMatchObject({ endpoints: ['http://h:65535'] });
  });

  it('reads an etcd user without a password', () => {
    expect(parseStoreUrl('etcd://shop@h')).toEqual({
      kind: 'etcd',
      endpoints: ['http://h:2379'],
      prefix: undefined,
      username: 'shop',
      files: {},
      shown: 'etcd://h',
    });
  });

  it('reads TLS files and users of etcd', () => {
    expect(parseStoreUrl('etcds://shop:p%3Aw@h:2379/e/?ca=/c/ca.crt&cert=a.crt&key=a.key')).toEqual({
      kind: 'etcd',
      endpoints: ['https://h:2379'],
      prefix: '/e',
      username: 'shop',
      password: 'p:w',
      files: { ca: '/c/ca.crt', cert: 'a.crt', key: 'a.key' },
      shown: 'etcds://h:2379/e',
    });
  });

  it.each([
    ['', 'must be memory, sqlite:PATH, postgres://…, or etcd://HOST:PORT,HOST:PORT/PREFIX'],
    ['mongo://h', 'must be memory'],
    ['jdbc:postgresql://h/d', 'must be memory'],
    ['grpc+etcd://h', 'must be memory'],
    ['sqlite:', 'needs a path'],
    ['sqlite::memory:', '--store=memory'],
    ['sqlite://events.db', 'the path follows the colon'],
    ['sqlite:file:events.db', 'the path follows the colon'],
    ['postgres://h:99999/x', 'is not a URL such as'],
    ['postgres://h/x?schema=', 'schema= needs a name'],
    ['etcd://', 'in the form HOST:PORT'],
    ['etcd://h:2379,', 'in the form HOST:PORT'],
    ['etcd://h:0', '0 is not a port'],
    ['etcd://h:70000', '70000 is not a port'],
    ['etcd://shop:secret', 'in the form HOST:PORT'],
    ['etcd://shop:sec@ret@h', 'is not a URL such as'],
    ['etcd://shop:sec@ret@etcd://h', 'is not a URL such as'],
    ['etcd://:secret@h', 'a password needs a user: etcd://USER:PASSWORD@HOST:PORT'],
    ['etcd://shop:%@h', 'a % in a name or password is written %25'],
    ['etcd://h?ca=x', 'certificates are for etcds://'],
    ['etcds://h?cacert=x', 'accepts the parameters ca, cert, key, not cacert'],
    ['etcds://h?cacert=x&ca=y&pem=z', 'accepts the parameters ca, cert, key, not cacert, pem'],
  ])('refuses an invalid URL: %j', (text, why) => {
    expect(() => parseStoreUrl(text)).toThrow(why);
  });

  it('never repeats a password, in what it shows, in errors, or in what is logged', () => {
    const secret = fc.stringMatching(/^[A-Z]{6}[@:/?#%]?[A-Z]{6}$/);
    const scheme = fc.constantFrom('postgres', 'postgresql', 'etcd', 'etcds', 'postgre', 'http');
    fc.assert(
      fc.property(scheme, secret, fc.boolean(), (name, password, encoded) => {
        const text = `${name}://shop:${encoded ? encodeURIComponent(password) : password}@h:1/x`;
        let said = withoutSecrets(text);
        try {
          const choice = parseStoreUrl(text);
          said += choice.shown + passwordFilter(choice)(`no ${text} for ${password}`);
        } catch (error) {
          said += String(error);
        }
        expect(said).not.toContain(password.slice(0, 6));
      }),
    );
  });
});

describe('withoutSecrets', () => {
  it('returns a URL without a secret unchanged', () => {
    expect(['memory', 'sqlite:x.db', 'nope'].map(withoutSecrets)).toEqual(['memory', 'sqlite:x.db', 'nope']);
    expect(['a:b@c', 'b@c', 'postgres://h/x?password=y'].map(withoutSecrets)).toEqual(['a:…', '…', 'postgres://…']);
    expect(withoutSecrets('PGPASSWORD=secret://x@h')).toBe('…');
  });
});

describe('passwordFilter', () => {
  it('replaces the password in a line, as it is and as it is written in a URL, and nothing else', () => {
    const filter = passwordFilter({ password: 's@cret' });
    expect(filter('no shop:s%40cret@db for s@cret, s@cret')).toBe('no shop:***@db for ***, ***');
  });

  it('leaves the lines about a store without a password as they are', () => {
    expect(passwordFilter(parseStoreUrl('postgres://shop@db/shop'))('no undefined db')).toBe('no undefined db');
  });
});
