import { describe, expect, it } from 'vitest';
import type { KeyOwner } from '../../src/domain/rows/ledger-row.ts';
import { differingValues, judgeOwnedKey } from '../../src/kinds/owned-key.ts';

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

  it('is that object when only zeros at the end of its amount differ', () => {
    const created = (amount: string): KeyOwner =>
      owner('created', { fingerprint: Buffer.from('other'), body: body({ amount, currency: 'ZMW' }) });
    const judgeAmount = (before: string, after: string): string =>
      judgeOwnedKey(created(before), Buffer.from('same'), body({ amount: after, currency: 'ZMW' })).to;
    expect(judgeAmount('5555.00', '5555')).toBe('existing');
    expect(judgeAmount('5555', '5555.50')).toBe('held');
  });

  it('is held when it was created with other content, and the fields are named, not their values', () => {
    const other = body({
      email: 'b@people.example',
      address: { city: 'Mombasa', country: 'KE' },
      phone: '+254',
    });
    const decision = judge(owner('created', { fingerprint: Buffer.from('other'), body: other }));
    expect(decision).toMatchObject({ to: 'held', reason: { code: 'differs_from_created', field: 'email' } });
    expect(decision.reason.message).toContain('email, city, phone');
    expect(decision.reason.message).not.toMatch(/people\.example|Mombasa|254/);
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
    const decision = judge(owner(state));
    expect(decision).toMatchObject({ to: 'waiting', reason: { code: 'sent_elsewhere' } });
    expect(decision.reason.message).toContain('row 7 of batch abcdef01');
  });
});
