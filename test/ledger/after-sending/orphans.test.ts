import { expect, it } from 'vitest';
import { countOrphans } from '../../../src/ledger/after-sending/row-counts.ts';
import { execute } from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';
import { attempt, claim, conclude, executeByHand, readyBatch } from '../../support/ledger-rows.ts';

forEachLedger((openTestLedger) => {
  it('finds nothing in a ledger that only paybatch has written', async () => {
    const { database } = await openTestLedger();
    const held = await readyBatch(database, 3);
    await conclude(database, held, await claim(database, held, { limit: 2 }), { attempts: [attempt()] });
    expect(await countOrphans(database)).toEqual([]);
  });

  it('counts what belongs to a deleted row, and rows that were moved by hand', async () => {
    const { database } = await openTestLedger();
    const held = await readyBatch(database, 3);
    await conclude(database, held, await claim(database, held, { limit: 1 }), { attempts: [attempt()] });
    await executeByHand(database, 'DELETE FROM row_states WHERE row_number = 2');
    expect(await countOrphans(database)).toEqual([
      { what: 'input', rows: 1 },
      { what: 'request', rows: 1 },
      { what: 'attempt', rows: 1 },
      { what: 'created object', rows: 1 },
    ]);
    await execute(
      database,
      `INSERT INTO environments (mode, origin) VALUES ('live', 'https://api.example.com')`,
    );
    await executeByHand(
      database,
      `UPDATE row_states SET environment_id = (SELECT max(id) FROM environments) WHERE row_number = 3`,
    );
    expect(await countOrphans(database)).toContainEqual({ what: 'row', rows: 1 });
  });
});
