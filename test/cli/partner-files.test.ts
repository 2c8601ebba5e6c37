import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Engine } from '../../src/index.ts';
import { readCsv } from '../support/cli-files.ts';
import { agreeing } from '../support/engine.ts';
import { asCsv, asWorkbook, type PartnerFile, truthOf } from '../support/partners/file.ts';
import { customersOf, germany, kenya, nigeria, unitedStates } from '../support/partners/files.ts';

let folder = '';
let engine: Engine;

beforeAll(async () => {
  folder = await mkdtemp(join(inject('testFolder'), 'partners-'));
  await writeFile(join(folder, 'members.csv'), customersOf(600));
  engine = await Engine.open({
    api: { localSandbox: true },
    ledger: { ledgerDir: join(folder, 'ledger') },
    output: { out: join(folder, 'results') },
  });
  const { outcome } = await engine.import({ files: [join(folder, 'members.csv')] }).result;
  expect(outcome).toBe('done');
});

afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

/** A person who accepts the proposals, and adds what neither the file nor the specification says. */
function answer({ kind, about, field }: { kind: string; about: string; field?: string }): unknown {
  if (kind === 'constant' && about === 'account_owner_type') return { text: 'individual' };
  return kind === 'values' && field === 'gender' ? { values: { F: 'female' } } : 'accept';
}

const needed = 0.95;

describe('a file as partners send it, read as it was proposed', () => {
  it.each([kenya(), germany(), nigeria(), unitedStates()])('$name', async (partner: PartnerFile) => {
    const path = join(folder, partner.name);
    await writeFile(path, partner.name.endsWith('.xlsx') ? asWorkbook(partner) : asCsv(partner, ';'));
    const { kind } = partner;
    const stem = join(folder, basename(partner.name, '.xlsx'));
    const { agreed } = await engine.mapping({ file: path, answer, stem, reading: { kind } }, agreeing).result;
    const mapping = agreed?.path ?? '';
    const { batches } = await engine.import({ files: [path], reading: { kind, mapping } }, agreeing).result;
    const results = readCsv(await readFile(batches[0]?.files.results ?? '', 'utf8'));
    const created = new Set(
      results.filter((row) => row['result_status'] === 'created').map((row) => Number(row['result_row'])),
    );
    const truth = [...truthOf(partner)];
    const refused = results
      .filter((row) => row['result_status'] !== 'created')
      .map((row) => `${row['result_row']}: ${row['result_status']} ${row['result_message']}`);
    const wrong = truth.filter(([row, is]) => is !== 'good' && created.has(row)).map(([row]) => row);
    expect(wrong, JSON.stringify(agreed?.mapping)).toEqual([]);
    const good = truth.filter(([, is]) => is === 'good');
    const passed = good.filter(([row]) => created.has(row));
    expect(passed.length / good.length, refused.slice(0, 12).join('\n')).toBeGreaterThanOrEqual(needed);
    const told = results.find((row) => Number(row['result_row']) === passed[0]?.[0]);
    expect(told?.['result_notes']).toContain('read as');
  });
});
