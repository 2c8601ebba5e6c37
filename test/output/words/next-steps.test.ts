import { describe, expect, it } from 'vitest';
import type { StatusCounts } from '../../../src/domain/rows/row-state.ts';
import { nextSteps } from '../../../src/output/words/next-steps.ts';
import { typedWords } from '../../support/words.ts';
import { sampleBatch } from '../sample-rows.ts';

function commands(counts: StatusCounts, failed: string | null = 'out/x.failed.csv'): string[] {
  return nextSteps({ batch: sampleBatch, counts, failed }).map((step) => typedWords.remedy(step.remedy));
}

describe('what to do next', () => {
  it.each([
    [{ created: 5, existing: 2 }, []],
    [{ not_sent: 1 }, ['paybatch resume 3f2a9c1e']],
    [{ unknown: 1 }, ['paybatch resume 3f2a9c1e']],
    [{ unknown: 1, not_sent: 2 }, ['paybatch resume 3f2a9c1e']],
    [{ held: 1 }, ['paybatch reconcile 3f2a9c1e']],
    [{ invalid: 1 }, ['paybatch import out/x.failed.csv']],
    [{ rejected: 1 }, ['paybatch import out/x.failed.csv', 'paybatch retry 3f2a9c1e']],
    [{ waiting: 1 }, ['paybatch retry 3f2a9c1e']],
  ] as const)('for %j is %j', (counts, expected) => {
    expect(commands(counts)).toEqual(expected);
  });

  it('is to ask the provider about rows that two runs have sent in vain, or whose keys have run out', () => {
    const doubt = { oldestSentAt: '', oldestRunsOutAt: '', nextRunsOutAt: null, expired: 1, unsettled: 2 };
    const input = { batch: sampleBatch, failed: null };
    const steps = nextSteps({ ...input, counts: { unknown: 4, not_sent: 1 }, doubt });
    expect(steps.map(({ remedy }) => typedWords.remedy(remedy))).toEqual([
      'paybatch resume 3f2a9c1e',
      'paybatch reconcile 3f2a9c1e',
    ]);
    expect(steps[1]?.why).toMatch(
      /^Ask the provider about the keys of 3 rows in doubt, since two runs have sent them /,
    );
    expect(steps[0]?.why).toMatch(/^Go on with 1 row not sent yet and 1 row without a conclusive answer/);
    expect(nextSteps({ ...input, counts: { unknown: 2 }, doubt: { ...doubt, expired: 0 } })).toHaveLength(1);
  });

  it('is to resume in time, as long as sending again may bring an answer', () => {
    const doubt = { oldestSentAt: '', oldestRunsOutAt: '', expired: 0, unsettled: 0 };
    const [step] = nextSteps({
      batch: sampleBatch,
      counts: { unknown: 1 },
      failed: null,
      doubt: { ...doubt, nextRunsOutAt: '2026-11-20T10:03:17.000Z' },
    });
    expect(step?.why).toMatch(/until 2026-11-20 10:03 UTC; after that ask the provider\.$/);
  });

  it('says what waiting rows wait for, and that they need nobody to be tried again', () => {
    const whyFor = (counts: StatusCounts): string =>
      nextSteps({ batch: sampleBatch, counts, failed: null })[0]?.why ?? '';
    expect(whyFor({ waiting: 1 })).toBe(
      "Send again 1 waiting row, once its customer or account is there, or the customer's verification is done." +
        ' import and resume try waiting rows again by themselves.',
    );
    expect(whyFor({ waiting: 2 })).toContain('2 waiting rows, once their customer');
    expect(whyFor({ rejected: 1 })).not.toContain('by themselves');
  });

  it('names no failed file that is not there', () => {
    expect(commands({ invalid: 1 }, null)).toEqual([]);
  });

  it('can be pasted into a shell, whatever the folder is called', () => {
    expect(commands({ invalid: 1 }, "my $(out)/it's.csv")).toEqual([
      "paybatch import 'my $(out)/it'\\''s.csv'",
    ]);
  });

  it('is one line that no terminal acts on, and means the same file', () => {
    const [command = ''] = commands({ invalid: 1 }, "it's\n\u001b[2Jé.csv");
    expect(command).toBe(String.raw`paybatch import $'it\'s\x0a\x1b[2Jé.csv'`);
  });

  it('says to which API its call belongs', () => {
    const environment = { mode: 'live', origin: 'https://api.example.test' } as const;
    const input = { batch: sampleBatch, counts: { not_sent: 1 }, failed: null, environment };
    expect(nextSteps(input)).toEqual([
      {
        why: 'Go on with 1 row not sent yet.',
        remedy: { action: 'resume', batch: '3f2a9c1e', environment },
      },
    ]);
  });
});
