import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resultStatuses } from '../../../src/domain/rows/row-state.ts';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { bindVerbs } from '../../../src/ledger/verbs.ts';
import { startApi, withApi } from '../api-program.ts';
import { endOf, startCommand } from '../command.ts';
import { ConsoleProgram, type ConsoleVisitor } from '../console-program.ts';
import { customerOf, finishBatch, rowWith } from '../finished-batch.ts';
import { atMost, median, type Report } from '../rounds.ts';
import { runSection, type SectionOptions } from '../section.ts';

const mostMs = 300;
const otherBatches = 40;
const rowsOfOthers = 500;

/** How long whole pages of the console take, over HTTP, with one large batch among others. */
async function pages({ databaseUrl, rounds, rows }: SectionOptions): Promise<Report[]> {
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-bench-'));
  try {
    return await withApi(startApi, async (api) => {
      const ledger = openServerLedger(databaseUrl);
      const verbs = bindVerbs(ledger.database, undefined, ledger.shortStatements);
      const { id } = await finishBatch(verbs, api.url.origin, rows);
      await verbs.saveReading(id, { mapping: '{}', rules: '{}', hiddenRows: 0, hiddenChoice: null });
      for (let made = 0; made < otherBatches; made += 1) {
        await finishBatch(verbs, `http://127.0.0.1:${made + 1}`, rowsOfOthers);
      }
      await ledger.close();
      // What a run leaves behind: result files, and totals in the ledger. Rows are in doubt.
      const setting = { folder, apiKey: api.apiKey, databaseUrl };
      await endOf(startCommand(['results', id, '--base-url', api.url.origin], setting), 4);
      const console = await ConsoleProgram.start({ ...setting, apiUrl: api.url });
      try {
        return [await timesOf(await console.enter(), { id, rows, rounds })];
      } finally {
        await console.stop();
      }
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Asked {
  readonly id: string;
  readonly rows: number;
  readonly rounds: number;
}

async function timesOf(visitor: ConsoleVisitor, { id, rows, rounds }: Asked): Promise<Report> {
  const lines: string[][] = [];
  const medians: number[] = [];
  for (const [name, path] of pagesOf(id, rows)) {
    const [first = 0, ...more] = await eachTime(1 + rounds, () => visitor.get(path));
    const { text } = await visitor.get(path);
    const middle = median(more);
    medians.push(middle);
    lines.push([
      name,
      ...[first, middle, Math.max(...more), text.length / 1024].map((value) => value.toFixed(0)),
    ]);
  }
  return {
    title: 'Pages of the console',
    columns: ['ms', 'first', 'median', 'max', 'KiB'],
    lines,
    ratios: [atMost(mostMs, 'the slowest page, in ms', Math.max(...medians))],
    conditions: `a batch of ${rows} customers and ${otherBatches} of ${rowsOfOthers}; ${rounds} times each, over HTTP from another program`,
  };
}

async function eachTime(times: number, work: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const startedAtInMs = performance.now();
    await work();
    taken.push(performance.now() - startedAtInMs);
  }
  return taken;
}

/** Every page that is about many rows, by a name for people. */
function pagesOf(id: string, rows: number): [string, string][] {
  const batch = `/batches/${id}`;
  const middle = Math.floor(rows / 2);
  const { first_name: first = '', last_name: last = '', phone = '' } = customerOf(middle);
  const found = (what: string, query: Record<string, string>): [string, string] => [
    `rows ${what}`,
    `${batch}/rows?${new URLSearchParams(query)}`,
  ];
  const sought = (what: string, text: string): [string, string] => [
    `find ${what}`,
    `/search?${new URLSearchParams({ q: text })}`,
  ];
  return [
    ['work list', '/'],
    ['batches', '/batches'],
    ['batch', batch],
    ['draft', `${batch}/draft`],
    ['decide about all held rows', `${batch}/decide?status=held&verdict=not-created`],
    ['one row', `${batch}/rows/${rowWith('unknown')}`],
    found('', {}),
    found('from the middle', { after: String(middle) }),
    ...resultStatuses.map((status) => found(status, { status })),
    found('created, from the middle', { status: 'created', after: String(middle) }),
    found('by reason', { code: 'phone_invalid' }),
    found('by reason and column', { code: 'required', column: 'email' }),
    found('with a frequent text', { text: last.slice(0, 4) }),
    found('with a rare text', { text: phone }),
    found('with a text that is nowhere', { text: 'nobody' }),
    ...resultStatuses.map((status) =>
      found(`${status}, with a text that is nowhere`, { status, text: 'nobody' }),
    ),
    sought('a name', `${first} ${last}`),
    sought('a frequent name', last),
    sought('a name that is nowhere', 'Nemo Nobody'),
    sought('a phone number', phone),
    sought('a reference', `c-${middle}`),
    sought('an object', `object ${middle}`),
    sought('a file', 'customers'),
  ];
}

await runSection(pages);
