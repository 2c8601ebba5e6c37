import { describe, expect, it } from 'vitest';
import { type NoticedRun, noticeText } from '../../src/account/notice.ts';
import type { BatchAccount } from '../../src/domain/batches/account.ts';
import type { BatchFacts, FailedRun } from '../../src/domain/batches/batch-facts.ts';
import type { ErrorCode, ErrorKind } from '../../src/domain/failures/error-codes.ts';
import { say } from '../../src/domain/settings/message.ts';
import { sampleAccount } from '../support/accounts.ts';
import { typedWords } from '../support/words.ts';

const run: NoticedRun = {
  command: 'import',
  outcome: 'done',
  isInterrupted: false,
  failures: [],
  batches: [],
  sentRows: 0,
  mode: 'live',
  origin: 'https://api.example.test',
  startedBy: 'paybatch',
  host: 'night1',
  startedAt: '2026-11-24T02:15:00.000Z',
  endedAt: '2026-11-24T02:31:59.000Z',
  words: typedWords,
};

function batchWith(facts: Partial<BatchFacts>, changes?: typeof changed): BatchAccount {
  return sampleAccount(facts, changes === undefined ? {} : { changes }, {
    ...{ id: '6db98a5a-0000-8000-8000-000000000000', fileName: 'payroll.csv' },
    ...{ mode: 'live', origin: 'https://api.example.test' },
  });
}

const done = batchWith({ counts: { created: 5_000 } });

const changed = { counts: { payee_details_changed: 1_500 }, shown: [], series: null };

function linesOf(changes: Partial<NoticedRun>): string[] {
  return noticeText({ ...run, ...changes }).split('\n');
}

describe('a notice', () => {
  it('is empty for completed batches, except that it reports changed payees when their rows are sent', () => {
    expect(noticeText({ ...run, batches: [done], sentRows: 5_000 })).toBe('');
    const told = batchWith({ counts: { created: 5_000 } }, changed);
    // A night that only finds it again.
    expect(noticeText({ ...run, batches: [told] })).toBe('');
    expect(linesOf({ batches: [told], sentRows: 5_000 })).toEqual([
      'paybatch import: exit 0, finished',
      'LIVE, https://api.example.test; by paybatch on night1, 2026-11-24 02:15 to 2026-11-24 02:31 UTC',
      '',
      'payroll.csv (recipients, batch 6db98a5a): All 5,000 rows created',
      '  1,500 rows pay known payees at another account.',
      '',
    ]);
  });

  it('reports a completed batch if nothing proves that its key is a live key', () => {
    const unproven = batchWith({ counts: { created: 5_000 }, unprovenKey: '0123456789abcdef' });
    expect(noticeText({ ...run, batches: [unproven] })).toBe('');
    expect(linesOf({ batches: [done, unproven], sentRows: 5_000 }).slice(1, 5)).toEqual([
      expect.stringMatching(/^LIVE if its key is, https:\/\/api\.example\.test; by paybatch/),
      '',
      'payroll.csv (recipients, batch 6db98a5a): All 5,000 rows created',
      expect.stringContaining('live only if the API key with the fingerprint 0123456789abcdef is a live key'),
    ]);
  });

  it('omits rows whose correction is done, and reports the others', () => {
    const facts = { counts: { created: 3, invalid: 1, rejected: 1 } };
    const both = { invalid: 1, rejected: 1 };
    const bothDone = batchWith({ ...facts, superseded: { all: both, done: both } });
    expect(noticeText({ ...run, batches: [bothDone] })).toBe('');
    const oneDone = batchWith({ ...facts, superseded: { all: both, done: { invalid: 1 } } });
    expect(linesOf({ batches: [oneDone] })).toContain(
      'payroll.csv (recipients, batch 6db98a5a): 3 of 5 rows created; 1 invalid, 1 rejected',
    );
  });

  it('reports number, amounts and age of held payees, who decides, and how', () => {
    const open = (code: string, rows: number, since: string) => ({
      ...{ status: 'held' as const, code, rows, since },
      sums: [{ currency: 'KES', rows, amount: `${rows}.50` }],
    });
    const held = batchWith(
      {
        counts: { created: 3_500, held: 1_500 },
        open: [
          open('payee_details_changed', 1_450, '2026-11-24T02:16:00.000Z'),
          open('account_shared', 50, '2026-11-23T02:16:00.000Z'),
        ],
      },
      changed,
    );
    expect(linesOf({ outcome: 'decision_needed', batches: [done, held], sentRows: 1 }).slice(3)).toEqual([
      'payroll.csv (recipients, batch 6db98a5a): 3,500 of 5,000 rows created; 1,500 held',
      '  1,500 rows pay known payees at another account.',
      '  1,500 held since 2026-11-23 02:16 UTC: 1,501.00 KES',
      '    why: payee details changed (1,450), account shared (50)',
      '    to do: a person with the right to do so decides about them: ask the payee by another way than the file',
      '  Look into 1,500 held rows: only a person may decide about them.',
      expect.stringContaining('paybatch reconcile 6db98a5a'),
      '',
    ]);
  });

  it('reports since when a file is refused, if the ledger has recorded it', () => {
    const failure = {
      file: '/in/bad.csv',
      outcome: 'file_refused',
      code: 'unknown_kind',
      message: 'bad.csv: unknown.',
      remedies: [
        { action: 'advice', text: 'name the kind' },
        { action: 'advice', text: 'correct the file' },
      ],
    } as const;
    const noted: FailedRun = {
      id: 1,
      ...failure,
      ...{ command: 'import', startedBy: 'ama', channel: 'cron', host: 'night1', times: 3 },
      ...{ since: '2026-11-22T02:15:00.000Z', lastAt: '2026-11-24T02:15:00.000Z' },
    };
    expect(linesOf({ outcome: 'file_refused', failures: [noted] }).slice(3)).toEqual([
      'REFUSED  /in/bad.csv: nothing of it was sent',
      '  why: bad.csv: unknown.',
      '  when: since 2026-11-22 02:15 UTC, 3 times; the last time on 2026-11-24 02:15 UTC, by ama on night1',
      '  to do: the sender corrects the file, or the person who maintains its mapping corrects that',
      '  how: name the kind',
      '    or correct the file',
      '',
    ]);
    expect(linesOf({ outcome: 'file_refused', failures: [failure] }).join()).not.toContain('when:');
  });

  it.each<[Partial<BatchFacts>, string]>([
    [{ counts: { not_sent: 5_000 } }, 'nothing yet, the next run sends them'],
    [
      {
        counts: { unknown: 5_000 },
        doubt: {
          oldestSentAt: '2026-11-24T02:16:00.000Z',
          oldestRunsOutAt: '2026-11-24T02:26:00.000Z',
          nextRunsOutAt: '2026-11-24T02:27:00.000Z',
          expired: 0,
          unsettled: 0,
        },
      },
      'until 2026-11-24 02:27 UTC each run sends them again under their own keys, later a person asks the provider about their keys',
    ],
    [
      { counts: { not_sent: 5_000 }, refusedAlike: { code: 'x', message: 'No.', rows: 50 } },
      'the person who maintains the mapping of the file corrects it',
    ],
  ])('says who does what about rows that are not settled: %j', (changes, toDo) => {
    const lines = linesOf({ outcome: 'stopped', isInterrupted: true, batches: [batchWith(changes)] });
    expect(lines[0]).toBe('paybatch import: exit 4, stopped by a signal');
    expect(lines).toContain(`    to do: ${toDo}`);
  });

  it('reports rows without a decision as in doubt while runs still send them again', () => {
    const doubt = {
      oldestSentAt: '2026-11-24T02:16:00.000Z',
      oldestRunsOutAt: '2026-11-24T02:26:00.000Z',
      nextRunsOutAt: '2026-11-24T02:26:00.000Z',
      expired: 0,
      unsettled: 0,
    };
    const inDoubt = batchWith({ counts: { created: 90, unknown: 10 }, doubt });
    const asked = batchWith({ counts: { unknown: 10 }, doubt: { ...doubt, unsettled: 10 } });
    const held = batchWith({ counts: { held: 1 } });
    const titleOf = (...batches: BatchAccount[]) => linesOf({ outcome: 'decision_needed', batches })[0];
    expect(titleOf(done, inDoubt)).toBe('paybatch import: exit 5, finished, and rows are in doubt');
    for (const others of [[inDoubt, asked], [inDoubt, held], []]) {
      expect(titleOf(...others)).toBe(
        'paybatch import: exit 5, finished, and a person has to decide about rows',
      );
    }
  });

  const failureOf = (code: ErrorCode, outcome: ErrorKind): NoticedRun['failures'][number] => ({
    ...{ file: null, outcome, code, message: say`Look at ${{ setting: 'databaseUrl' }}.`, remedies: [] },
  });

  it('says why a run failed in the words of the channel', () => {
    const failures = [failureOf('database_not_migrated', 'usage')];
    expect(linesOf({ outcome: 'usage', failures })).toContain('  why: Look at DATABASE_URL.');
    // As the library says it.
    expect(
      linesOf({ outcome: 'usage', failures, words: { remedy: () => '', rowRemedy: () => '' } }),
    ).toContain('  why: Look at the setting databaseUrl.');
  });

  it.each<[ErrorCode, ErrorKind, string]>([
    ['ledger_behind', 'stopped', 'lets no run start until the right ledger is in use'],
    ['ledger_lost', 'usage', 'lets no run start until the right ledger is in use'],
    ['database_damaged', 'stopped', 'lets no run start until the database is intact again'],
    ['disk_full', 'stopped', 'frees disk space'],
    ['run_log_gone', 'stopped', 'finds the cause'],
    ['no_id', 'stopped', 'corrects its settings'],
    ['halted', 'approval_needed', 'a person who may change the policy lifts it'],
    ['credentials', 'credentials_refused', 'checks the API key'],
  ])('of %s says who acts first, and promises no next run before', (code, outcome, toDo) => {
    const batches = [batchWith({ counts: { not_sent: 5_000 } })];
    const lines = linesOf({ outcome, failures: [failureOf(code, outcome)], batches });
    const [first = '', ofRows = '', ...others] = lines.filter((line) => line.includes('to do: '));
    expect(first).toContain(toDo);
    expect(ofRows).toBe('    to do: first what is said of the run as a whole; then the next run sends them');
    expect(others).toEqual([]);
    const doubt = {
      ...{ oldestSentAt: '2026-11-24T02:16:00.000Z', oldestRunsOutAt: '2026-11-24T02:26:00.000Z' },
      ...{ nextRunsOutAt: '2026-11-24T02:26:00.000Z', expired: 0, unsettled: 0 },
    };
    const inDoubt = [batchWith({ counts: { unknown: 5 }, doubt })];
    expect(linesOf({ outcome, failures: [failureOf(code, outcome)], batches: inDoubt })).toContain(
      '    to do: first what is said of the run as a whole; then until 2026-11-24 02:26 UTC each run sends them again under their own keys, later a person asks the provider about their keys',
    );
  });

  it.each<ErrorCode>(['unavailable', 'database_unavailable', 'lease_lost'])(
    'of %s asks for patience',
    (code) => {
      const batches = [batchWith({ counts: { not_sent: 5_000 } })];
      const lines = linesOf({ outcome: 'stopped', failures: [failureOf(code, 'stopped')], batches });
      expect(lines).toContain('    to do: nothing yet, the next run sends them');
      expect(
        lines.filter((line) => line.startsWith('  to do: nothing yet, the next run goes on')),
      ).toHaveLength(1);
    },
  );

  it('does not grow with the batches of a call, and lets no file name move a cursor', () => {
    const batches = Array.from({ length: 60 }, (_, at) => ({
      ...batchWith({ counts: { rejected: 5_000 } }),
      file: `\u001b[31m${at}.csv`,
    }));
    const text = noticeText({ ...run, outcome: 'rows_need_correction', batches });
    expect(text).toContain('and 10 more batches: see paybatch status');
    expect(text).not.toContain('\u001b');
  });
});
