import { describe, expect, it } from 'vitest';
import { compareClocks } from '../../../src/engine/doctor/ledger.ts';

describe('two clocks', () => {
  it.each([0, 59_000, -59_000])('that differ by %d ms agree', (skewInMs) => {
    expect(compareClocks('API', skewInMs)).toEqual({
      level: 'ok',
      what: 'clock',
      finding: { code: 'clocks_agree', of: 'API', skewInMs },
      outcome: 'done',
    });
  });

  it.each([120_000, -120_000])('that differ by %d ms are a warning', (skewInMs) => {
    expect(compareClocks('database', skewInMs)).toEqual({
      level: 'warning',
      what: 'clock',
      finding: { code: 'clocks_differ', of: 'database', skewInMs },
      outcome: 'done',
    });
  });
});
