import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  isSignedBy,
  keyIdOf,
  rowRanges,
  signText,
} from '../../../src/domain/controls/statement.ts';

describe('rowRanges', () => {
  it.each([
    [[], '{}'],
    [[2], '{[2,3)}'],
    [[2, 3, 4], '{[2,5)}'],
    [[2, 4, 5, 9], '{[2,3),[4,6),[9,10)}'],
  ])('writes %j as PostgreSQL writes a multirange: %s', (rows, text) => {
    const ranges = rowRanges();
    for (const row of rows) ranges.add(row);
    expect(ranges.text()).toBe(text);
    // Asked twice, it says the same.
    expect(ranges.text()).toBe(text);
  });
});

describe('canonicalJson', () => {
  it('does not depend on the order of names, at any depth, and keeps that of lists', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }, 'x'], a: undefined, A: null })).toBe(
      '{"A":null,"b":[{"c":2,"d":1},"x"]}',
    );
  });
});

describe('a signature', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = publicKey.export({ format: 'der', type: 'spki' });

  it('is of one text and one key', () => {
    const signature = signText('a', privateKey);
    expect(isSignedBy('a', signature, bytes)).toBe(true);
    expect(isSignedBy('b', signature, bytes)).toBe(false);
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' });
    expect(isSignedBy('a', signature, other)).toBe(false);
    expect(keyIdOf(other)).not.toBe(keyIdOf(bytes));
  });

  it('is never of a key of another kind, or of what is no key', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
    expect(isSignedBy('a', signText('a', privateKey), rsa.export({ format: 'der', type: 'spki' }))).toBe(
      false,
    );
    expect(isSignedBy('a', Buffer.alloc(64), Buffer.from('no key'))).toBe(false);
  });
});
