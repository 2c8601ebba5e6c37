import { describe, expect, it } from 'vitest';
import { appOn } from '../../../src/cli/command/command.ts';
import { callTable, planTable, printSent } from '../../../src/cli/commands/sending.ts';
import { callOptionsOf } from '../../../src/cli/options/given-options.ts';
import { openTerminal } from '../../../src/cli/terminal/terminal.ts';
import type { BatchAccount, PlannedAccount, PlanTotals } from '../../../src/domain/batches/account.ts';
import type { CallOutcome } from '../../../src/domain/failures/paybatch-error.ts';
import type { StatusCounts } from '../../../src/domain/rows/row-state.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { sampleAccount } from '../../support/accounts.ts';
import { collectText } from '../../support/in-process.ts';
import { typedWords } from '../../support/words.ts';

it.each<[CallOutcome, string]>([
  ['done', 'every row was created earlier'],
  ['rows_need_correction', 'no row can move by itself'],
  ['stopped', 'the run was stopped before'],
])('that nothing was sent is reported with its reason, exit %i: %s', (outcome, reason) => {
  expect(saidOf(outcome, [sampleAccount({ counts: { existing: 2 } })])).toContain(
    `\nNothing was sent: ${reason}.\n`,
  );
});

it('of a file without rows it is not said that they were created earlier', () => {
  const said = saidOf('done', [batch]);
  expect(said).toContain('No rows: nothing to do');
  expect(said).not.toContain('Nothing was sent');
});

const batch = sampleAccount({}, {}, { kind: 'customers' });

/** What is printed of a call that has sent nothing. */
function saidOf(outcome: CallOutcome, batches: readonly BatchAccount[]): string {
  const streams = { stdout: collectText(), stderr: collectText() };
  const { speech } = callOptionsOf({}, {});
  const terminal = openTerminal(speech, {}, streams);
  const interrupted = new AbortController().signal;
  const activity = { requests: 0 };
  const engine = Engine.withSettings({}, {});
  const app = appOn(terminal, { engine, speech, interrupted, activity });
  printSent(app, {
    outcome,
    batches,
    failure: null,
    sending: 'done',
    sentRows: 0,
    environment: { mode: 'sandbox', origin: 'https://api.example.test' },
  });
  return streams.stdout.text();
}

const files = { results: 'r.csv', failed: 'f.csv', log: 'l.jsonl', report: 'r.html' };
const live = { mode: 'live', origin: 'https://api.example.test' } as const;

function plannedAccount(
  totals: Partial<PlanTotals>,
  counts: StatusCounts = { not_sent: 10 },
): PlannedAccount {
  const account = sampleAccount({ counts }, { files }, { ...live, fileName: 'payees.csv' });
  return { ...account, plan: { planHash: 'abcdef', totals: { send: [], skip: [], ...totals } } };
}

const group = (institution: string, amount: string | null, given = {}) => ({
  resource: 'recipients/bank_account',
  institution,
  currency: 'KES',
  rows: 2,
  rowsWithAmount: amount === null ? 0 : 2,
  amount,
  ...given,
});

function shown(totals: Partial<PlanTotals>, canBeSent = true, counts?: StatusCounts): string {
  const options = { useColour: false, words: typedWords, canBeSent };
  return planTable(plannedAccount(totals, counts), options);
}

describe('a plan on the terminal', () => {
  it('adds amounts up exactly, by currency, and says where some are missing', () => {
    const text = shown({
      send: [group('A', '0.10'), group('B', '99999999999999.99'), group('C', '5', { rowsWithAmount: 1 })],
    });
    expect(text).toMatch(/all +KES +6 +100,000,000,000,005\.09 \(5 of 6 rows\)/);
    expect(text).toContain('6 of 10 rows would be sent');
  });

  it('counts a single row as one, and not as all of one', () => {
    expect(shown({ send: [group('A', null, { rows: 1 })] }, true, { not_sent: 1 })).toMatch(
      /^ +1 row would be sent$/m,
    );
  });

  it('gives the command that sends exactly this', () => {
    expect(shown({ send: [group('A', null)] })).toContain(
      'paybatch submit 3f2a9c1e --plan-hash abcdef --mode live --base-url https://api.example.test',
    );
    expect(shown({ send: [group('A', null)] }, false)).not.toContain('submit');
  });

  it('reports every reason not to send, and gives no command when nothing is left', () => {
    const text = shown({
      skip: [
        { status: 'invalid', code: 'required', rows: 6, firstRow: 2 },
        { status: 'existing', code: 'existing', rows: 2, firstRow: 3 },
        { status: 'not_sent', code: 'duplicate', rows: 1, firstRow: 4 },
        { status: 'held', code: 'differs_from_created', rows: 1, firstRow: 1234 },
      ],
    });
    expect(text).toContain('Of 10 rows, none would be sent');
    expect(text).toMatch(/What would not be sent\n +status +why +rows +first row\n +invalid +required +6 +2/);
    expect(text).toMatch(/existing +created before +2 +3/);
    expect(text).toMatch(/duplicate +same as an earlier row of the file +1 +4/);
    expect(text).toMatch(/held +differs_from_created +1 +1234/);
    expect(text).toContain('f.csv');
    expect(text).not.toContain('submit');
  });

  it('gives the command for the corrected file where rows need correction, and only there', () => {
    const skip = (status: 'invalid' | 'existing') => [{ status, code: 'required', rows: 6, firstRow: 2 }];
    expect(shown({ skip: skip('invalid') })).toContain('paybatch plan f.csv --mode live');
    expect(shown({ skip: skip('existing') })).not.toContain('paybatch plan');
    expect(shown({ skip: skip('invalid'), send: [group('A', null)] })).toMatch(
      /submit[\s\S]*paybatch plan f\.csv/,
    );
  });

  it('stays within bounds for a file with very many groups', () => {
    const text = shown({ send: Array.from({ length: 90 }, (_, at) => group(`Bank ${at}`, '1')) });
    expect(text).toContain('and 50 more lines');
    expect(text.split('\n').length).toBeLessThan(60);
  });

  it('says that an empty file is nothing to do', () => {
    expect(shown({}, true, {})).toContain('nothing to do');
  });

  it('adds the files of a call up, and says of each what is not sent', () => {
    const people = {
      ...plannedAccount({ send: [group('A', '900000'), group('B', null, { currency: 'TZS' })] }),
    };
    const skip = [{ status: 'not_sent', code: 'duplicate', rows: 1, firstRow: 4 }] as const;
    const others = {
      ...plannedAccount({ send: [group('A', '900000.5')], skip: [...skip] }),
      file: 'others.csv',
    };
    const text = callTable([people, others], (_, line) => line);
    expect(text).toMatch(/payees\.csv +bank account +A +KES +2 +900,000\.00/);
    expect(text).toMatch(/others\.csv +bank account +A +KES +2 +900,000\.50/);
    expect(text).toMatch(/all +KES +4 +1,800,000\.50\n +all +TZS +2/);
    expect(text).toMatch(/others\.csv +duplicate +same as an earlier row of the file +1 +4/);
    expect(callTable([people], (_, line) => line)).toBe('');
  });
});
