import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { placesOf, searchesFor } from '../../../src/domain/rows/search-terms.ts';
import { findGroupsByTerms, readFieldsOfGroup } from '../../../src/ledger/after-sending/row-history.ts';
import { emptyUnstaged, stageRows } from '../../../src/ledger/before-sending/stage.ts';
import { forEachLedger } from '../../support/ledger.ts';
import { beginTestBatch, beginTestRun, besides, stagedBatch, stagedRow } from '../../support/ledger-rows.ts';

forEachLedger((openTestLedger) => {
  describe('groups of rows by terms', () => {
    let database: Knex;
    beforeAll(async () => {
      ({ database } = await openTestLedger());
    });

    const named = (row: number, name: string) => stagedRow(row, { record: { account_name: name } });
    const find = async (name: string, limit = 50): Promise<[string, number, number][]> => {
      const places = placesOf(searchesFor(name).flatMap(({ terms }) => terms));
      const groups = await findGroupsByTerms(database, places, limit);
      return groups.map(({ batch, firstRow, lastRow }) => [batch, firstRow, lastRow]);
    };

    it('have all of them, and are those of the newest batch first', async () => {
      const first = await stagedBatch(database, [
        named(2, 'Mira Kubat'),
        stagedRow(4, { state: 'invalid', record: { account_name: 'Zora Hrubec' } }),
        named(5, 'Kubat Zora'),
      ]);
      const second = await stagedBatch(database, [named(3, 'Mira Vanek')], besides(first));
      expect(await find('Kubat')).toEqual([[first.id, 2, 5]]);
      expect(await find('mira')).toEqual([
        [second.id, 3, 3],
        [first.id, 2, 5],
      ]);
      expect(await find('mira', 1)).toEqual([[second.id, 3, 3]]);
      expect(await find('Mira Zora')).toEqual([]);
      expect(await find('Hrubec')).toEqual([]);
    });

    it('are read with the fields that are compared, where a row has one of them', async () => {
      const group = { file: '', firstRow: 2, lastRow: 3 };
      const batch = await stagedBatch(database, [
        stagedRow(2, { record: { first_name: 'Ivan', last_name: 'Hlin', phone: '+420777' } }),
        stagedRow(3, { record: { external_id: 'c-3' } }),
        named(4, 'Ivan Hlin'),
      ]);
      const fields = ['account_name', 'first_name', 'last_name'];
      expect(await readFieldsOfGroup(database, { ...group, batch: batch.id }, fields)).toEqual([
        { row: 2, values: ['Ivan', 'Hlin'] },
      ]);
    });

    it('are gone with the rows of a batch that is staged anew', async () => {
      const batch = await beginTestBatch(database);
      const run = await beginTestRun(database, batch);
      await stageRows(database, batch, run.id, [named(2, 'Pavla Ruzek')]);
      expect(await find('pavla')).toEqual([[batch.id, 2, 2]]);
      await emptyUnstaged(database, batch.id, run.id);
      expect(await find('pavla')).toEqual([]);
      await stageRows(database, batch, run.id, [stagedRow(2)]);
      expect(await find('pavla')).toEqual([]);
    });
  });
});
