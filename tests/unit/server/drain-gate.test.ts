import { describe, expect, it } from 'vitest';
import { createDrainGate } from '../../../src/server/drain-gate.js';

const ok = { status: 200, headers: {}, body: 'ok' };

describe('createDrainGate', () => {
  it('passes all requests until it drains', async () => {
    const gate = createDrainGate(() => ok);
    expect(await gate.handle({ method: 'GET', url: '/x' })).toBe(ok);
    gate.startDraining();
    gate.startDraining();
    expect(await gate.handle({ method: 'GET', url: '/x' })).toMatchObject({ status: 503 });
  });

  it.each(['/readyz', '/livez/ping', '/healthz?verbose', '/metrics', '/metrics/slis'])(
    'still passes %s while it drains',
    async (url) => {
      const gate = createDrainGate(() => ok);
      gate.startDraining();
      expect(await gate.handle({ method: 'GET', url })).toBe(ok);
    },
  );

  it('still passes other API servers', async () => {
    const gate = createDrainGate(() => ok);
    gate.startDraining();
    expect(await gate.handle({ method: 'GET', url: '/x', headers: { 'user-agent': 'kube-apiserver/v1.36' } })).toBe(ok);
  });

  it('does not affect requests in flight', async () => {
    let finish: (() => void) | undefined;
    const inside = new Promise<typeof ok>((resolve) => {
      finish = () => resolve(ok);
    });
    const gate = createDrainGate(() => inside);
    const response = gate.handle({ method: 'GET', url: '/x' });
    gate.startDraining();
    finish?.();
    expect(await response).toBe(ok);
  });
});
