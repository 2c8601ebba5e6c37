/* The audit trail from the command line: verified, exported, and its heads where they are kept. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers, readLog } from '../support/cli-files.ts';
import { executeByHand } from '../support/ledger-rows.ts';

interface Verified {
  readonly exit_code: number;
  readonly chains: readonly {
    readonly chain: string;
    readonly events: number;
    readonly head: unknown;
    readonly problems: readonly { readonly code: string; readonly event: number | null }[];
  }[];
  readonly unknown_head: string | null;
}

async function verifiedBy(desk: Desk, ...words: readonly string[]): Promise<Verified> {
  return (await desk.json(['audit', 'verify', ...words])).summary as unknown as Verified;
}

async function imported(desk: Desk): Promise<{ batch: string; head: { number: number; hash: string } }> {
  const { summary } = await desk.json(['import', await desk.write('people.csv', csvOf(customers(3)))]);
  const [first] = summary.batches;
  return { batch: first?.batch ?? '', head: first?.audit_head ?? expect.fail('there is no head') };
}

it('names one head in the JSON of an import, its run log and the trail, and an earlier one in the report', async () => {
  const desk = await openDesk();
  const { batch, head } = await imported(desk);
  const logged = readLog(await desk.resultText('.run.jsonl')).filter(({ event }) => event === 'audit.head');
  expect(logged).toEqual([
    expect.objectContaining({ batch, ...head, controls_number: 1, controls_hash: expect.any(String) }),
  ]);
  expect(await verifiedBy(desk, batch.slice(0, 8), '--head', head.hash)).toMatchObject({
    exit_code: 0,
    chains: [
      { chain: batch, events: head.number, head, problems: [] },
      { chain: 'controls', problems: [] },
    ],
    unknown_head: null,
  });
  const events = (await desk.run(['audit', 'export', batch.slice(0, 8)])).stdout.trimEnd().split('\n');
  const inReport = /event (\d+), ([0-9a-f]{64})/.exec(await desk.resultText('.report.html'));
  const then = JSON.parse(events[Number(inReport?.[1]) - 1] ?? '{}');
  expect(then).toMatchObject({ hash: inReport?.[2] });
  expect(JSON.parse(events.at(-1) ?? '{}')).toMatchObject({
    event: 'run.ended',
    door: 'command line',
    ...head,
  });
  const { summary } = await desk.json(['status', batch.slice(0, 8)]);
  expect(summary.batches[0]).toMatchObject({ audit_head: head });
});

it('says where the trail was broken, and ends with 5', async () => {
  const desk = await openDesk();
  const { batch, head } = await imported(desk);
  expect((await desk.run(['audit', 'verify'])).stdout).toMatch(
    /^The audit trail is whole: \d+ events in 2 chains\.\n/,
  );
  const ledger = openServerLedger(desk.databaseUrl ?? '');
  await executeByHand(ledger.database, 'DELETE FROM audit_events WHERE chain = ? AND number = 2', [batch]);
  await ledger.close();
  const { stdout, exitCode } = await desk.run(['audit', 'verify']);
  expect(exitCode).toBe(5);
  expect(stdout).toContain('event 2 is not there, and later ones are');
  expect(await verifiedBy(desk)).toMatchObject({
    exit_code: 5,
    chains: [
      {
        problems: [
          { code: 'event_missing', event: 2 },
          { code: 'record_unnoted', event: null },
        ],
      },
      {},
    ],
  });
  const other = head.hash.replace(/./, (digit) => (digit === '0' ? '1' : '0'));
  expect(await verifiedBy(desk, '--head', other)).toMatchObject({ exit_code: 5, unknown_head: other });
});

it('exports into a file, and refuses what makes no sense', async () => {
  const desk = await openDesk();
  const { batch } = await imported(desk);
  const { summary } = await desk.json(['audit', 'export', '--to', 'trail.jsonl']);
  const lines = (await readFile(join(desk.folder, 'trail.jsonl'), 'utf8')).trimEnd().split('\n');
  expect(summary).toMatchObject({ exit_code: 0, file: 'trail.jsonl', events: lines.length });
  expect((await desk.run(['audit', 'export', batch, '--to', 'one.jsonl'])).stdout).toMatch(
    /^\d+ events written to one\.jsonl\./,
  );
  for (const words of [
    ['export', '--json'],
    ['export', '--head', 'a'.repeat(64)],
    ['verify', '--to', 'x'],
    ['verify', '--head', 'abc'],
    ['verify', '00000000'],
    ['check'],
    [],
  ]) {
    expect((await desk.run(['audit', ...words])).exitCode).toBe(2);
  }
});

it('verifies an embedded ledger, and a ledger that is not there yet', async () => {
  const desk = await openDesk({ ledger: 'embedded' });
  await imported(desk);
  expect((await desk.run(['audit', 'verify'])).exitCode).toBe(0);
  const env = { PAYBATCH_LEDGER_DIR: 'nowhere' };
  expect((await desk.run(['audit', 'verify'], { env })).stdout).toContain('0 events in 0 chains');
});
