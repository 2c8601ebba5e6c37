import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import { inScratch } from '../../../src/ledger/connection/open.ts';
import type { OwnRow } from '../../../src/propose/export/own-rows.ts';
import { evidenceReader } from '../../../src/reconcile/batches/exports.ts';
import { comparableWithBatch, wantedNames } from '../../../src/reconcile/comparing/comparable.ts';
import { compareSides } from '../../../src/reconcile/comparing/compare.ts';
import { openExportSide } from '../../../src/reconcile/export/open-files.ts';
import { readExportRecords, type SideNotes } from '../../../src/reconcile/export/records.ts';
import { ownMatchRecords } from '../../../src/reconcile/export/values.ts';
import { onServer } from '../../support/ledger.ts';
import { type Export, makeExport, type Payment } from './exports.ts';

/** Exports of the whole suite when `PAYBATCH_HABIT_SEEDS` says nothing else. */
const seeds = Number(process.env['PAYBATCH_HABIT_SEEDS'] ?? 10);
const onlySeed = process.env['PAYBATCH_HABIT_SEED'];

const kind = 'collections';

function ownRow({ id, reference, amount, currency, day }: Payment): OwnRow {
  return { id, reference, day, values: { client_reference: reference, amount, currency } };
}

async function* ours(payments: readonly Payment[]) {
  yield payments.map(({ id, reference, amount, currency, day }, at) => ({
    row: at + 2,
    state: 'created' as const,
    objectId: id,
    record: { client_reference: reference, amount, currency },
    body: null,
    day,
  }));
}

/** What the comparison of an export says of each payment, and what it was read as. */
async function compared(database: Knex, made: Export) {
  const { payments, header, rows } = made;
  const own = {
    find: async (texts: readonly string[]) =>
      payments.filter(({ id, reference }) => texts.includes(id) || texts.includes(reference)).map(ownRow),
  };
  const open = async () => ({
    contentHash: String(made.seed),
    tables: [
      {
        sheet: null,
        header,
        rows: async function* () {
          yield rows;
        },
      },
    ],
    close: async () => {},
  });
  const side = await openExportSide(['e.csv'], {}, kind, open, evidenceReader(kind, own));
  const wanted = wantedNames(null, side.tables);
  const comparable = comparableWithBatch(kind, side.tables, { hasAmounts: true, wanted });
  const notes: SideNotes = { remarks: [], unread: [] };
  const states = new Map<number, string>();
  const differing = new Map<number, string>();
  await inScratch(database, (sql) =>
    compareSides(
      sql,
      {
        here: ownMatchRecords(ours(payments), kind, side.tables[0]?.mapping ?? {}, comparable.fields),
        there: readExportRecords(side.tables, kind, comparable.fields, notes),
        fields: comparable.fields,
        hasUnreadAmounts: (name) => name === 'there' && notes.unread.some(({ hasAmounts }) => hasAmounts),
        rules: {
          tolerance: { absolute: '0', percent: '0', days: 0 },
          ...{ coversFrom: '2026-11-01', coversTo: '2026-11-30', graceInDays: 0 },
          ...{ compares: comparable.compares, amountsLeftOut: comparable.amountsLeftOut },
        },
      },
      async (lines) => {
        for (const { here, state, differences } of lines) {
          if (here === null) continue;
          states.set(here.row, state);
          differing.set(here.row, differences.map(({ field }) => field).join(', '));
        }
      },
    ),
  );
  return { states, differing, mapping: side.tables[0]?.mapping };
}

type Verdict = 'right' | 'asked' | 'sure and wrong' | 'false alarm' | 'refused';

/** @returns how the export was read, and what is wrong where something is */
async function judge(database: Knex, made: Export): Promise<{ verdict: Verdict; told: string }> {
  const told = (text: string): string => `seed ${made.seed}: ${text} (${made.habits})`;
  try {
    const { states, differing, mapping } = await compared(database, made);
    const read = JSON.stringify(mapping);
    let isAsked = false;
    for (const [at, { fate }] of made.payments.entries()) {
      const state = states.get(at + 2) ?? 'none';
      if (state === 'matched_by_id') isAsked = true;
      if (fate === 'missing') {
        if (state === 'matched' || state === 'mismatched')
          return { verdict: 'sure and wrong', told: told(`a missing one is ${state}, read as ${read}`) };
        continue;
      }
      if (fate === 'changed' && state === 'matched')
        return { verdict: 'sure and wrong', told: told(`a changed one is matched, read as ${read}`) };
      if (fate === 'changed' && state !== 'mismatched' && state !== 'matched_by_id')
        return { verdict: 'false alarm', told: told(`a changed one is ${state}, read as ${read}`) };
      if (fate === 'same' && state !== 'matched' && state !== 'matched_by_id')
        return {
          verdict: 'false alarm',
          told: told(`one is ${state} (${differing.get(at + 2)}), read as ${read}`),
        };
    }
    return isAsked
      ? { verdict: 'asked', told: told(`asked, read as ${read}`) }
      : { verdict: 'right', told: '' };
  } catch (error) {
    return { verdict: 'refused', told: told(String(error)) };
  }
}

onServer((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  it(`exports in other people's habits are read, or asked about, and never sure and wrong (${seeds} seeds)`, async () => {
    const all =
      onlySeed === undefined ? Array.from({ length: seeds }, (_, at) => at + 1) : [Number(onlySeed)];
    const found: Record<Verdict, string[]> = {
      ...{ right: [], asked: [], 'sure and wrong': [], 'false alarm': [], refused: [] },
    };
    for (const seed of all) {
      const { verdict, told } = await judge(database, makeExport(seed));
      found[verdict].push(told);
    }
    const counts = Object.entries(found).map(([verdict, told]) => `${told.length} ${verdict}`);
    process.stdout.write(`${all.length} exports: ${counts.join(', ')}\n`);
    if (process.env['PAYBATCH_HABIT_TELLS'] !== undefined)
      for (const text of [...found.asked, ...found.refused, ...found['false alarm']])
        process.stdout.write(`${text}\n`);
    expect(found['sure and wrong']).toEqual([]);
    expect(found['false alarm']).toEqual([]);
    expect(found.refused).toEqual([]);
    expect(found.right.length).toBeGreaterThanOrEqual(Math.floor(all.length * 0.9));
  }, 600_000);
});
