import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallContext } from '../../src/call/context.ts';
import type { BatchRecord } from '../../src/domain/batches/batch.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import { requireLedgerOfOtherLogs } from '../../src/recover/other-logs.ts';

const ledger = '11111111-2222-4333-8444-555555555555';
const other = 'fedcba98-2222-4333-8444-555555555555';
const claim = JSON.stringify({
  time: '2026-11-29T08:00:00.000Z',
  event: 'claim.made',
  batch: other,
  run: 'aaaaaaaa-2222-4333-8444-555555555555',
  claim: 3,
  ledger,
});

/** Of the blocks in which a log is read from its end. */
const blockBytes = 256 * 1024;

/** Lines of other events, of this length in all. */
function otherLines(bytes: number): string {
  const line = `{"event":"row.final","text":"${'x'.repeat(400)}"}\n`;
  const lines = line.repeat(Math.floor(bytes / line.length));
  const left = bytes - lines.length;
  return left === 0 ? lines : `${lines}${'y'.repeat(left - 1)}\n`;
}

describe('the last claim in the log of another batch', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paybatch-test-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Checks a log beside a batch that is about to be sent; the ledger knows no other batch. */
  async function check(log: string): Promise<void> {
    await writeFile(join(folder, 'payees.fedcba98.run.jsonl'), log);
    const app = { settings: { output: { out: folder } } } as CallContext;
    const verbs = {
      readLedgerId: async () => ledger,
      findUnknownBatches: async (claims: readonly { readonly batch: string }[]) =>
        claims.map(({ batch }) => batch),
    } as unknown as LedgerVerbs;
    const batch = { id: '00000000-2222-4333-8444-555555555555', environmentId: 1 } as BatchRecord;
    await requireLedgerOfOtherLogs(app, verbs, [batch]);
  }

  const whole = claim.length + 1;
  it.each([
    0,
    1,
    blockBytes - whole,
    blockBytes - whole + 1,
    blockBytes - 1,
    blockBytes,
    10 * blockBytes - 7,
  ])(
    'is found with %d bytes behind it, and stops the run where the ledger does not know it',
    async (behind) => {
      const log = `${otherLines(1_000)}${claim}\n${otherLines(behind)}`;
      await expect(check(log)).rejects.toMatchObject({ code: 'ledger_behind' });
    },
  );

  it('is found behind a damaged part without line ends', async () => {
    const log = `${claim}\n${'z'.repeat(3 * blockBytes)}\n${otherLines(900)}`;
    await expect(check(log)).rejects.toMatchObject({ code: 'ledger_behind' });
  });

  it.each([
    ['an empty log', ''],
    ['a log of a batch of which nothing was sent', otherLines(3 * blockBytes + 11)],
    ['a line that is cut', `${claim.slice(9)}\n${otherLines(900)}`],
    ['the claim of another ledger', `${claim.replace(ledger, other)}\n`],
  ])('is not in %s', async (_, log) => {
    await expect(check(log)).resolves.toBeUndefined();
  });
});
