import { describe, expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';

/** A partner's list whose owner types the API refuses. */
function list(types: readonly string[]): string {
  const rows = types.map((Art, index) => ({
    'Kd-Nr': 'C-1',
    Name: 'Amina Otieno',
    Konto: String(40_001_000 + index),
    ABA: '021000021',
    Bank: 'Chase',
    Art,
    Kontoart: 'checking',
    Strasse: '1 Main Street',
    Ort: 'San Francisco',
    Staat: 'US-CA',
    PLZ: '94103',
  }));
  return csvOf(rows);
}

const mapping = {
  kind: 'recipients',
  columns: {
    'Kd-Nr': 'customer_external_id',
    Name: 'account_name',
    Konto: 'account_number',
    ABA: 'routing_number',
    Bank: 'bank_name',
    Art: 'account_owner_type',
    Kontoart: 'account_type',
    Strasse: 'address_line1',
    Ort: 'city',
    Staat: 'state',
    PLZ: 'postal_code',
  },
  constants: { payee_type: 'bank_account_us', currency: 'USD', country: 'US' },
};

describe('what the API refuses', () => {
  it('is one line with its count, the own column and its values, and the command that asks about it', async () => {
    const desk = await openDesk();
    await desk.run(['import', await desk.write('people.csv', csvOf(customers(1)))]);
    const types = [...Array<string>(20).fill('Privat'), ...Array<string>(5).fill('Firma')];
    const file = await desk.write('Liste November.csv', list(types));
    await desk.write('m.json', JSON.stringify(mapping));
    const { stdout } = await desk.run(['import', file, '--mapping', 'm.json', '--refused-alike', 'off']);
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'The API refused 25 rows: account_owner_type must be an identifier in lower case (your column Art: Privat 20, Firma 5; for example row 2)',
    );
    expect(stdout).toContain("paybatch mapping 'Liste November.csv' --edit --about Art");

    const rows = await desk.results('Liste_November');
    expect(rows[0]).toMatchObject({ result_status: 'rejected', result_field: 'Art' });
    expect(await desk.resultText(`${String(rows[0]?.['result_batch']).slice(0, 8)}.report.html`)).toContain(
      'Privat',
    );
  });
});
