import { describe, expect, it } from 'vitest';
import type { ObjectFacts } from '../../src/domain/rows/result-row.ts';
import { factColumns, readFacts } from '../../src/kinds/answer.ts';
import { definitionNamed, definitionsOf } from '../../src/kinds/registry.ts';

const settings = { customerIdPaths: ['data.id'] };

const account = {
  id: 'a-1',
  customer_id: 'c-1',
  label: 'Main',
  type: 'regular',
  currency: 'USD',
  blockchain_network: 'polygon',
  status: 'active',
  balance: '0.00',
  assets: [
    { balance: '1.50', decimals: 6, symbol: 'USDC' },
    { balance: '0.00', decimals: 18, symbol: 'POL' },
  ],
  capabilities: ['transfer', 'receive'],
  date_created: '2026-11-20T10:00:00.000Z',
  tenant_id: 't-1',
  tenant_name: 'Tenant',
  tier: '',
  wallet_address: '0xabc',
  virtual_account_id: 'v-1',
  virtual_account_bank_account_number: '901',
  virtual_account_bank_routing_number: '021000021',
  virtual_account_bank_name: 'Bank',
  virtual_account_bank_address: 'Street',
  virtual_account_bank_beneficiary_address: 'Street 2',
};

function accountFacts(changes: object): ObjectFacts | null {
  const answer = JSON.stringify({ data: { ...account, ...changes }, error: null });
  return readFacts(definitionNamed('accounts'), { label: 'Main' }, answer, settings);
}

describe('the facts of an answer', () => {
  it('have a column for every field of the specification', () => {
    expect(factColumns(definitionsOf('accounts')).map(({ name }) => name)).toEqual(
      Object.keys(account).flatMap((name) =>
        name === 'assets' ? ['assets.balance', 'assets.decimals', 'assets.symbol'] : [name],
      ),
    );
    expect(factColumns(definitionsOf('recipients')).map(({ name }) => name)).toContain('address.city');
    expect(factColumns(definitionsOf('collections'))[0]).toEqual({ name: 'instruction', isMarkup: true });
    expect(factColumns(definitionsOf('customers'))).toEqual([]);
  });

  it('join lists, and say nothing of what is as specified', () => {
    const facts = accountFacts({});
    expect(facts?.notes).toEqual([]);
    expect(facts?.values).toMatchObject({
      'assets.balance': '1.50; 0.00',
      'assets.decimals': '6; 18',
      'assets.symbol': 'USDC; POL',
      capabilities: 'transfer; receive',
      tier: '',
      wallet_address: '0xabc',
    });
  });

  it.each([
    [{ wallet_address: undefined }, '', 'wallet_address is missing in the answer', 'wallet_address'],
    [{ wallet_address: null }, '', 'wallet_address is null in the answer', 'wallet_address'],
    [{ wallet_address: { eth: '0x' } }, '', 'wallet_address is not text in the answer', 'wallet_address'],
    [{ wallet_address: ['0x'] }, '', 'wallet_address is not text in the answer', 'wallet_address'],
    [{ balance: 12.5 }, '12.5', 'balance is not text in the answer', 'balance'],
    [{ capabilities: 'transfer' }, '', 'capabilities is not text in the answer', 'capabilities'],
    [{ capabilities: [{ a: 1 }, 'b'] }, '; b', 'capabilities is not text in the answer', 'capabilities'],
    [{ capabilities: [] }, '', undefined, 'capabilities'],
    [
      { assets: [{ decimals: '6', balance: '1', symbol: 'X' }] },
      '6',
      'assets.decimals is not a whole number in the answer',
      'assets.decimals',
    ],
    [{ status: 'frozen' }, 'frozen', 'status is "frozen", where active is usual', 'status'],
  ])('note what is not as it should be: %j', (changes, cell, note, column) => {
    const facts = accountFacts(changes);
    expect(facts?.notes).toEqual(note === undefined ? [] : [note]);
    expect(facts?.values[column] ?? '').toBe(cell);
  });

  it('are none where the answer holds no object', () => {
    const accounts = definitionNamed('accounts');
    expect(readFacts(accounts, {}, 'not JSON', settings)).toBeNull();
    expect(readFacts(accounts, {}, '{"data":{}}', settings)).toBeNull();
  });

  it('name a recipient whom the institution knows under another name', () => {
    const notesOn = (account_name: string): readonly string[] => {
      const answer = JSON.stringify({ data: { id: 'r-1', account_name } });
      const record = { account_name: 'Amina Odhiambo' };
      const facts = readFacts(definitionNamed('recipients/bank_account'), record, answer, settings);
      return (facts?.notes ?? []).filter((note) => note.startsWith('name_differs'));
    };
    expect(notesOn('AMINA  ODHIAMBO')).toEqual([]);
    expect(notesOn('Amína, Odhiambo.')).toEqual([]);
    expect(notesOn('AMINA W ODHIAMBO')).toEqual([
      'name_differs: account_name came back as another name than was sent',
    ]);
  });
});
