import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { createDatabase, dropDatabase } from '../support/ledger.ts';
import { executeByHand } from '../support/ledger-rows.ts';

interface Findings {
  readonly exit_code: number;
  readonly checks: readonly { level: string; what: string; finding: string; next: string | null }[];
}

describe('doctor', () => {
  it('finds everything in order, but for a database that would lose what was sent', async () => {
    const desk = await openDesk();
    const { exitCode, stdout } = await desk.run(['doctor']);
    expect(exitCode).toBe(0);
    for (const line of [
      /^ok +versions +paybatch \d/m,
      /^ok +results +the folder results/m,
      /^ok +database +PostgreSQL \d/m,
      /^warning +durability +.*fsync/m,
      /^ok +API +sandbox at http:\/\/127/m,
      /^ok +clock +this machine's clock and the API's agree/m,
      /^ok +clock +this machine's clock and the database's agree/m,
    ]) {
      expect(stdout).toMatch(line);
    }
    expect(stdout).not.toContain(desk.sandbox.apiKeys.sandbox);
    expect(stdout).not.toContain('is advised');
    // A command is never broken, so that it can be copied.
    const sentences = stdout.split('\n').filter((line) => !line.includes('next: '));
    expect(Math.max(...sentences.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('keeps objects that only the run log has, and every later command about the batch reports them', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', csvOf(customers(3)));
    const { summary } = await desk.json(['import', file]);
    const batch = summary.batches[0]?.batch ?? '';
    const ledger = openServerLedger(desk.databaseUrl ?? '');
    onTestFinished(() => ledger.close());
    expect((await desk.run(['doctor'])).stdout).toMatch(/^ok +run logs +every object/m);
    // As a recheck of an earlier version left a row whose claim was being committed: refused, and created.
    await executeByHand(ledger.database, 'DELETE FROM created_objects WHERE row_number = 3');
    await executeByHand(
      ledger.database,
      `UPDATE row_states SET state = 'invalid', chunk = NULL, owned_key = NULL, code = 'institution_unknown' WHERE row_number = 3`,
    );
    for (const _ of ['the first time', 'and again']) {
      const doctor = await desk.run(['doctor']);
      expect(doctor.exitCode).toBe(5);
      expect(doctor.stdout).toMatch(
        /^problem +run logs +the logs tell of objects that no row has: 1 object of batch/m,
      );
    }
    const results = await desk.run(['results', batch]);
    expect(results).toMatchObject({
      exitCode: 5,
      stdout: expect.stringContaining('1 object that was created'),
    });
    const reconciled = await desk.run(['reconcile', batch]);
    expect(reconciled).toMatchObject({ exitCode: 5, stdout: expect.stringContaining('does not have') });
  });

  it('looks at the ends of the chains and at the triggers, and names the command for all of the trail', async () => {
    const desk = await openDesk();
    const { summary } = await desk.json(['import', await desk.write('people.csv', csvOf(customers(3)))]);
    const batch = summary.batches[0]?.batch ?? '';
    const ledger = openServerLedger(desk.databaseUrl ?? '');
    onTestFinished(() => ledger.close());
    const whole = await desk.run(['doctor']);
    expect([whole.exitCode, whole.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^ok +audit trail +\d+ last events of 2 chains fit together\n +next: .*: paybatch audit verify$/m,
      ),
    ]);
    await ledger.database.raw('ALTER TABLE claims DISABLE TRIGGER batch_is_approved');
    const off = await desk.run(['doctor']);
    expect([off.exitCode, off.stdout.replaceAll(/\s+/g, ' ')]).toEqual([
      5,
      expect.stringMatching(/problem audit trail triggers of the ledger .*claims\.batch_is_approved/),
    ]);
    await ledger.database.raw('ALTER TABLE claims ENABLE TRIGGER batch_is_approved');
    await executeByHand(ledger.database, `UPDATE audit_events SET actor = 'nobody' WHERE chain = '${batch}'`);
    const broken = await desk.run(['doctor']);
    expect([broken.exitCode, broken.stdout]).toEqual([
      5,
      expect.stringMatching(
        new RegExp(
          `^problem +audit trail +the audit trail .*batch ${batch.slice(0, 8)}\n +next: paybatch audit verify`,
          'm',
        ),
      ),
    ]);
  });

  it('and plan name the size from which a server is advised, where the ledger is an embedded one', async () => {
    const desk = await openDesk({ ledger: 'embedded' });
    const advice = 'from 100,000 rows on a PostgreSQL server (DATABASE_URL) is advised';
    const file = await desk.write('people.csv', csvOf(customers(2)));
    const folded = async (...words: string[]): Promise<string> =>
      (await desk.run(words)).stdout.replace(/\s+/g, ' ');
    expect(await folded('doctor', '--ledger-dir', 'none-yet')).toContain(advice);
    expect(await folded('plan', file)).toContain(advice);
  });

  it('ends with 2 for a live run on that database', async () => {
    const desk = await openDesk();
    const env = { PAYBATCH_MODE: 'live', PAYBATCH_API_KEY: desk.sandbox.apiKeys.live };
    const { exitCode, stdout } = await desk.run(['doctor'], { env });
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/^problem +durability/m);
  });

  it('ends with 6 when the API refuses the key, and shows no part of it', async () => {
    const desk = await openDesk();
    const { exitCode, stdout, stderr } = await desk.run(['doctor'], {
      env: { PAYBATCH_API_KEY: 'sk_wrong_key' },
    });
    expect(exitCode).toBe(6);
    expect(stdout).toMatch(/^problem +API +The API refused the credentials/im);
    expect(stdout + stderr).not.toContain('sk_wrong');
  });

  it('ends with 4 when the database is not there, and shows no password', async () => {
    const desk = await openDesk();
    const env = { DATABASE_URL: 'postgres://someone:secretword@127.0.0.1:1/payments' };
    const { exitCode, stdout, stderr } = await desk.run(['doctor'], { env });
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(/^problem +database/m);
    expect(stdout + stderr).not.toContain('secretword');
  });

  it('reports each mistake in the configuration, with what to do next', async () => {
    const desk = await openDesk({ ledger: 'embedded' });
    const unmigrated = await createDatabase('template0');
    const keyFile = join(desk.folder, 'key');
    await desk.write('key', desk.sandbox.apiKeys.sandbox);
    await chmod(keyFile, 0o644);
    const env = { DATABASE_URL: unmigrated, PAYBATCH_API_KEY: '', PAYBATCH_API_KEY_FILE: keyFile };
    const { exitCode, stdout } = await desk.run(['doctor', '--json'], { env });
    await dropDatabase(unmigrated);
    const found: Findings = JSON.parse(stdout);
    expect([exitCode, found.exit_code]).toEqual([2, 2]);
    expect(found.checks).toContainEqual(
      expect.objectContaining({ what: 'database', next: 'paybatch migrate' }),
    );
    expect(found.checks).toContainEqual(
      expect.objectContaining({ level: 'warning', what: 'key file', next: `chmod 600 ${keyFile}` }),
    );
  });

  it.each([
    ['that is set in place of the path of its file', 'sk_live_0123456789'],
    ['too long for a path', 'sk_live_'.repeat(1_000)],
  ])('repeats no API key %s', async (_, key) => {
    const desk = await openDesk({ ledger: 'embedded' });
    const env = { PAYBATCH_LEDGER_DIR: 'none-yet', PAYBATCH_API_KEY: '', PAYBATCH_API_KEY_FILE: key };
    for (const words of [['doctor'], ['institutions', 'KE'], ['doctor', '--json']]) {
      const { exitCode, stdout, stderr } = await desk.run(words, { env });
      expect(exitCode).toBe(2);
      expect(stdout + stderr).toContain('PAYBATCH_API_KEY_FILE');
      expect(stdout + stderr).not.toContain('sk_live');
    }
  });

  it('says when the address is missing or leads nowhere', async () => {
    const desk = await openDesk({ ledger: 'embedded' });
    const none = await desk.run(['doctor'], { env: { PAYBATCH_BASE_URL: '' } });
    expect([none.exitCode, none.stdout]).toEqual([2, expect.stringContaining('no address of the API')]);
    const nobody = await desk.run(['doctor'], { env: { PAYBATCH_BASE_URL: 'http://127.0.0.1:1' } });
    expect([nobody.exitCode, nobody.stdout]).toEqual([4, expect.stringContaining('could not be reached')]);
  });
});
