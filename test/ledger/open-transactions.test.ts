import { expect, it } from 'vitest';
import { uncheckedRows as query } from '../../src/ledger/query/sql.ts';
import { onServer } from '../support/ledger.ts';

onServer((openTestLedger) => {
  it('lets the server end a database transaction whose worker has stopped, before the lease is over', async () => {
    const { database } = await openTestLedger();
    const [setting] = await query<{ limit: string }>(
      database,
      `SELECT current_setting('idle_in_transaction_session_timeout') AS limit`,
    );
    expect(setting?.limit).toBe('15s');
  });

  it('has the server compile no plan', async () => {
    const { database } = await openTestLedger();
    const [setting] = await query<{ jit: string }>(database, "SELECT current_setting('jit') AS jit");
    expect(setting?.jit).toBe('off');
  });
});
