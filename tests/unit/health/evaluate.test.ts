import { describe, expect, it } from 'vitest';
import { createHealth, type Observation } from '../../../src/index.js';

type Probed = Extract<Observation, { readonly type: 'health.probed' }>;

/** A health object with eleven checks on readyz, and what its probes were observed with. */
function observedHealth() {
  const probes: Probed[] = [];
  const ran: number[] = [];
  let failing: string | undefined;
  const health = createHealth({
    observe: (observation) => void (observation.type === 'health.probed' && probes.push(observation)),
  });
  for (let number = 1; number <= 8; number++) {
    const name = `check-${number}`;
    health.add({ name, check: () => (ran.push(number), name !== failing) });
  }
  const probe = (): unknown => health.handle({ method: 'GET', url: '/readyz' });
  return { health, probes, ran, probe, fail: (name?: string) => void (failing = name) };
}

describe('the results that a probe is observed with', () => {
  it('are the same frozen array while every check keeps its status, although each probe runs the checks', () => {
    const { probes, ran, probe } = observedHealth();
    for (let count = 0; count < 3; count++) probe();
    expect(ran).toHaveLength(24);
    expect(probes).toHaveLength(3);
    expect(probes[0]?.checks).toHaveLength(11);
    expect(probes[1]?.checks).toBe(probes[0]?.checks);
    expect(probes[2]?.checks).toBe(probes[0]?.checks);
    expect(Object.isFrozen(probes[0]?.checks)).toBe(true);
  });

  it('are new ones when a check changes its status, or is added or removed', () => {
    const { health, probes, probe, fail } = observedHealth();
    const statusOf = (name: string): string | undefined =>
      probes.at(-1)?.checks.find((check) => check.name === name)?.status;
    probe();
    fail('check-3');
    probe();
    expect(statusOf('check-3')).toBe('failed');
    fail();
    probe();
    expect(statusOf('check-3')).toBe('ok');
    health.add({ name: 'late', check: () => ({ ok: false, reason: 'slow', critical: false }) });
    probe();
    expect(statusOf('late')).toBe('degraded');
    health.remove('late');
    probe();
    expect(statusOf('late')).toBeUndefined();
    expect(probes[0]?.checks.every(({ status }) => status === 'ok')).toBe(true);
  });
});
