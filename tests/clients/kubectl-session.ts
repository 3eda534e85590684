import { afterAll, beforeAll, expect } from 'vitest';
import type { Event } from '../../src/index.js';
import type { KubectlBinary } from './kubectl-binaries.js';
import { createKubectl, type Kubectl } from './kubectl.js';
import { manifestText } from './manifests.js';
import { startStandalone, type Standalone } from './standalone.js';

export const GROUP = 'events.example.com';
/** The resource as an argument of kubectl. */
export const EVENTS: string = `events.${GROUP}`;

/** A server and a kubectl for the tests of one suite. */
export interface Session extends Pick<Kubectl, 'run' | 'ok' | 'follow'> {
  readonly home: () => string;
  /** `kubectl create -f -` of a manifest with this name. Resolves to what it printed. */
  readonly create: (name: string, more?: Partial<Event>) => Promise<string>;
  /** `kubectl get -o json` of one event. */
  readonly read: (name: string) => Promise<Event>;
}

/** Starts a server with these flags before the tests of the suite, and checks after them that it ends well. */
export function kubectlSession(binary: KubectlBinary | undefined, flags: () => readonly string[] = () => []): Session {
  let server: Standalone | undefined;
  let kubectl: Kubectl | undefined;
  beforeAll(async () => {
    server = await startStandalone(...flags());
    const { kubeconfigPath, directory } = server;
    kubectl = createKubectl({ binary: binary?.path ?? 'kubectl', kubeconfigPath, directory });
  });
  afterAll(async () => {
    if (server !== undefined) expect(await server.stop()).toBe(0);
  });
  const running = (): Kubectl => {
    if (kubectl === undefined) throw new Error('the server runs only while tests do');
    return kubectl;
  };
  const ok: Kubectl['ok'] = (...given) => running().ok(...given);
  return {
    ok,
    run: (...given) => running().run(...given),
    follow: (args) => running().follow(args),
    home: () => running().home,
    create: (name, more) => ok(['create', '-f', '-'], { stdin: manifestText(GROUP, name, more) }),
    read: async (name) => JSON.parse(await ok(['get', EVENTS, name, '-o', 'json'])) as Event,
  };
}
