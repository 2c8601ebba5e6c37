import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MeasuredApi } from '../api-program.ts';
import { type CommandSetting, runCommand } from '../command.ts';
import { writeCustomers, writeRecipients } from '../recipients-file.ts';
import { interleave, type Report, rateOf } from '../rounds.ts';
import { startSandboxProgram } from '../sandbox-program.ts';
import { runSection, type SectionOptions } from '../section.ts';

const concurrency = 16;

/** The whole command, from the file to the result files, on both engines. */
async function wholeImport({ databaseUrl, rounds, rows }: SectionOptions): Promise<Report[]> {
  const engines = [
    { name: 'PostgreSQL server', measure: () => importOnce(rows, databaseUrl) },
    { name: 'embedded ledger', measure: () => importOnce(rows, null) },
  ];
  const figures = await interleave(rounds, engines, 0);
  return [
    {
      title: 'Whole import of recipients',
      unit: 'rows/s',
      figures,
      ratios: [],
      conditions: `${rows} recipients of four payee types, the command from start to end, ${concurrency} requests at a time to the sandbox without latency`,
    },
  ];
}

async function importOnce(rows: number, databaseUrl: string | null): Promise<number> {
  const api = await startSandboxProgram();
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-bench-'));
  try {
    await writeCustomers(join(folder, 'customers.csv'));
    await writeRecipients(join(folder, 'recipients.csv'), rows);
    const setting: CommandSetting = { folder, apiKey: api.apiKey, databaseUrl };
    await runCommand(importArguments('customers.csv', api), setting);
    return await rateOf(rows, () => runCommand(importArguments('recipients.csv', api), setting));
  } finally {
    await api.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function importArguments(file: string, api: MeasuredApi): string[] {
  return ['import', file, '--base-url', api.url.origin, '--concurrency', String(concurrency)];
}

await runSection(wholeImport);
