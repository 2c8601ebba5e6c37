import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { KeyOwner } from '../../src/domain/rows/ledger-row.ts';
import { definitionNamed } from '../../src/kinds/registry.ts';
import { differingValues, fillInIds, judgeOwnedKey, naturalKeyOf } from '../../src/kinds/request.ts';
import { fakeReferences } from '../send/fakes.ts';

/** What ledgers hold: another form would make known objects look new. */
function keyAsKept(kind: string, parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, ...parts]))
    .digest('hex');
}

describe('the natural key', () => {
  it.each([
    ['plain text', 'INV-2041'],
    ['nothing', ''],
    ['quotation marks', 'a "b"'],
    ['separators that look like the list’s own', '","'],
    ['a backslash', 'a\\b'],
    ['accents', 'Zürich'],
    ['characters of two units', '😀'],
    ['half a character', '\ud800'],
    ['a line separator', 'a\u2028b'],
    ['a control character', 'a\u0000b'],
    ['a deleted character', 'a\u007fb'],
  ])('is the hash of the list as JSON: %s', (_, reference) => {
    const key = naturalKeyOf(definitionNamed('collections'), { client_reference: reference });
    expect(key.toString('hex')).toBe(keyAsKept('collections', [reference]));
  });

  it('has every part in it', () => {
    const record = { customer_id: 'c', payee_type: 'sepa', iban: 'DE1', currency: 'EUR' };
    const key = naturalKeyOf(definitionNamed('recipients/sepa'), record);
    expect(key.toString('hex')).toBe(keyAsKept('recipients', ['c', 'sepa', 'DE1', '', 'EUR']));
  });
});

const definition = definitionNamed('collections');
const record = { customer_external_id: 'C-1', destination_label: 'Main wallet' };

describe('references of a record', () => {
  it('are filled in one after the other, since an account is known by its customer', async () => {
    const references = fakeReferences();
    references.objects.set('customers C-1', { id: 'customer-1', country: 'KE' });
    const handle = definition.references[1]?.handle({ ...record, customer_id: 'customer-1' }) ?? '';
    references.objects.set(`accounts ${handle}`, { id: 'account-1', country: null });
    const [resolved] = await fillInIds([{ definition, record }], references);
    expect(resolved).toEqual({
      record: { ...record, customer_id: 'customer-1', destination_id: 'account-1' },
      missing: undefined,
    });
  });

  it('that are not created yet are missing, the first of them by name', async () => {
    const references = fakeReferences();
    references.objects.set('customers C-1', { id: null, country: 'KE' });
    const [resolved] = await fillInIds([{ definition, record }], references);
    expect(resolved?.missing?.field).toBe('customer_external_id');
    expect(resolved?.record).toEqual(record);
  });

  it('of a whole group are looked up together', async () => {
    const references = fakeReferences();
    let lookUps = 0;
    const counting = {
      ...references,
      findByHandles: (...given: Parameters<typeof references.findByHandles>) => {
        lookUps += 1;
        return references.findByHandles(...given);
      },
    };
    const rows = Array.from({ length: 50 }, (_, at) => ({
      definition,
      record: { customer_external_id: `C-${at}`, destination_label: 'Main' },
    }));
    await fillInIds(rows, counting);
    expect(lookUps).toBe(definition.references.length);
  });
});

const body = (value: object): Buffer => Buffer.from(JSON.stringify(value));
const ownBody = body({ email: 'a@people.example', address: { city: 'Nairobi', country: 'KE' } });

function owner(state: KeyOwner['state'], given: Partial<KeyOwner> = {}): KeyOwner {
  return {
    batch: 'abcdef01-2345-8678-9abc-def012345678',
    row: 7,
    state,
    objectId: state === 'created' ? 'object-7' : null,
    fingerprint: Buffer.from('same'),
    body: ownBody,
    ...given,
  };
}

const judge = (given: KeyOwner): ReturnType<typeof judgeOwnedKey> =>
  judgeOwnedKey(given, Buffer.from('same'), ownBody);

describe('a row whose object another row owns', () => {
  it('is that object when it was created with the same content', () => {
    expect(judge(owner('created'))).toEqual({
      to: 'existing',
      objectId: 'object-7',
      reason: { code: 'existing', field: null, message: 'Created earlier by row 7 of batch abcdef01.' },
    });
  });

  it('is held when it was created with other content, and the fields are named, not their values', () => {
    const other = body({
      email: 'b@people.example',
      address: { city: 'Mombasa', country: 'KE' },
      phone: '+254',
    });
    const fate = judge(owner('created', { fingerprint: Buffer.from('other'), body: other }));
    expect(fate).toMatchObject({ to: 'held', reason: { code: 'differs_from_created', field: 'email' } });
    expect(fate.reason.message).toContain('email, city, phone');
    expect(fate.reason.message).not.toMatch(/people\.example|Mombasa|254/);
  });

  it('differs from it in values that a page can show beside each other', () => {
    expect(
      differingValues(
        body({ email: 'b@people.example', address: { city: 'Mombasa' }, phone: '+254', tags: [1] }),
        body({
          email: 'a@people.example',
          address: { city: 'Mombasa', country: 'KE' },
          phone: null,
          tags: [1],
        }),
      ),
    ).toEqual([
      { field: 'email', created: 'b@people.example', here: 'a@people.example' },
      { field: 'phone', created: '+254', here: null },
      { field: 'country', created: null, here: 'KE' },
    ]);
  });

  it('is that object, with a note, when only the spelling of a name differs', () => {
    const spelled = (first: string, more: Record<string, string> = {}): Buffer =>
      body({ first_name: first, last_name: 'Odhiambo', ...more });
    const judgeNames = (before: Buffer, after: Buffer): ReturnType<typeof judgeOwnedKey> =>
      judgeOwnedKey(
        owner('created', { fingerprint: Buffer.from('other'), body: before }),
        Buffer.from('same'),
        after,
        ['first_name', 'middle_name', 'last_name'],
      );
    for (const other of ['AMINA', 'Ámina', 'Dr. Amina', 'Amina Grace', 'Amina  ']) {
      expect(judgeNames(spelled('Amina'), spelled(other))).toMatchObject({
        to: 'existing',
        objectId: 'object-7',
        reason: { code: 'existing', message: expect.stringContaining('spells the name differently') },
        note: 'the name is spelled differently in row 7 of batch abcdef01',
      });
    }
    for (const after of [spelled('Brian'), spelled('AMINA', { phone: '+255' })])
      expect(judgeNames(spelled('Amina'), after)).toMatchObject({ to: 'held' });
  });

  it.each(['unknown', 'held'] as const)('is held while that one is %s', (state) => {
    expect(judge(owner(state))).toMatchObject({ to: 'held', reason: { code: 'unknown_elsewhere' } });
  });

  it.each(['ready', 'sending'] as const)('waits while that one is %s', (state) => {
    const fate = judge(owner(state));
    expect(fate).toMatchObject({ to: 'waiting', reason: { code: 'sent_elsewhere' } });
    expect(fate.reason.message).toContain('row 7 of batch abcdef01');
  });
});
