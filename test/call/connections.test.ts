import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Connections } from '../../src/call/connections.ts';
import { readSettings } from '../../src/call/settings.ts';
import { copyEmbeddedLedger } from '../support/ledger.ts';

function connectionsIn(ledgerDir: string): Connections {
  const { api, ledger } = readSettings({ ledgerDir });
  const connections = new Connections({ api, ledger, machine: {} });
  onTestFinished(() => connections.close());
  return connections;
}

describe('the ledger of an engine', () => {
  it('is opened once for all that ask for it, and closed with the engine', async () => {
    const folder = await copyEmbeddedLedger();
    const connections = connectionsIn(folder);
    expect(existsSync(join(folder, 'ledger.lock'))).toBe(false);
    // A second opening of this one would find it locked.
    const [one, other] = await Promise.all([connections.ledger(), connections.ledger()]);
    expect(other).toBe(one);
    expect(await one.verbs.listBatches(1)).toEqual([]);
    expect(existsSync(join(folder, 'ledger.lock'))).toBe(true);
    await connections.close();
    expect(existsSync(join(folder, 'ledger.lock'))).toBe(false);
  });

  it('that nobody asked for, or that cannot be opened, needs no closing', async () => {
    await connectionsIn('/nowhere').close();
    const failing = connectionsIn('/dev/null/ledger');
    await expect(failing.ledger()).rejects.toThrow('cannot be opened');
    await failing.close();
  });

  it('is asked for again after it could not be opened', async () => {
    const folder = await copyEmbeddedLedger();
    const holder = connectionsIn(folder);
    await holder.ledger();
    const later = connectionsIn(folder);
    await expect(later.ledger()).rejects.toMatchObject({ code: 'ledger_locked' });
    await holder.close();
    expect(await (await later.ledger()).verbs.listBatches(1)).toEqual([]);
  });
});
