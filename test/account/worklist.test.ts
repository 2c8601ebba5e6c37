import { describe, expect, it } from 'vitest';
import type { Task, WorkSection, WorkSections } from '../../src/account/tasks.ts';
import { workSections } from '../../src/account/worklist.ts';
import type { RowTotals } from '../../src/domain/batches/batch-facts.ts';
import type { OpenOfPerson } from '../../src/domain/batches/difference-decisions.ts';
import type { DifferencesOfBatch, OpenBatch, OpenWork } from '../../src/ledger/after-sending/worklist.ts';

const nothing: RowTotals = {
  counts: {},
  repeats: {},
  contradicted: 0,
  sums: [],
  open: [],
  valuesRefusedIn: null,
};

/** @param file of which the content is that of another one where both have the same name */
function openBatch(id: string, given: Partial<OpenBatch> = {}, file = 'payees.csv'): OpenBatch {
  return {
    ...{ id, kind: 'recipients', mode: 'sandbox', origin: 'https://api.example.test', file, sheet: null },
    ...{ createdAt: '2026-11-20T10:00:00Z', isClosed: false, refusedAlike: null, isOnlyPlanned: true },
    ...{ latestWasWhole: false, isCorrection: false },
    ...{ content: file, totals: null, open: [], canMove: true, unrecorded: 0 },
    isEdited: { notSent: false, rejected: false, invalid: false },
    counted: given.totals ?? null,
    ...given,
  };
}

function notSent(rows: number, amount: string, repeats = 0): Partial<OpenBatch> {
  const sums = [{ status: 'not_sent', currency: 'XOF', rows: rows - repeats, amount }] as const;
  return { totals: { ...nothing, counts: { not_sent: rows }, repeats: { not_sent: repeats }, sums } };
}

function sectionsOf(batches: readonly OpenBatch[], given: Partial<OpenWork> = {}): WorkSections {
  const work = {
    batches,
    isCutShort: false,
    doubts: [],
    moreDoubts: 0,
    differences: [],
    runs: new Map(),
    ...given,
  };
  const made = { limit: 10, now: new Date('2026-11-20T10:05:00Z'), viewer: 'Mo' };
  return workSections(work, new Map(), made);
}

function ids({ tasks }: WorkSection<Task>): readonly string[] {
  return tasks.map(({ batch }) => batch.id);
}

describe('corrections that are not planned', () => {
  const none = { notSent: false, rejected: false, invalid: false };
  const rejected = { status: 'rejected', code: 'invalid_request', rows: 2, since: null, sums: [] } as const;

  it('keep a batch from being sent, until it is closed', () => {
    const batch = openBatch('a', { ...notSent(2, '200'), isEdited: { ...none, notSent: true } });
    expect(sectionsOf([batch]).sending.tasks).toMatchObject([{ state: 'edited', rows: 2 }]);
    expect(sectionsOf([{ ...batch, isClosed: true }]).sending.tasks).toEqual([]);
  });

  it('keep rows in doubt from being sent again', () => {
    const batch = openBatch('a', { ...notSent(2, '200'), isEdited: { ...none, notSent: true } });
    const { isClosed: _, totals: __, ...named } = batch;
    const doubt = {
      rows: 1,
      expired: 0,
      unsettled: 0,
      oldestSentAt: '',
      oldestRunsOutAt: '',
      nextRunsOutAt: null,
    };
    const doubts = [{ ...named, doubt }];
    expect(sectionsOf([batch], { doubts }).doubts.tasks[0]?.canGoOn).toBe(false);
    const others = { doubts: [{ ...named, id: 'b', doubt }] };
    expect(sectionsOf([batch], others).doubts.tasks[0]?.canGoOn).toBe(true);
  });

  it('keep rejected rows from being sent again, and are shown beside them', () => {
    const faulty = (isRejected: boolean) =>
      openBatch('a', {
        totals: { ...nothing, counts: { rejected: 2 } },
        open: [rejected],
        isEdited: { ...none, rejected: isRejected },
      });
    const { corrections, sending } = sectionsOf([faulty(true)]);
    expect(corrections.tasks).toMatchObject([{ rows: 2, isEdited: true, canBeTried: false }]);
    expect(sending.tasks).toEqual([]);
    expect(sectionsOf([faulty(false)]).corrections.tasks).toMatchObject([
      { isEdited: false, canBeTried: true },
    ]);
  });
});

describe('rows to send', () => {
  it('are those of the plan: a row that repeats another one is not counted', () => {
    const { sending } = sectionsOf([openBatch('a', notSent(4, '300', 1))]);
    expect(sending).toMatchObject({ rows: 3, sums: [{ currency: 'XOF', rows: 3, amount: '300' }] });
  });

  it('without known totals are counted beside the totals', () => {
    const { sending } = sectionsOf([openBatch('a', notSent(2, '200')), openBatch('b', {}, 'other.csv')]);
    expect(sending).toMatchObject({ rows: 2, uncounted: 1, unsummed: 1 });
    expect(sending.tasks[1]).toMatchObject({ rows: null, sums: null });
  });

  it('that have changed and are few are counted, without their amounts', () => {
    const counted = { counts: { not_sent: 3, unknown: 1 }, repeats: { not_sent: 1 }, contradicted: 1 };
    const { sending, contradictions } = sectionsOf([openBatch('a', { counted })]);
    expect(sending).toMatchObject({ rows: 2, uncounted: 0, unsummed: 1 });
    expect(contradictions.rows).toBe(1);
    expect(
      ids(sectionsOf([openBatch('a', { counted: { ...counted, counts: {}, repeats: {} } })]).sending),
    ).toEqual([]);
  });

  it('of two readings of one content are listed once, as those of the newer one', () => {
    const [newer, older] = [openBatch('newer', notSent(2, '200')), openBatch('older', notSent(2, '100'))];
    expect(ids(sectionsOf([newer, older]).sending)).toEqual(['newer']);
    expect(ids(sectionsOf([newer, { ...older, sheet: 'Sheet 2' }]).sending)).toEqual(['newer', 'older']);
  });

  it('of an older reading are listed once the newer one is closed, has nothing to send, or is not sent first', () => {
    const older = openBatch('older', notSent(2, '100'));
    const closed = openBatch('newer', { ...notSent(2, '200'), isClosed: true });
    expect(ids(sectionsOf([closed, older]).sending)).toEqual(['older']);
    const invalid = openBatch('newer', { totals: { ...nothing, counts: { invalid: 2 } } });
    expect(ids(sectionsOf([invalid, older]).sending)).toEqual(['older']);
    const run = { leaseUntil: '2026-11-20T10:06:00Z', endedAt: null, owner: { host: 'other', process: '1' } };
    const runs = new Map([['older', [run]]]) as unknown as OpenWork['runs'];
    const newer = openBatch('newer', notSent(2, '200'));
    expect(sectionsOf([newer, older], { runs }).sending.tasks.map(({ state }) => state)).toEqual([
      'planned',
      'under_way',
    ]);
  });
});

describe('rows with a reason', () => {
  const held = { status: 'held', code: 'account_shared', rows: 2, since: null, sums: [] } as const;

  it('are listed once for two readings, unless each has a reason of its own', () => {
    const older = openBatch('older', { open: [held, { ...held, code: 'key_expired' }] });
    const { tasks } = sectionsOf([openBatch('newer', { open: [held] }), older]).changedPayees;
    expect(tasks.map(({ batch, code }) => [batch.id, code])).toEqual([['newer', 'account_shared']]);
    expect(ids(sectionsOf([openBatch('newer', { open: [held] }), older]).held)).toEqual(['older']);
  });

  it('that are to be corrected are listed once for two readings, with the name of the other', () => {
    const invalid = { ...held, status: 'invalid', code: 'required' } as const;
    const older = openBatch('older', { open: [invalid, { ...invalid, status: 'rejected' }] }, 'first.csv');
    const copy = openBatch('newer', { open: [invalid] }, 'copy.csv');
    const { corrections } = sectionsOf([copy, { ...older, content: copy.content }]);
    expect(
      corrections.tasks.map(({ batch, status, alsoIn }) => [
        batch.id,
        status,
        alsoIn.map(({ file }) => file),
      ]),
    ).toEqual([
      ['newer', 'invalid', ['first.csv']],
      ['older', 'rejected', []],
    ]);
    expect(sectionsOf([copy, older]).corrections.tasks).toHaveLength(3);
  });

  it('that are not added up are reported as missing in the sums', () => {
    const sum = { currency: 'XOF', rows: 2, amount: '200' };
    const { corrections } = sectionsOf([
      openBatch('a', { open: [{ ...held, status: 'invalid', sums: [sum] }] }),
      openBatch('b', { open: [{ ...held, status: 'rejected', sums: null }] }, 'other.csv'),
    ]);
    expect(corrections).toMatchObject({ rows: 4, sums: [sum], uncounted: 0, unsummed: 1 });
  });
});

describe('differences of reconciliations', () => {
  const found = (
    id: string,
    reconciliation: string,
    byPerson: readonly OpenOfPerson[],
  ): DifferencesOfBatch => ({
    ...openBatch(id, {}),
    ...{ reconciliation, by: 'ada', at: '2026-11-20T10:00:00Z', byPerson },
  });

  it('are one line for each reconciliation, those that the viewer looks into first', () => {
    const differences = [
      found('a', '9', [{ assignedTo: null, count: 4 }]),
      found('b', '8', [{ assignedTo: 'Ben', count: 1 }]),
      found('b', '8', [
        { assignedTo: null, count: 2 },
        { assignedTo: 'mo', count: 3 },
        { assignedTo: 'Ben', count: 1 },
      ]),
    ];
    const { tasks } = sectionsOf([], { differences }).differences;
    expect(tasks.map(({ batch, rows, own }) => [batch.id, rows, own])).toEqual([
      ['b', 7, 3],
      ['a', 4, 0],
    ]);
    expect(tasks[0]?.others).toEqual([
      { assignedTo: 'Ben', count: 2 },
      { assignedTo: null, count: 2 },
    ]);
  });
});
