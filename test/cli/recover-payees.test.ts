import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf } from '../support/cli-files.ts';
import { createDatabase, dropDatabase } from '../support/ledger.ts';

const ibans = ['DE89370400440532013000', 'DE75512108001245126199', 'AT611904300234573201'];

function payee(name: string, iban: string, customer = 'C-1'): Readonly<Record<string, string>> {
  return {
    ...{ payee_type: 'sepa', customer_external_id: customer, account_name: name, iban, bank_name: 'Bank' },
    ...{ currency: 'EUR', account_owner_type: 'individual', address_line1: 'Street 1', city: 'Berlin' },
    ...{ postal_code: '10115', country: 'DE', amount: '10.00' },
  };
}

const [first = '', second = '', third = ''] = ibans;

it('knows the payees of a recovered ledger as the lost one did, and the last file of a series', async () => {
  const desk = await openDesk();
  const people = [
    { external_id: 'C-1', first_name: 'Amina', last_name: 'Otieno' },
    { external_id: 'C-2', first_name: 'Brian', last_name: 'Kamau' },
  ];
  const customers = await desk.write('customers.csv', csvOf(people));
  const october = [payee('Jürgen Müller', first), payee('Grace Achieng Okello', second)];
  const before = await desk.write('salaries oct.csv', csvOf(october));
  // In one call, so that the rows name customers that have no id yet.
  expect((await desk.json(['import', customers, before])).summary.exit_code).toBe(0);
  const november = [
    payee('Dr. MUELLER Juergen', third),
    payee('Okello Grace', 'NL91ABNA0417164300'),
    payee('Somebody Else', first, 'C-2'),
    payee('Grace Achieng Okello', second),
  ];
  const now = await desk.write('salaries nov.csv', csvOf(november));
  const known = await desk.json(['validate', now]);
  const { changes, series } = known.summary.batches[0] ?? {};
  expect(changes).toEqual({ payee_details_changed: 2, account_shared: 1 });
  expect(series).toMatchObject({ earlier: { payees: 2 }, new: { payees: 2 }, missing: { payees: 0 } });

  const databaseUrl = await createDatabase();
  onTestFinished(() => dropDatabase(databaseUrl));
  const env = { DATABASE_URL: databaseUrl };
  const logs = (await desk.resultNames()).filter((name) => name.endsWith('.run.jsonl'));
  for (const file of [customers, before]) {
    const stem = file.replace('.csv', '').replace(' ', '_');
    const log = join('results', logs.find((name) => name.startsWith(stem)) ?? 'none');
    const recovered = await desk.json(['recover', '--log', log, file], { env });
    expect(recovered.summary).toMatchObject({ exit_code: 0 });
  }
  const again = await desk.json(['validate', now], { env });
  expect(again.summary.batches[0]).toMatchObject({ changes, series });
  const end = await desk.json(['import', now], { env });
  expect(end.summary.batches[0]).toMatchObject({ changes, series, counts: { created: 3, existing: 1 } });
});
