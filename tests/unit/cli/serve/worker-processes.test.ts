import { describe, expect, it } from 'vitest';
import { mergeSignals } from '../../../../src/cli/serve/worker-processes.js';

function listening() {
  const signals = mergeSignals();
  const heard: string[] = [];
  signals.onSignal((signal) => void heard.push(signal));
  return { signals, heard };
}

describe('signals that come to a worker itself and through the primary', () => {
  it('count once where they are the same, in either order', () => {
    for (const [first, second] of [
      ['own', 'passed on'],
      ['passed on', 'own'],
    ] as const) {
      const { signals, heard } = listening();
      signals.arrived(first, 'SIGINT');
      signals.arrived(second, 'SIGINT');
      expect(heard).toEqual(['SIGINT']);
      signals.arrived(first, 'SIGINT');
      expect(heard).toEqual(['SIGINT', 'SIGINT']);
    }
  });

  it('are kept until somebody listens', () => {
    const signals = mergeSignals();
    signals.arrived('passed on', 'SIGTERM');
    expect(signals.isListenedTo()).toBe(false);
    const heard: string[] = [];
    signals.onSignal((signal) => void heard.push(signal));
    expect(heard).toEqual(['SIGTERM']);
    expect(signals.isListenedTo()).toBe(true);
  });

  it('include a SIGTERM at the end of the primary, unless a shutdown has begun', () => {
    const { signals, heard } = listening();
    signals.primaryExited();
    signals.primaryExited();
    expect(heard).toEqual(['SIGTERM']);
    const other = listening();
    other.signals.arrived('own', 'SIGINT');
    other.signals.primaryExited();
    expect(other.heard).toEqual(['SIGINT']);
  });

  it('are no longer passed to a listener that was removed', () => {
    const signals = mergeSignals();
    const heard: string[] = [];
    const off = signals.onSignal((signal) => void heard.push(signal));
    off();
    signals.arrived('own', 'SIGINT');
    expect([heard, signals.isListenedTo()]).toEqual([[], false]);
  });
});
