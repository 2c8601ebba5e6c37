import { describe, expect, it } from 'vitest';
import { compareEchoes, readCreation } from '../../src/kinds/answer.ts';
import type { Echo, EchoKind } from '../../src/kinds/definition.ts';
import { echoesOf } from '../../src/kinds/definition-parts.ts';

function differs(as: EchoKind, sent: string, answered: unknown): boolean {
  const { differing } = compareEchoes(echoesOf({ it: as }), { it: sent }, { it: answered });
  return differing.length > 0;
}

const uuid = '9a1d4c70-6e2f-4b8a-8f15-2c7e9b3a6d01';

describe('what is merely written differently', () => {
  it.each<[EchoKind, string, unknown]>([
    ['amount', '100', '100.00'],
    ['amount', '100.50', '0100.5'],
    ['amount', '100.50', ' +100.500 '],
    ['amount', '100.50', 100.5],
    ['amount', '0.10', '00.1'],
    ['code', 'KES', 'kes'],
    ['code', 'mobile_money', 'MOBILE_MONEY'],
    ['uuid', uuid, uuid.toUpperCase()],
    ['uuid', uuid, uuid.replaceAll('-', '')],
    ['account', 'DE89370400440532013000', 'de89 3704 0044 0532 0130 00'],
    ['account', '0123-456', '0123456'],
    ['account', '0123456', 123456],
    ['phone', '+254712345678', '254712345678'],
    ['phone', '+254712345678', '00254 712-345 678'],
    ['phone', '+254712345678', 254712345678],
    ['text', 'INV-2041', 'inv-2041'],
    ['text', 'Main account', ' main  Account'],
    ['name', 'KCB Bank Kenya', 'KCB BANK  KENYA'],
    ['name', "L'Étoile Bank (CI), S.A.", 'LETOILE BANK CI SA'],
    ['name', 'M-Pesa', 'MPESA'],
  ])('%s: %s and %s are the same', (as, sent, answered) => {
    expect(differs(as, sent, answered)).toBe(false);
  });
});

describe('a contradiction', () => {
  it.each<[EchoKind, string, unknown]>([
    ['amount', '100', '1000'],
    ['amount', '100.50', 100.51],
    ['code', 'KES', 'USD'],
    ['uuid', uuid, uuid.replace('9', '8')],
    // A bank account number is another one without its zeros.
    ['account', '0123456', '123456'],
    ['phone', '+254712345678', '+254712345679'],
    ['text', 'INV-2041', 'INV-2042'],
    // References are counted up: these are two.
    ['text', '1-11', '11-1'],
    ['name', 'KCB Bank Kenya', 'KCB Bank Uganda'],
  ])('%s: %s is not %s', (as, sent, answered) => {
    expect(differs(as, sent, answered)).toBe(true);
  });
});

describe('what the answer leaves out, or gives in another form', () => {
  it.each([undefined, null, true, {}, ['KES']])('says nothing: %j', (answered) => {
    const compared = compareEchoes(echoesOf({ it: 'code' }), { it: 'KES' }, { it: answered });
    expect(compared).toEqual({ differing: [], missing: ['it'] });
  });

  it('says nothing about what was not sent', () => {
    expect(compareEchoes(echoesOf({ it: 'code' }), {}, { it: 'KES' })).toEqual({
      differing: [],
      missing: [],
    });
  });

  it.each([undefined, null, 'text', 7, []])('is nothing to fail at: %j', (object) => {
    expect(compareEchoes(echoesOf({ it: 'code' }), { it: 'KES' }, object).differing).toEqual([]);
  });
});

describe('the reading of a confirmation', () => {
  const body = Buffer.from(
    JSON.stringify({ amount: '100', currency: 'KES', iban: 'DE89370400440532013000', customer_id: uuid }),
  );
  const echoes = echoesOf({ amount: 'amount', currency: 'code', iban: 'account', customer_id: 'uuid' });
  const read = (object: object) => readCreation(echoes, body, { id: 'x', object });

  it('names no differences where there are none', () => {
    expect(read({ currency: 'kes' })).toEqual({ id: 'x' });
    expect(readCreation(echoes, body, { id: undefined, object: undefined })).toEqual({ id: undefined });
  });

  it('shows amounts, codes and UUIDs, and of what is personal only the end', () => {
    expect(
      read({ amount: '200', currency: 'USD', iban: 'GB82WEST12345698765432', customer_id: 'Jane Doe' }),
    ).toEqual({
      id: 'x',
      differences: [
        { field: 'amount', sent: '100', answered: '200' },
        { field: 'currency', sent: 'KES', answered: 'USD' },
        { field: 'iban', sent: '***00', answered: '***32' },
        { field: 'customer_id', sent: uuid, answered: '***oe' },
      ],
    });
  });

  it('shows nothing in place of a code that is none', () => {
    expect(read({ currency: 'account 1234567890' }).differences).toEqual([
      { field: 'currency', sent: 'KES', answered: '***90' },
    ]);
  });
});

describe("an institution's name", () => {
  const echoes: readonly Echo[] = [
    { field: 'institution_name', as: 'name', institutionIn: 'institution_id' },
  ];
  const body = Buffer.from(JSON.stringify({ institution_id: uuid }));
  const nameOf = (id: string): string | undefined => (id === uuid ? 'KCB Bank Kenya' : undefined);
  const read = (name: string, sent = body) =>
    readCreation(echoes, sent, { id: 'x', object: { institution_name: name } }, nameOf);

  it('is compared with that of the institution whose id was sent', () => {
    expect(read('kcb bank, KENYA')).toEqual({ id: 'x' });
    expect(read('Equity Bank Kenya')).toEqual({
      id: 'x',
      differences: [{ field: 'institution_name', sent: 'KCB Bank Kenya', answered: 'Equity Bank Kenya' }],
    });
  });

  it('is not shown where it does not look like one', () => {
    expect(read('account 7700000001').differences).toMatchObject([{ answered: '***01' }]);
  });

  it('is compared with nothing where the institution is not known, or none was sent', () => {
    expect(read('Equity Bank Kenya', Buffer.from('{}'))).toEqual({ id: 'x' });
    expect(read('Equity Bank Kenya', Buffer.from('{"institution_id":"other"}'))).toEqual({ id: 'x' });
    expect(readCreation(echoes, body, { id: 'x', object: { institution_name: 'Other' } })).toEqual({
      id: 'x',
    });
  });
});
