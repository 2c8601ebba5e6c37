import { describe, expect, it } from 'vitest';
import { stepText } from '../../src/account/next-steps.ts';
import type { NextStep } from '../../src/domain/batches/account.ts';
import type { BatchFacts } from '../../src/domain/batches/batch-facts.ts';
import type { StatusCounts } from '../../src/domain/rows/row-state.ts';
import { sampleAccount } from '../support/accounts.ts';
import { bareWords } from '../support/words.ts';

function stepsOf(
  facts: Partial<BatchFacts>,
  failed: string | null = 'out/x.failed.csv',
): readonly NextStep[] {
  return sampleAccount(facts, { files: { results: null, failed, log: null, report: null } }).next;
}

function commands(counts: StatusCounts, failed?: string | null): string[] {
  return stepsOf({ counts }, failed).map(({ remedy }) => bareWords.remedy(remedy));
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
    const steps = stepsOf({ counts: { unknown: 4, not_sent: 1 }, doubt });
    expect(steps.map(({ remedy }) => bareWords.remedy(remedy))).toEqual([
      'paybatch resume 3f2a9c1e',
      'paybatch reconcile 3f2a9c1e',
    ]);
    expect(textOf(steps[1])).toMatch(
      /^Ask the provider about the keys of 3 rows in doubt, since two runs have sent them /,
    );
    expect(textOf(steps[0])).toMatch(/^Go on with 1 row not sent yet and 1 row without a conclusive answer/);
    expect(stepsOf({ counts: { unknown: 2 }, doubt: { ...doubt, expired: 0 } })).toHaveLength(1);
  });

  it('is to resume in time, as long as sending again may bring an answer', () => {
    const doubt = { oldestSentAt: '', oldestRunsOutAt: '', expired: 0, unsettled: 0 };
    const [step] = stepsOf({
      counts: { unknown: 1 },
      doubt: { ...doubt, nextRunsOutAt: '2026-11-20T10:03:17.000Z' },
    });
    expect(textOf(step)).toMatch(/until 2026-11-20 10:03 UTC; after that ask the provider\.$/);
  });

  it('names what waiting rows wait for, and that they are tried again without a person', () => {
    const whyFor = (counts: StatusCounts): string => textOf(stepsOf({ counts }, null)[0]);
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
    const account = sampleAccount({ counts: { not_sent: 1 } }, {}, environment);
    expect(account.next).toEqual([
      {
        ...{ what: 'resume', notSent: 1, inDoubt: 0, runsOutAt: null },
        remedy: { action: 'resume', batch: '3f2a9c1e', environment },
      },
    ]);
  });

  it('counts a row and its repetitions as one', () => {
    const [step] = stepsOf({ counts: { not_sent: 312 }, repeats: { not_sent: 3 } });
    expect(textOf(step)).toBe('Go on with 309 rows not sent yet.');
  });

  const refusedAlike = { code: 'invalid_value', message: 'no', rows: 50 };

  it('is to read a file again whose rows are refused alike, and then the others, where there are any', () => {
    const some = stepsOf({ counts: { rejected: 50, not_sent: 7 }, refusedAlike }, null);
    expect(some.map(({ what }) => what)).toEqual(['read_again', 'send_others']);
    expect(textOf(some[1])).toBe('Or send the other 7 rows all the same.');
    const none = stepsOf({ counts: { rejected: 50 }, refusedAlike }, null);
    expect(none.map(({ what }) => what)).toEqual(['read_again', 'allow_retry']);
    expect(textOf(none[1])).toBe(
      'Or, if the refusal was not their fault, let the batch go on: 50 rejected rows can be sent again then.',
    );
  });
});

function textOf(step: NextStep | undefined): string {
  return step === undefined ? '' : stepText(step);
}
