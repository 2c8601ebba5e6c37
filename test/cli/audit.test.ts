/* The audit trail from the command line: verified, exported, and its heads where they are kept. */

import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import type { FaultName } from '../../src/sandbox/faults.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers, readLog } from '../support/cli-files.ts';
import { executeByHand } from '../support/ledger-rows.ts';
import { emptyLedger } from '../support/lost-ledger.ts';

interface Verified {
  readonly exit_code: number;
  readonly chains: readonly {
    readonly chain: string;
    readonly events: number;
    readonly head: unknown;
    readonly problems: readonly { readonly code: string; readonly event: number | null }[];
  }[];
  readonly unknown_head: string | null;
  readonly logged_heads: number;
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
    expect.objectContaining({ batch, ...head, controls_number: 3, controls_hash: expect.any(String) }),
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
    channel: 'command line',
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

/** The heads of the batch's chain that its run log names, in order. */
async function loggedHeads(desk: Desk): Promise<unknown[]> {
  const events = readLog(await desk.resultText('.run.jsonl')).filter(({ event }) => event === 'audit.head');
  return events.map(({ number, hash }) => ({ number, hash }));
}

describe('the head at the end of', () => {
  it('resolve is in its run log and JSON: a cut end is found', async () => {
    let fault: FaultName | undefined = 'reset_before';
    const desk = await openDesk({ onRequest: ({ method }) => (method === 'POST' ? fault : undefined) });
    const file = await desk.write('people.csv', csvOf(customers(2)));
    const end = await desk.json(['import', file, '--max-attempts', '1']);
    fault = undefined;
    const batch = end.summary.batches[0]?.batch ?? '';
    const before = end.summary.batches[0]?.audit_head?.number ?? 0;
    const resolve = ['resolve', batch, '--row', '2', '--as', 'not-created', '--note', 'by phone'];
    const head = (await desk.json(resolve)).summary.batches[0]?.audit_head;
    expect(head?.number).toBeGreaterThan(before);
    expect((await loggedHeads(desk)).at(-1)).toEqual(head);
    expect(await verifiedBy(desk)).toMatchObject({ exit_code: 0, logged_heads: 3 });

    const kept = join(desk.folder, 'kept.run.jsonl');
    await rename(join(desk.folder, 'results', `people.${batch.slice(0, 8)}.run.jsonl`), kept);
    const ledger = openServerLedger(desk.databaseUrl ?? '');
    // All that the verdict has left in the ledger, with a head that fits what is left of the chain.
    for (const sql of [
      'DELETE FROM verdicts',
      `DELETE FROM runs WHERE command = 'resolve'`,
      `DELETE FROM audit_events WHERE chain = '${batch}' AND number > ${before}`,
      `UPDATE audit_heads h SET number = e.number, hash = e.hash FROM audit_events e
       WHERE h.chain = '${batch}' AND e.chain = h.chain AND e.number = ${before}`,
    ]) {
      await executeByHand(ledger.database, sql);
    }
    await ledger.close();
    expect(await verifiedBy(desk)).toMatchObject({ exit_code: 0, logged_heads: 0 });
    const found = await verifiedBy(desk, '--log', kept);
    expect(found).toMatchObject({ exit_code: 5, logged_heads: 3 });
    expect(found.chains[0]?.problems).toMatchObject([{ code: 'logged_head_differs', event: head?.number }]);
    const { stdout } = await desk.run(['audit', 'verify', batch, '--log', kept]);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      `names event ${head?.number} with the hash ${head?.hash}`,
    );
    expect(await verifiedBy(desk, '--head', head?.hash ?? '')).toMatchObject({ exit_code: 5 });
  });

  it('close is in its run log and JSON', async () => {
    const desk = await openDesk();
    const { summary } = await desk.json(['plan', await desk.write('people.csv', csvOf(customers(2)))]);
    const batch = summary.batches[0]?.batch ?? '';
    for (const _ of ['closed', 'closed before']) {
      const end = await desk.json(['close', batch, '--note', 'last month']);
      const head = end.summary.batches[0]?.audit_head;
      expect((await loggedHeads(desk)).at(-1)).toEqual(head);
      expect(await verifiedBy(desk, batch, '--head', head?.hash ?? '')).toMatchObject({ exit_code: 0 });
    }
  });

  it('recover is that of the new ledger, which takes no head of the lost one for its own', async () => {
    const desk = await openDesk();
    const { batch } = await imported(desk);
    const env = await emptyLedger(desk);
    const log = join(desk.folder, 'results', `people.${batch.slice(0, 8)}.run.jsonl`);
    const recover = ['recover', '--log', log, 'people.csv'];
    const head = (await desk.json(recover, { env })).summary.batches[0]?.audit_head;
    expect((await loggedHeads(desk)).at(-1)).toEqual(head);
    const verified = (await desk.json(['audit', 'verify'], { env })).summary as unknown as Verified;
    expect(verified).toMatchObject({ exit_code: 0, logged_heads: 2 });
  });

  it('reconcile is in its JSON', async () => {
    const desk = await openDesk();
    const { batch } = await imported(desk);
    const { summary } = await desk.json(['reconcile', batch]);
    const verified = await verifiedBy(desk, batch);
    expect(summary.batches[0]?.audit_head).toEqual(verified.chains[0]?.head);
  });
});

it('names a chain that is missing in the ledger, and refuses a named log without a head', async () => {
  const desk = await openDesk();
  const { batch } = await imported(desk);
  const ledger = openServerLedger(desk.databaseUrl ?? '');
  for (const sql of ['audit_events', 'audit_heads'])
    await executeByHand(ledger.database, `DELETE FROM ${sql} WHERE chain = '${batch}'`);
  for (const sql of ['runs', 'plans', 'batches']) await executeByHand(ledger.database, `DELETE FROM ${sql}`);
  await ledger.close();
  const { chains, exit_code: exitCode } = await verifiedBy(desk);
  expect([exitCode, chains[0]?.chain]).toEqual([5, batch]);
  expect(chains[0]?.problems.map(({ code }) => code)).toEqual(['head_differs', 'logged_head_differs']);
  const env = await emptyLedger(desk);
  const log = join('results', `people.${batch.slice(0, 8)}.run.jsonl`);
  const refused = await desk.json(['audit', 'verify', '--log', log], { env });
  expect(refused.summary).toMatchObject({ exit_code: 2, error: { code: 'log_without_head' } });
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
    ['export', '--log', 'x.run.jsonl'],
    ['verify', '--to', 'x'],
    ['verify', '--head', 'abc'],
    ['verify', '00000000'],
    ['verify', '--log', 'trail.jsonl'],
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
