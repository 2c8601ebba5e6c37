import { describe, expect, it } from 'vitest';
import { createValidation, type Validation } from '../../src/check/validation.ts';
import type { Kind } from '../../src/domain/batches/batch.ts';
import { noteText } from '../../src/domain/rows/finding.ts';
import type { KeyOwner, StagedRow } from '../../src/domain/rows/ledger-row.ts';
import { plainReadingRules } from '../../src/domain/tables/mapping.ts';
import type { CellKind } from '../../src/domain/tables/table.ts';
import { createRowChecker } from '../../src/kinds/fields/row-checker.ts';
import { definitionNamed } from '../../src/kinds/registry.ts';
import { fingerprintOf, naturalKeyOf, writeBody } from '../../src/kinds/request.ts';
import { mapTable } from '../../src/read/mapping/table-mapping.ts';
import { kenyanInstitutions, listOf, validRows } from '../kinds/rows.ts';
import { type FakeReferences, fakeReferences } from '../send/fakes.ts';
import { turnsDuring } from '../support/turns.ts';

const header = ['external_id', 'first_name', 'last_name', 'phone', 'email'];

function validationOf(
  references: FakeReferences = fakeReferences(),
  kind: Kind = 'customers',
  titles: readonly string[] = header,
): Validation {
  const choice = { kind, mapping: {}, fileName: 'people.csv' };
  const mapping = mapTable({ sheet: null, header: titles }, choice);
  const checker = createRowChecker({
    mapping,
    reading: plainReadingRules,
    today: '2026-11-21',
    headerWidth: titles.length,
  });
  const directory = {
    list: async () => {
      if (kind === 'recipients') return listOf(kenyanInstitutions);
      throw new Error('no row names an institution');
    },
  };
  return createValidation({ place: 'people.csv', checker, mapping, references, directory });
}

interface Line {
  readonly cells: string;
  readonly kinds?: ReadonlyMap<number, CellKind>;
}

async function judge(
  lines: readonly (string | Line)[],
  validation = validationOf(),
  firstRow = 2,
): Promise<StagedRow[]> {
  return validation.judge(
    lines.map((line, at) => {
      const { cells, kinds } = typeof line === 'string' ? { cells: line, kinds: undefined } : line;
      return { number: at + firstRow, cells: cells.split(','), ...(kinds === undefined ? {} : { kinds }) };
    }),
  );
}

const amina = 'C-1,Amina,Odhiambo,+254712000001,a@people.example';

/** What another row made, or may have made, of the same customer. */
function owner(state: KeyOwner['state'], email = 'a@people.example'): { key: string; owner: KeyOwner } {
  const definition = definitionNamed('customers');
  const record = {
    external_id: 'C-1',
    first_name: 'Amina',
    last_name: 'Odhiambo',
    phone: '+254712000001',
    email,
    type: 'individual',
  };
  const body = writeBody(definition, record);
  return {
    key: naturalKeyOf(definition, record).toString('hex'),
    owner: {
      batch: 'abcdef01-2345-8678-9abc-def012345678',
      row: 9,
      state,
      objectId: state === 'created' ? 'customer-9' : null,
      fingerprint: fingerprintOf(definition.path, body),
      body,
    },
  };
}

async function judgeOwned(owned: ReturnType<typeof owner>): Promise<StagedRow | undefined> {
  const references = fakeReferences();
  references.owners.set(owned.key, owned.owner);
  return (await judge([amina], validationOf(references)))[0];
}

describe('the validation of rows', () => {
  it('lets the first of two rows with the same object count; the same content shares its fate', async () => {
    const rows = await judge([amina, 'C-1, Amina ,Odhiambo,+254 712 000 001,a@people.example']);
    expect(rows.map(({ state, sameAs }) => [state, sameAs])).toEqual([
      ['staged', null],
      ['duplicate', 2],
    ]);
  });

  it('notes that a repeated payee has another amount, where amounts are only checked', async () => {
    const payee = Object.entries({ ...validRows['recipients/bank_account'], currency: 'KES' }).filter(
      ([field]) => field !== 'amount',
    );
    const validation = validationOf(fakeReferences(), 'recipients', [
      ...payee.map(([field]) => field),
      'amount',
    ]);
    const cells = payee.map(([, value]) => value).join(',');
    const rows = await judge(
      [`${cells},237700`, `${cells},259900`, `${cells},237700.00`, `${cells},`],
      validation,
    );
    expect(
      rows.map(({ sameAs, notes }) => [
        sameAs,
        notes.map(noteText).filter((note) => note.includes('amount')),
      ]),
    ).toEqual([
      [null, []],
      [2, ['row 2 of people.csv has another amount than 259900, and amounts are not sent']],
      [2, []],
      [2, ['row 2 of people.csv has another amount than none, and amounts are not sent']],
    ]);
  });

  it('refuses a later row that says something else of the same object, and names the earlier one', async () => {
    const rows = await judge([amina, 'C-1,Amina,Odhiambo,+254712000001,b@people.example']);
    expect(rows[1]).toMatchObject({
      state: 'invalid',
      reason: {
        code: 'conflicting_duplicate',
        message: expect.stringContaining('as row 2 of people.csv, with'),
      },
    });
  });

  it('finds repetitions across groups, and repetitions of invalid rows do not count', async () => {
    const validation = validationOf();
    const first = await judge(['C-1,Amina,Odhiambo,+254712000001,nobody', amina], validation);
    const second = await judge([amina], validation, 4);
    expect(first.map(({ state }) => state)).toEqual(['invalid', 'staged']);
    expect(second[0]).toMatchObject({ state: 'duplicate', sameAs: 3 });
  });

  it('knows what was created earlier with the same content', async () => {
    expect(await judgeOwned(owner('created'))).toMatchObject({
      state: 'existing',
      objectId: 'customer-9',
      reason: { code: 'existing' },
    });
  });

  it('holds what was created earlier with other content, or may have been', async () => {
    expect(await judgeOwned(owner('created', 'other@people.example'))).toMatchObject({
      state: 'held',
      reason: { code: 'differs_from_created', field: 'email' },
    });
    expect(await judgeOwned(owner('unknown'))).toMatchObject({
      state: 'held',
      reason: { code: 'unknown_elsewhere' },
    });
  });

  it('leaves what another batch is about to send to the preparation', async () => {
    expect(await judgeOwned(owner('sending'))).toMatchObject({ state: 'staged', reason: null });
  });

  it('takes off just the one apostrophe that a result file puts before a formula’s sign', async () => {
    const [row] = await judge(["C-1,'=Amina,'Odhiambo,'+254712000001,a@people.example"]);
    expect(row?.record).toMatchObject({
      first_name: '=Amina',
      last_name: "'Odhiambo",
      phone: '+254712000001',
    });
    expect(row?.cells).toEqual(['C-1', '=Amina', "'Odhiambo", '+254712000001', 'a@people.example']);
  });

  it('writes a refused numeric cell with one .0 at its end, so that it is refused again', async () => {
    const numeric = (cells: string): Line => ({ cells, kinds: new Map([[0, 'number']]) });
    const rows = await judge([
      numeric('1234567890123456,Amina,Odhiambo,,a@people.example'),
      numeric('12345.0,Brian,Odhiambo,,b@people.example'),
    ]);
    expect(rows.map(({ state, cells, reason }) => [state, cells[0], reason?.code])).toEqual([
      ['invalid', '1234567890123456.0', 'damaged_number'],
      ['invalid', '12345.0', 'damaged_number'],
    ]);
    const again = await judge(['1234567890123456.0,Amina,Odhiambo,,a@people.example']);
    expect(again[0]?.reason?.code).toBe('damaged_number');
  });

  it('says everything about a row at once, the first finding’s column first', async () => {
    const [row] = await judge(['C-1,,Odhiambo,12,nobody']);
    expect(row?.findings.map(({ column, code }) => `${column} ${code}`)).toEqual([
      'first_name required',
      'phone invalid_phone',
      'email invalid_email',
    ]);
    expect(row?.reason).toMatchObject({ code: 'required', field: 'first_name' });
    expect(row?.reason?.message.split('; ').length).toBeGreaterThanOrEqual(3);
  });

  it('lets others in between the steps of a large group, and within each', async () => {
    const turnsOf = (rows: number): Promise<number> => {
      const lines = Array.from({ length: rows }, (_, at) => `C-${at},Amina,Odhiambo,,a${at}@people.example`);
      return turnsDuring(() => judge(lines));
    };
    // Ten groups of a hundred rows: their fields, what they refer to, their keys, and what becomes of them.
    expect(await turnsOf(1_000)).toBeGreaterThanOrEqual((await turnsOf(100)) + 4 * 9);
  });
});
