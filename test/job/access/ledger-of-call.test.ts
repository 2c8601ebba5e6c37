import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../../src/cli/options/settings.ts';
import { LedgerOfCall } from '../../../src/job/access/ledger-access.ts';
import { copyEmbeddedLedger } from '../../support/ledger.ts';

const callWith = (folder: string): LedgerOfCall =>
  new LedgerOfCall({ settings: settingsOf({ 'ledger-dir': folder }, {}), environment: {} });

describe('the ledger of a call', () => {
  it('is opened once for all that ask for it, and closed once', async () => {
    const folder = await copyEmbeddedLedger();
    const ledger = callWith(folder);
    // A second opening of this one would find it locked.
    const [one, other] = await Promise.all([ledger.open(), ledger.open()]);
    expect(other).toBe(one);
    expect(await one.verbs.listBatches(1)).toEqual([]);
    expect(existsSync(join(folder, 'ledger.lock'))).toBe(true);
    await ledger.close();
    await ledger.close();
    expect(existsSync(join(folder, 'ledger.lock'))).toBe(false);
  });

  it('that nobody asked for, or that cannot be opened, is closed without a word', async () => {
    await callWith('/nowhere').close();
    const failing = callWith('/dev/null/ledger');
    await expect(failing.open()).rejects.toThrow('cannot be opened');
    await failing.close();
  });
});
