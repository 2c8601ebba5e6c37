import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import type { Kind, LeasedBatch } from '../../src/domain/batches/batch.ts';
import { PaybatchError } from '../../src/domain/failures/paybatch-error.ts';
import type { StagedRow } from '../../src/domain/rows/ledger-row.ts';
import { bindVerbs, type LedgerVerbs } from '../../src/ledger/verbs.ts';
import type { InputTable } from '../../src/read/rows/input-table.ts';
import { Staging } from '../../src/send/staging.ts';
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

const refusal = new PaybatchError('too_many_invalid', 'payees.csv: too many', null);

onServer((openTestLedger) => {
  let verbs: LedgerVerbs;
  beforeAll(async () => {
    verbs = bindVerbs((await openTestLedger()).database);
  });

  const environment = { mode: 'sandbox', origin: 'https://api.example.test' } as const;

  /** Stages two rows of each table, as the staging of files does. */
  async function stage(
    tables: readonly InputTable[],
    { ledger = verbs, refuses }: { readonly ledger?: LedgerVerbs; readonly refuses?: Kind } = {},
  ): Promise<{ readonly held: LeasedBatch[]; readonly staged: Kind[] }> {
    const staged: Kind[] = [];
    const staging = new Staging(ledger, fakeClock);
    try {
      await staging.hold(tables, environment, {
        command: 'import',
        actor: { name: 'ana', channel: 'library' },
      });
      for (const table of staging.held) {
        const { kind } = table.inputTable.mapping;
        const rows = async function* (): AsyncGenerator<StagedRow[]> {
          yield [stagedRow(2), stagedRow(3)];
          if (kind === refuses) throw refusal;
        };
        if (!table.own.isNew) continue;
        staged.push(kind);
        await staging.stage(table, rows()).catch((error) => staging.refuse(table.inputTable, error));
      }
      staging.requireNoneRefused();
      return { held: await staging.accept(staging.batches), staged };
    } catch (error) {
      await staging.giveUp();
      throw error;
    } finally {
      staging.end();
    }
  }

  it('stages in the order in which kinds depend on each other, whatever the order given', async () => {
    const { held, staged } = await stage([
      inputTable('collections'),
      inputTable('accounts'),
      inputTable('customers'),
    ]);
    expect(staged).toEqual(['customers', 'accounts', 'collections']);
    expect(held.map(({ batch, isNew }) => [batch.kind, batch.rowCount, isNew])).toEqual([
      ['customers', 2, true],
      ['accounts', 2, true],
      ['collections', 2, true],
    ]);
  });

  it('holds every batch of the call before rows are checked, since they may refer to any of them', async () => {
    const staging = new Staging(verbs, fakeClock);
    await staging.hold([inputTable('accounts'), inputTable('customers')], environment, {
      command: 'import',
      actor: { name: 'ana', channel: 'library' },
    });
    expect(staging.batches.map(({ batch }) => batch.kind)).toEqual(['customers', 'accounts']);
    await staging.giveUp();
    staging.end();
  });

  it('takes the same content twice in one call as one batch', async () => {
    const { held } = await stage([inputTable('customers', 'same'), inputTable('customers', 'same')]);
    expect(held).toHaveLength(1);
  });

  it('does not stage a batch again that is there', async () => {
    const file = inputTable('customers');
    const [first] = (await stage([file])).held;
    await verbs.endRun(first?.run.id ?? '', 'done');
    const { held, staged } = await stage([file]);
    const [again] = held;
    expect(staged).toEqual([]);
    expect(again).toMatchObject({ isNew: false, batch: { id: first?.batch.id, rowCount: 2 } });
  });

  it('leaves nothing of any file when one is refused, and the batches of before as they were', async () => {
    const before = inputTable('customers');
    const [standing] = (await stage([before])).held;
    await verbs.endRun(standing?.run.id ?? '', 'done');
    const batches = await verbs.listBatches(100);
    await expect(
      stage([before, inputTable('accounts'), inputTable('recipients')], { refuses: 'recipients' }),
    ).rejects.toMatchObject({
      kind: 'file_refused',
      code: 'too_many_invalid',
      message: refusal.message,
      each: [refusal],
    });
    expect(await verbs.listBatches(100)).toEqual(batches);
    // No run holds the earlier batch any more.
    const [again] = (await stage([before])).held;
    expect(again).toMatchObject({ isNew: false });
  });

  it('lets go of what it held when another run holds one of the batches', async () => {
    const [busy, free] = [inputTable('recipients'), inputTable('customers')];
    const [holder] = (await stage([busy])).held;
    await expect(stage([free, busy])).rejects.toMatchObject({ kind: 'busy' });
    const [taken] = (await stage([free])).held;
    expect(taken).toMatchObject({ isNew: true });
    expect((await verbs.findBatch(holder?.batch.id ?? ''))?.rowCount).toBe(2);
  });

  it('does not stage what another run staged between its look and its hold', async () => {
    const file = inputTable('customers');
    const ledger: LedgerVerbs = {
      ...verbs,
      beginBatch: async (...given) => {
        const seen = await verbs.beginBatch(...given);
        const [other] = (await stage([file])).held;
        await verbs.endRun(other?.run.id ?? '', 'done');
        return seen;
      },
    };
    const { held, staged } = await stage([file], { ledger });
    expect(staged).toEqual([]);
    expect(held[0]).toMatchObject({ isNew: false, batch: { rowCount: 2 } });
  });
});
