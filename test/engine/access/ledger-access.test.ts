import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callOptionsOf } from '../../../src/cli/options/settings.ts';
import { withLedger } from '../../../src/engine/access/ledger-access.ts';
import { copyEmbeddedLedger } from '../../support/ledger.ts';

const callWith = (folder: string) => ({
  settings: callOptionsOf({ 'ledger-dir': folder }, {}).settings,
  environment: {},
});

describe('the ledger of a call', () => {
  it('is opened once for all that ask for it, and closed behind the work', async () => {
    const folder = await copyEmbeddedLedger();
    await withLedger(callWith(folder), async (ledger) => {
      expect(existsSync(join(folder, 'ledger.lock'))).toBe(false);
      // A second opening of this one would find it locked.
      const [one, other] = await Promise.all([ledger.open(), ledger.open()]);
      expect(other).toBe(one);
      expect(await one.verbs.listBatches(1)).toEqual([]);
      expect(existsSync(join(folder, 'ledger.lock'))).toBe(true);
    });
    expect(existsSync(join(folder, 'ledger.lock'))).toBe(false);
  });

  it('that nobody asked for, or that cannot be opened, needs no closing', async () => {
    expect(await withLedger(callWith('/nowhere'), async () => 'done')).toBe('done');
    const failing = withLedger(callWith('/dev/null/ledger'), (ledger) => ledger.open());
    await expect(failing).rejects.toThrow('cannot be opened');
  });
});
