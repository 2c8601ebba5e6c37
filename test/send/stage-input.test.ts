import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import type { Kind } from '../../src/domain/batches/batch.ts';
import { PaybatchError } from '../../src/domain/failures/paybatch-error.ts';
import { bindVerbs, type LedgerVerbs } from '../../src/ledger/verbs.ts';
import type { InputTable } from '../../src/read/rows/input-table.ts';
import { type StageInputContext, stageInput } from '../../src/send/stage-input.ts';
import { onServer } from '../support/ledger.ts';
import { stagedRow } from '../support/ledger-rows.ts';
import { fakeClock } from './fakes.ts';

function inputTable(kind: Kind, content: string = randomUUID()): InputTable {
  const hash = createHash('sha256').update(content).digest('hex');
  return {
    fileName: `${kind}.csv`,
    path: `${kind}.csv`,
    contentHash: hash,
    readingHash: createHash('sha256').update('').digest('hex'),
    table: { sheet: null, header: ['a'], headerRow: 1, notes: [], rows: async function* () {} },
    mapping: { kind, columns: [] },
    reading: {},
    rules: {},
    hidden: { count: 0, numbers: '' },
    hiddenChoice: null,
    corrected: { rows: 0 },
    readShare: () => 0,
  };
}

onServer((openTestLedger) => {
  let verbs: LedgerVerbs;
  beforeAll(async () => {
    verbs = bindVerbs((await openTestLedger()).database);
  });

  function context(
    given: Partial<StageInputContext> = {},
  ): StageInputContext & { readonly judged: string[] } {
    const judged: string[] = [];
    return {
      judged,
      ledger: verbs,
      environment: { mode: 'sandbox', origin: 'https://api.example.test' },
      command: 'import',
      importId: randomUUID(),
      newRunId: randomUUID,
      actor: { name: 'ana', door: 'library' },
      clock: fakeClock,
      judge: async function* ({ mapping }) {
        judged.push(mapping.kind);
        yield [stagedRow(2), stagedRow(3)];
      },
      onRows: () => {},
      ...given,
    };
  }

  it('stages in the order in which kinds depend on each other, whatever the order given', async () => {
    const own = context();
    const held = await stageInput(
      [inputTable('collections'), inputTable('accounts'), inputTable('customers')],
      own,
    );
    expect(own.judged).toEqual(['customers', 'accounts', 'collections']);
    expect(held.map(({ batch, isNew }) => [batch.kind, batch.rowCount, isNew])).toEqual([
      ['customers', 2, true],
      ['accounts', 2, true],
      ['collections', 2, true],
    ]);
  });

  it('tells the judge of every batch of the call, since rows may refer to any of them', async () => {
    const told: (readonly string[])[] = [];
    const held = await stageInput(
      [inputTable('accounts'), inputTable('customers')],
      context({
        judge: async function* (_inputTable, _batch, importBatches) {
          told.push(importBatches);
          yield* [];
        },
      }),
    );
    const ids = held.map(({ batch }) => batch.id);
    expect(told).toEqual([ids, ids]);
  });

  it('takes the same content twice in one call as one batch', async () => {
    const held = await stageInput(
      [inputTable('customers', 'same'), inputTable('customers', 'same')],
      context(),
    );
    expect(held).toHaveLength(1);
  });

  it('does not stage a batch again that is there', async () => {
    const file = inputTable('customers');
    const [first] = await stageInput([file], context());
    await verbs.endRun(first?.run.id ?? '', 'done');
    const own = context();
    const [again] = await stageInput([file], own);
    expect(own.judged).toEqual([]);
    expect(again).toMatchObject({ isNew: false, batch: { id: first?.batch.id, rowCount: 2 } });
  });

  it('leaves nothing of any file when one is refused, and the batches of before as they were', async () => {
    const before = inputTable('customers');
    const [standing] = await stageInput([before], context());
    await verbs.endRun(standing?.run.id ?? '', 'done');
    const refusal = new PaybatchError('too_many_invalid', 'payees.csv: too many', null);
    const call = context({
      judge: async function* ({ mapping }) {
        yield [stagedRow(2)];
        if (mapping.kind === 'recipients') throw refusal;
      },
    });
    const batches = await verbs.listBatches(100);
    await expect(
      stageInput([before, inputTable('accounts'), inputTable('recipients')], call),
    ).rejects.toMatchObject({
      kind: 'file_refused',
      code: 'too_many_invalid',
      message: refusal.message,
      each: [refusal],
    });
    expect(await verbs.listBatches(100)).toEqual(batches);
    // Nothing holds the standing batch any more.
    const [again] = await stageInput([before], context());
    expect(again).toMatchObject({ isNew: false });
  });

  it('lets go of what it held when another run holds one of the batches', async () => {
    const [busy, free] = [inputTable('recipients'), inputTable('customers')];
    const [holder] = await stageInput([busy], context());
    await expect(stageInput([free, busy], context())).rejects.toMatchObject({ kind: 'busy' });
    const [taken] = await stageInput([free], context());
    expect(taken).toMatchObject({ isNew: true });
    expect((await verbs.findBatch(holder?.batch.id ?? ''))?.rowCount).toBe(2);
  });

  it('does not stage what another run staged between its look and its hold', async () => {
    const file = inputTable('customers');
    const own = context({
      ledger: {
        ...verbs,
        beginBatch: async (...given) => {
          const seen = await verbs.beginBatch(...given);
          const [other] = await stageInput([file], context());
          await verbs.endRun(other?.run.id ?? '', 'done');
          return seen;
        },
      },
    });
    const [held] = await stageInput([file], own);
    expect(own.judged).toEqual([]);
    expect(held).toMatchObject({ isNew: false, batch: { rowCount: 2 } });
  });
});
