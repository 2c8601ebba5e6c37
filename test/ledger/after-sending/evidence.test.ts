import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import type { DecidedRow } from '../../../src/domain/rows/ledger-row.ts';
import { findContradictions } from '../../../src/ledger/after-sending/evidence.ts';
import { writeVerdicts } from '../../../src/ledger/after-sending/verdicts.ts';
import { endRun } from '../../../src/ledger/batches/runs.ts';
import { writePreparations } from '../../../src/ledger/before-sending/prepare.ts';
import { recordConclusions } from '../../../src/ledger/sending/record.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  attempt,
  type BatchUnderRun,
  beginTestRun,
  claim,
  conclude,
  concluded,
  readyPreparation,
  stagedBatch,
} from '../../support/ledger-rows.ts';

forEachLedger((openTestLedger) => {
  let database: Knex;
  const environment = { mode: 'sandbox', origin: 'https://api.example.test' } as const;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  /** A batch whose rows, from row 2 on, are about these objects and created them under these ids. */
  async function createdBatch(
    ...objects: readonly (readonly [object: string, id: string])[]
  ): Promise<BatchUnderRun> {
    const held = await sentBatch(...objects.map(([object]) => object));
    const claimed = await claim(database, held);
    const conclusions = claimed.map((row) =>
      concluded(row, { state: 'created', objectId: objects[row.row - 2]?.[1] ?? '' }),
    );
    await recordConclusions(database, held.batch.id, held.run.id, conclusions);
    return held;
  }

  async function sentBatch(...objects: readonly string[]): Promise<BatchUnderRun> {
    const batch = await stagedBatch(database, objects.length, { environment });
    const run = await beginTestRun(database, batch);
    const preparations = objects.map((object, at) => readyPreparation(batch, at + 2, { object }));
    await writePreparations(database, batch.id, run.id, preparations);
    return { batch, run };
  }

  /** A row that was sent and had no answer, of which a person says that its object is this earlier one. */
  async function existingRow(object: string, objectId: string): Promise<BatchUnderRun> {
    const held = await sentBatch(object);
    await conclude(database, held, await claim(database, held), { state: 'unknown', code: 'timeout' });
    const verdict: DecidedRow = {
      row: 2,
      fromState: 'unknown',
      attempts: 0,
      verdict: 'existing',
      to: 'existing',
      objectId,
      note: '',
      message: 'A person decided.',
    };
    await writeVerdicts(database, held.batch.id, { runId: held.run.id, user: 'ann' }, () => [[verdict]]);
    return held;
  }

  const found = async ({ batch }: BatchUnderRun): Promise<unknown[]> =>
    (await findContradictions(database, batch.id, 10)).map(({ kind, objectIds, rows }) => [
      ...[kind, objectIds, rows.length],
    ]);

  it('finds nothing where every row has an object of its own', async () => {
    expect(await found(await createdBatch(['fine 1', 'id-1'], ['fine 2', 'id-2']))).toEqual([]);
  });

  it('finds an object that was created for a row that does not have it', async () => {
    const held = await sentBatch('late');
    const claimed = await claim(database, held);
    await endRun(database, held.run.id, 'stopped');
    await beginTestRun(database, held.batch);
    await conclude(database, held, claimed, { attempts: [attempt({ objectId: 'id-late' })] });
    expect(await found(held)).toEqual([['unrecorded', ['id-late'], 1]]);
  });

  it('finds a natural key that a person gave one object, and the API another', async () => {
    const said = await existingRow('twofold', 'id-said');
    expect(await found(said)).toEqual([]);
    const created = await createdBatch(['twofold', 'id-created']);
    for (const held of [said, created]) {
      expect(await found(held)).toEqual([['natural_key', ['id-created', 'id-said'], 2]]);
    }
    await existingRow('agreed', 'id-agreed');
    expect(await found(await createdBatch(['agreed', 'id-agreed']))).toEqual([]);
  });

  it('accepts a second object that was sent by the verdict of a person', async () => {
    await existingRow('wanted twice', 'id-second');
    const batch = await stagedBatch(database, 2, { environment });
    const run = await beginTestRun(database, batch);
    const object = 'wanted twice';
    await writePreparations(database, batch.id, run.id, [
      readyPreparation(batch, 2, { object }),
      readyPreparation(batch, 3, { object, ownedKey: Buffer.alloc(32, 7) }),
    ]);
    const held = { batch, run };
    const ids = ['id-first', 'id-second'];
    const conclusions = (await claim(database, held)).map((row) =>
      concluded(row, { state: 'created', objectId: ids[row.row - 2] ?? '' }),
    );
    await recordConclusions(database, batch.id, run.id, conclusions);
    expect(await found(held)).toEqual([]);
  });
});
