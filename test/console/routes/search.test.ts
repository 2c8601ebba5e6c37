import { describe, expect, inject, it } from 'vitest';
import { csvOf, customers } from '../../support/cli-files.ts';
import { openConsole, uploadAndCheck } from '../../support/console.ts';

describe.each(inject('ledgers'))('a search on the %s ledger', (ledger) => {
  it('finds batches by id and file, and rows by object, key, reference, account and name', async () => {
    const { visitor, desk } = await openConsole({ ledger });
    const people = customers(2).map((row, at) => ({ ...row, external_id: `T-${at}` }));
    const payees = [
      { account_name: 'Ada Byron', iban: 'DE89370400440532013000', phone_number: '', payee_type: 'sepa' },
    ].map((row) => ({
      ...row,
      customer_external_id: 'T-1',
      bank_name: 'Bank',
      currency: 'EUR',
      account_owner_type: 'individual',
      address_line1: 'Weg 1',
      city: 'Berlin',
      country: 'DE',
      postal_code: '10115',
    }));
    const files = [
      { name: 'people.csv', content: csvOf(people) },
      { name: 'payees.csv', content: csvOf(payees) },
    ];
    const checked = await uploadAndCheck(visitor, files);
    const hashes = /name="plan_hashes" value="([0-9a-f,]+)"/.exec(checked.text)?.[1] ?? '';
    const upload = /action="(\/uploads\/[0-9a-f-]+\/send)"/.exec(checked.text)?.[1] ?? '';
    const began = await visitor.post(upload, { plan_hashes: hashes });
    await visitor.until(began.path, ({ text }) => !text.includes('id="progress"'));
    const [payee] = await desk.results('payees');
    const { result_batch: batch = '', result_id: id = '', result_idempotency_key: key = '' } = payee ?? {};
    expect(payee?.['result_status']).toBe('created');
    const search = async (q: string): Promise<string> =>
      (await visitor.get(`/search?q=${encodeURIComponent(q)}`)).text;
    expect(await search(batch.slice(0, 8))).toContain(`/batches/${batch}`);
    expect(await search('PAYEES')).toContain('payees.csv');
    expect(await search('T-1')).toContain('its reference');
    expect(await search('DE89 3704 0044 0532 0130 00')).toContain('its account');
    expect(await search('byron ADA')).toContain('its name');
    expect(await search('Ada Lovelace')).toContain('Nothing was found');
    expect(await search('+254 712 000 001')).toContain('its account or phone number');
    expect(await search('odhiambo amina2')).toContain('people.csv');
    expect(await search(id)).toContain('the id of its object');
    expect(await search(key)).toContain('its idempotency key');
    expect(await search('<script>alert(1)</script>')).not.toContain('<script>alert');
    expect(await search('nobody')).toContain('Nothing was found');
  });
});
