import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TableRow } from '../../../src/domain/tables/table.ts';
import { inScratch } from '../../../src/ledger/connection/open.ts';
import { FoundProblems, type GivenVerdict } from '../../../src/reconcile/verdicts/decide-rows.ts';
import {
  noteRepeatedVerdicts,
  type ReadLine,
  verdictReader,
} from '../../../src/reconcile/verdicts/verdict-file.ts';
import { forEachLedger } from '../../support/ledger.ts';

function created(row: number, id: string): GivenVerdict {
  return { row, verdict: 'created', id, note: '', key: null, attempts: null };
}

async function* inPages(given: readonly GivenVerdict[]): AsyncGenerator<readonly GivenVerdict[]> {
  for (let at = 0; at < given.length; at += 1_000) yield given.slice(at, at + 1_000);
}

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  async function problemsOf(given: readonly GivenVerdict[]): Promise<FoundProblems> {
    const problems = new FoundProblems();
    await inScratch(database, (sql) => noteRepeatedVerdicts(sql, inPages(given), problems));
    return problems;
  }

  describe('verdicts of a long file', () => {
    const apart = Array.from({ length: 2_500 }, (_, at) => created(at + 2, `id-${at}`));

    it('may be in any number and order, each about a row and an object of its own', async () => {
      const others: GivenVerdict[] = [9_000, 9_001].map((row) => ({
        ...created(row, 'id-1'),
        verdict: 'existing',
      }));
      expect((await problemsOf([...apart.toReversed(), ...others])).count).toBe(0);
    });

    it('are refused where two of them, however far apart, are about one row or one object', async () => {
      const { texts } = await problemsOf([...apart, created(7, 'id-x'), created(5_000, 'id-1')]);
      expect(texts).toEqual([
        'row 7: it has two verdicts',
        'row 3: row 5000 is given the same id',
        'row 5000: row 3 is given the same id',
      ]);
    });

    it('are counted where there are too many wrong ones to list', async () => {
      const same = apart.map(({ row }) => created(row, 'id-same'));
      const problems = await problemsOf(same);
      expect([problems.texts.length, problems.count]).toEqual([1_000, 2_500]);
    });
  });
});

const header = ['row', 'status', 'key', 'attempts', 'age', 'what is known', 'verdict', 'id', 'note'];

function line(
  number: number,
  row: string,
  verdict: string,
  id = '',
  key = '',
  attempts = '',
): { number: number; cells: string[] } {
  return { number, cells: [row, 'unknown', key, attempts, '3 days', 'sent', verdict, id, 'why'] };
}

function read(lines: readonly TableRow[], titles = header): ReadLine[] {
  return lines.map(verdictReader('v.csv', titles));
}

describe('a file of verdicts', () => {
  it('takes the lines that have a verdict, however it is spelt', () => {
    expect(
      read([line(2, '7', ''), line(3, '8', ' Not_Created '), line(4, '9', 'created', 'id-9', 'k', '3')]),
    ).toEqual([
      null,
      { verdict: { row: 8, verdict: 'not-created', id: null, note: 'why', key: null, attempts: null } },
      { verdict: { row: 9, verdict: 'created', id: 'id-9', note: 'why', key: 'k', attempts: 3 } },
    ]);
  });

  it('takes the ids that a reconciliation has found, for the rows whose ids a person has confirmed', () => {
    const confirmed = { rows: new Set([7, 9]), note: 'looked at' };
    const lines = [
      line(2, '7', '', 'id-7', 'k', '1'),
      line(3, '8', '', 'id-8'),
      line(4, '9', 'send', 'id-9'),
    ];
    expect(lines.map(verdictReader('v.csv', header, confirmed))).toEqual([
      { verdict: { row: 7, verdict: 'created', id: 'id-7', note: 'looked at', key: 'k', attempts: 1 } },
      null,
      { verdict: expect.objectContaining({ row: 9, verdict: 'send', note: 'why' }) },
    ]);
  });

  it('reports every line that is no verdict, and reads on', () => {
    const lines = [
      ...[line(2, '8', 'yes'), line(3, 'x', 'send'), line(3, '8', 'send', '', '', 'twice')],
      line(4, '9', 'send'),
    ];
    expect(read(lines)).toEqual([
      { problem: expect.stringContaining('row 8: ') },
      { problem: expect.stringContaining('line 3: ') },
      { problem: 'row 8: "attempts" is no number' },
      { verdict: expect.objectContaining({ row: 9 }) },
    ]);
    expect(() => read([], ['row', 'note'])).toThrow('no column "verdict"');
  });
});
