import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi, withApi } from '../api-program.ts';
import { ConsoleProgram, type ConsoleVisitor, type Shown } from '../console-program.ts';
import { writeCustomersFile } from '../customers-file.ts';
import { atMost, type Report } from '../rounds.ts';
import { runSection, type SectionOptions } from '../section.ts';

const mostMoreMib = 50;

/** The memory of the console, while one file after the other is uploaded, checked and sent; a round is a file. */
async function serve({ databaseUrl, rounds, rows }: SectionOptions): Promise<Report[]> {
  const looks = [0.2, 0.5, 1].map((share) => Math.ceil(rounds * share));
  const ledgers = [
    { name: 'PostgreSQL server', databaseUrl },
    { name: 'embedded ledger', databaseUrl: null },
  ];
  const measured: { name: string; mib: readonly number[] }[] = [];
  for (const ledger of ledgers) {
    measured.push({ name: ledger.name, mib: await residentAfter(ledger.databaseUrl, rows, looks) });
  }
  return [
    {
      title: 'Memory of the console',
      columns: ['MiB, resident set', 'at first', ...looks.map((files) => `after ${files} files`)],
      lines: measured.map(({ name, mib }) => [name, ...mib.map((value) => value.toFixed(0))]),
      ratios: measured.map(({ name, mib }) =>
        atMost(mostMoreMib, `MiB more in the second half, ${name}`, (mib.at(-1) ?? 0) - (mib.at(-2) ?? 0)),
      ),
      conditions: `files of ${rows} customers, each uploaded, checked and sent to a minimal HTTP server`,
    },
  ];
}

async function residentAfter(
  databaseUrl: string | null,
  rows: number,
  looks: readonly number[],
): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-bench-'));
  try {
    return await withApi(startApi, async (api) => {
      const setting = { folder, apiKey: api.apiKey, apiUrl: api.url, databaseUrl };
      const console = await ConsoleProgram.start(setting);
      try {
        const visitor = await console.enter();
        const taken = [await console.residentInMib()];
        for (let file = 1; file <= Math.max(...looks); file += 1) {
          await sendFile(visitor, join(folder, 'customers.csv'), rows);
          if (looks.includes(file)) taken.push(await console.residentInMib());
        }
        return taken;
      } finally {
        await console.stop();
      }
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As somebody does it on the pages. */
async function sendFile(visitor: ConsoleVisitor, path: string, rows: number): Promise<void> {
  // The same customers again would be the same objects.
  await writeCustomersFile(path, rows, `${randomUUID()}-`);
  await visitor.get('/');
  const began = await visitor.upload('/uploads', 'customers.csv', await readFile(path, 'utf8'));
  const checked = await visitor.whenDone(began.path);
  const sent = await visitor.whenDone((await send(visitor, checked)).path);
  await visitor.get('/');
  if (!sent.text.includes('created')) throw new Error(`the file was not sent: ${sent.text}`);
}

function send(visitor: ConsoleVisitor, { text }: Shown): Promise<Shown> {
  const form = /action="([^"]+\/send)".*?name="(plan_hash|plan_hashes)" value="([^"]+)"/s.exec(text);
  const [, address, field, hashes] = form ?? [];
  if (address === undefined || field === undefined || hashes === undefined) {
    throw new Error(`nothing can be sent: ${text}`);
  }
  return visitor.post(address, { [field]: hashes });
}

await runSection(serve);
