import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import type { SeriesComparison } from '../../src/domain/batches/last-time.ts';
import type { Engine } from '../../src/index.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { configOfDesk, openEngine } from '../support/engine.ts';

const columns = [
  ...['payee_type', 'customer_external_id', 'account_name', 'iban', 'bank_name', 'currency'],
  ...['account_owner_type', 'address_line1', 'city', 'postal_code', 'country', 'amount'],
];

const ibans = [
  ...['DE89370400440532013000', 'DE75512108001245126199', 'AT611904300234573201', 'NL91ABNA0417164300'],
  ...['BE68539007547034', 'FR1420041010050500013M02606', 'ES9121000418450200051332'],
];

type Payment = readonly [name: string, amount: string, iban?: number];

class Office {
  readonly engine: Engine;
  readonly #desk: Desk;

  constructor(engine: Engine, desk: Desk) {
    this.engine = engine;
    this.#desk = desk;
  }

  /** Writes a file of payments to payees of one customer. @returns its path */
  async file(name: string, payments: readonly Payment[], titles = columns): Promise<string> {
    const lines = payments.map(([payee, amount, iban = [...names, payee].indexOf(payee)]) =>
      [
        ...[
          'sepa',
          'C-1',
          payee,
          ibans[iban] ?? '',
          'Bank',
          'EUR',
          'individual',
          'Street 1',
          'Berlin',
          '10115',
        ],
        ...['DE', amount],
      ].join(','),
    );
    const path = join(this.#desk.folder, name);
    await writeFile(path, `${[titles.join(','), ...lines].join('\n')}\n`);
    return path;
  }

  /** Reads files with this header as is proposed from now on. */
  async agree(file: string): Promise<void> {
    const stem = join(this.#desk.folder, 'agreed');
    await this.engine.mapping({ file, stem, answer: () => 'accept' }).result;
  }

  async comparedBy(
    command: 'validate' | 'plan' | 'import',
    files: string,
  ): Promise<SeriesComparison | null | undefined> {
    const end = await this.engine[command]({ files: [files] }).result;
    expect(end.failure).toBeNull();
    return end.batches[0]?.changes?.series;
  }
}

const names = ['Amina Otieno', 'Brian Kamau', 'Cleo Njoroge', 'Dan Okello', 'Eva Mensah', 'Femi Diallo'];
const [amina = '', brian = '', cleo = '', dan = '', eva = ''] = names;

async function openOffice(ledger: 'server' | 'embedded'): Promise<Office> {
  const desk = await openDesk({ ledger });
  const engine = await openEngine(configOfDesk(desk));
  const customers = join(desk.folder, 'customers.csv');
  await writeFile(customers, 'external_id,first_name,last_name\nC-1,Acme,Works\n');
  await engine.import({ files: [customers] }).result;
  return new Office(engine, desk);
}

const october: readonly Payment[] = [
  [amina, '10.10'],
  [brian, '20.20'],
  [cleo, '30.00'],
];

/** Cleo is missing, Dan and Eva are new; Amina's name is written otherwise. */
const november: readonly Payment[] = [
  ['OTIENO  amina', '10.10', 0],
  [brian, '25.00'],
  [dan, '0.10'],
  [eva, '0.20'],
];

const found = {
  payees: 4,
  earlier: { file: 'salaries oct 2026.csv', payees: 3 },
  fresh: { payees: 2, sums: [{ currency: 'EUR', rows: 2, amount: '0.30' }] },
  missing: { payees: 1, sums: [{ currency: 'EUR', rows: 1, amount: '30.00' }] },
};

describe.each(inject('ledgers'))('a file of a series, on the %s ledger', (ledger) => {
  it('is compared with the last one, by validate, plan and import alike, and for good', async () => {
    const office = await openOffice(ledger);
    expect(await office.comparedBy('import', await office.file('salaries oct 2026.csv', october))).toBeNull();
    const file = await office.file('Salaries_Nov-2026.csv', november);
    expect(await office.comparedBy('validate', file)).toMatchObject(found);
    expect(await office.comparedBy('plan', file)).toMatchObject(found);
    expect(await office.comparedBy('import', file)).toMatchObject(found);
    const later = await office.file('salaries dec 2026.csv', [[cleo, '1.00']]);
    expect(await office.comparedBy('import', later)).toMatchObject({ earlier: { payees: 4 } });
    // What was found stays, whatever came after it.
    const { batches } = await office.engine.import({ files: [file] }).result;
    expect(batches[0]?.changes?.series).toMatchObject(found);
    const report = await readFile(batches[0]?.files.report ?? '', 'utf8');
    expect(report).toContain('Beside the last file');
  });
});

describe('the last file', () => {
  it('is not one of another name, nor the same content', async () => {
    const office = await openOffice('server');
    await office.comparedBy('import', await office.file('salaries 1.csv', october));
    expect(await office.comparedBy('validate', await office.file('bonuses 2.csv', november))).toBeNull();
    expect(await office.comparedBy('validate', await office.file('salaries 2.csv', october))).toBeNull();
  });

  it('is the one that was read with the same remembered mapping, whatever its name', async () => {
    const office = await openOffice('server');
    const titles = columns.map((title) => (title === 'account_name' ? 'Kontoinhaber' : title));
    const file = await office.file('Liste A.csv', october, titles);
    await office.agree(file);
    await office.comparedBy('import', file);
    const next = await office.file('Zahlungen.csv', november, titles);
    expect(await office.comparedBy('plan', next)).toMatchObject({
      ...found,
      earlier: { file: 'Liste A.csv' },
    });
  });

  it('was imported; one that was only planned counts where there is no other', async () => {
    const office = await openOffice('server');
    await office.comparedBy('plan', await office.file('salaries draft 1.csv', [[eva, '1.00']]));
    const next = await office.file('salaries draft 2.csv', november);
    expect(await office.comparedBy('validate', next)).toMatchObject({ earlier: { payees: 1 } });
    await office.comparedBy('import', await office.file('salaries draft 3.csv', october));
    await office.comparedBy('plan', await office.file('salaries draft 4.csv', [[dan, '2.00']]));
    expect(await office.comparedBy('plan', next)).toMatchObject({ earlier: { payees: 3 } });
  });

  it('has the rows that were corrected since; corrections are compared with nothing', async () => {
    const office = await openOffice('server');
    const wrong = await office.file('salaries 1.csv', [...october, [eva, '7.00', ibans.length]]);
    const { batches } = await office.engine.import({ files: [wrong] }).result;
    const failed = batches[0]?.files.failed ?? '';
    const corrected = (await readFile(failed, 'utf8')).replace(/,,Bank/, `,${ibans[4]},Bank`);
    await writeFile(failed, corrected);
    expect(await office.comparedBy('import', failed)).toBeNull();
    const next = await office.file('salaries 2.csv', november);
    expect(await office.comparedBy('plan', next)).toMatchObject({
      ...{ payees: 4, earlier: { file: 'salaries 1.csv', payees: 4 } },
      ...{ fresh: { payees: 1 }, missing: { payees: 1 } },
    });
  });
});
