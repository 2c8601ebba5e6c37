import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { bindVerbs } from '../../../src/ledger/verbs.ts';
import { startApi, withApi } from '../api-program.ts';
import { endOf, startCommand } from '../command.ts';
import { addMaker } from '../console-people.ts';
import { ConsoleProgram } from '../console-program.ts';
import { cellsOf, correctTogether, type Person, wrongColumns } from '../correct-together.ts';
import { writeCustomersFile } from '../customers-file.ts';
import type { Report } from '../rounds.ts';
import { runSection, type SectionOptions } from '../section.ts';

/**
 * How long two people who correct one large file at the same time wait for the console, and for how long its event loop
 * is blocked.
 */
async function corrections({ databaseUrl, rounds, rows }: SectionOptions): Promise<Report[]> {
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-bench-'));
  const ledger = openServerLedger(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  try {
    return await withApi(startApi, async (api) => {
      const setting = { folder, apiKey: api.apiKey, databaseUrl };
      await writeCustomersFile(join(folder, 'customers.csv'), rows, 'M-', cellsOf);
      const words = ['import', 'customers.csv', '--base-url', api.url.origin, '--concurrency', '64'];
      // Rows are left to correct.
      await endOf(startCommand(words, setting), 1);
      const verbs = bindVerbs(ledger.database, undefined, ledger.shortStatements);
      const [batch] = await verbs.findBatchesByFile('customers.csv', 1);
      if (batch === undefined) throw new Error('the file was not imported');
      const passwords: string[] = [];
      for (const { user } of wrongColumns) passwords.push(await addMaker(ledger.database, user));
      const console = await ConsoleProgram.start({ ...setting, apiUrl: api.url }, true);
      try {
        const people: Person[] = [];
        for (const [at, wrong] of wrongColumns.entries())
          people.push({ visitor: await console.signIn(wrong.user, passwords[at] ?? ''), wrong });
        await client.connect();
        return [await correctTogether(console, client, people, { id: batch.id, rows, rounds })];
      } finally {
        await console.stop();
      }
    });
  } finally {
    await client.end();
    await ledger.close();
    await rm(folder, { recursive: true, force: true });
  }
}

await runSection(corrections);
