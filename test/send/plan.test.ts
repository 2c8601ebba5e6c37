import { describe, expect, it } from 'vitest';
import type { Environment } from '../../src/domain/batches/batch.ts';
import type { NormalisedRecord } from '../../src/domain/rows/ledger-row.ts';
import { definitionNamed } from '../../src/kinds/registry.ts';
import { createPlanHash } from '../../src/send/plan.ts';

const sandbox: Environment = { mode: 'sandbox', origin: 'https://api.example.test' };

interface Row {
  readonly resource?: string;
  readonly record: NormalisedRecord;
  /** What resolving adds. */
  readonly found?: NormalisedRecord;
}

function hashOf(rows: readonly Row[], environment: Environment = sandbox): string {
  const hash = createPlanHash(environment);
  hash.add(
    rows.map(({ resource = 'recipients/sepa', record, found = {} }) => ({
      definition: definitionNamed(resource),
      record,
      resolved: { record: { ...record, ...found }, missing: undefined },
    })),
  );
  return hash.digest();
}

const payee: NormalisedRecord = {
  payee_type: 'sepa',
  customer_external_id: 'C-1',
  iban: 'DE89370400440532013000',
  account_name: 'Jana Vogel',
  bank_name: 'Beispielbank',
  currency: 'EUR',
  account_owner_type: 'individual',
};
const known = { ...payee, customer_id: '11111111-1111-4111-8111-111111111111' };

describe('a plan hash', () => {
  it('is the same for the same plan', () => {
    expect(hashOf([{ record: payee }])).toBe(hashOf([{ record: payee }]));
  });

  it('does not depend on the groups that its rows came in', () => {
    const [one, two] = ['C-1', 'C-2'].map((name) => ({
      definition: definitionNamed('recipients/sepa'),
      record: { ...payee, customer_external_id: name },
      resolved: { record: { ...payee, customer_external_id: name }, missing: undefined },
    }));
    if (one === undefined || two === undefined) throw new Error('there are two rows');
    const [together, apart] = [createPlanHash(sandbox), createPlanHash(sandbox)];
    together.add([one, two]);
    apart.add([one]);
    apart.add([two]);
    expect(apart.digest()).toBe(together.digest());
  });

  it('changes with the environment, since the same request elsewhere is another one', () => {
    const elsewhere = hashOf([{ record: payee }], { ...sandbox, origin: 'https://other.example.test' });
    const live = hashOf([{ record: payee }], { ...sandbox, mode: 'live' });
    expect(new Set([hashOf([{ record: payee }]), elsewhere, live]).size).toBe(3);
  });

  it('changes with what is sent, and with the order of the rows', () => {
    const other = { ...payee, account_name: 'Jana Vogl' };
    const hashes = [
      hashOf([{ record: payee }]),
      hashOf([{ record: other }]),
      hashOf([]),
      hashOf([{ record: payee }, { record: other }]),
      hashOf([{ record: other }, { record: payee }]),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('does not change with what is only checked, never sent', () => {
    expect(hashOf([{ record: { ...payee, amount: '12.50' } }])).toBe(hashOf([{ record: payee }]));
  });

  it('names an object that was still to be created, and stays the same once it is', () => {
    const created = { customer_id: '22222222-2222-4222-8222-222222222222' };
    expect(hashOf([{ record: payee, found: created }])).toBe(hashOf([{ record: payee }]));
    const another = { ...payee, customer_external_id: 'C-2' };
    expect(hashOf([{ record: another }])).not.toBe(hashOf([{ record: payee }]));
  });

  it('changes when a name that was known means another object now', () => {
    const another = { customer_id: '33333333-3333-4333-8333-333333333333' };
    expect(hashOf([{ record: known, found: another }])).not.toBe(hashOf([{ record: known }]));
  });

  it('names a collection’s account within its customer while both are still to be created', () => {
    const collection = {
      client_reference: 'INV-1',
      amount: '10',
      currency: 'KES',
      country: 'KE',
      methods: 'mobile_money',
      source_type: 'external',
      destination_type: 'internal_account',
      customer_external_id: 'C-1',
    };
    const hash = (label: string, found: NormalisedRecord = {}): string =>
      hashOf([{ resource: 'collections', record: { ...collection, destination_label: label }, found }]);
    expect(hash('Main')).not.toBe(hash('Other'));
    expect(hash('Main', { customer_id: 'c', destination_id: 'd' })).toBe(hash('Main'));
  });
});
