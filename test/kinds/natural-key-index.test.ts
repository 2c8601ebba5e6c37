import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NaturalKeyIndex } from '../../src/kinds/natural-key-index.ts';
import { seededRandom } from '../support/crash.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('binary');
const markOf = (text: string) => ({ first: text.length, second: text.charCodeAt(text.length - 1) });

describe('the index of natural keys', () => {
  it('agrees with a plain map over many rows, beyond several growths', () => {
    const random = seededRandom(7);
    const index = new NaturalKeyIndex();
    const plain = new Map<string, { row: number; content: string }>();
    const wrong: unknown[] = [];
    for (let row = 2; row < 40_000; row += 1) {
      const key = `key ${Math.floor(random() * 25_000)}`;
      const content = `content ${Math.floor(random() * 2)}`;
      const found = index.add(hashOf(key), markOf(content), row);
      const earlier = plain.get(key);
      const expected =
        earlier === undefined
          ? undefined
          : { row: earlier.row, hasSameContent: earlier.content === content, hasSameAmount: true };
      if (earlier === undefined) plain.set(key, { row, content });
      if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push({ row, found, expected });
    }
    expect(wrong).toEqual([]);
    expect(plain.size).toBeGreaterThan(15_000);
  });

  it('distinguishes keys that share one slot, and finds both again', () => {
    const index = new NaturalKeyIndex();
    const [one, other] = ['\0'.repeat(32), `${'\0'.repeat(11)}\x01${'\0'.repeat(20)}`];
    expect(index.add(one, markOf('a'), 2)).toBeUndefined();
    expect(index.add(other, markOf('a'), 3)).toBeUndefined();
    expect(index.add(one, markOf('a'), 4)).toEqual({ row: 2, hasSameContent: true, hasSameAmount: true });
    expect(index.add(other, markOf('b'), 5)).toEqual({ row: 3, hasSameContent: false, hasSameAmount: true });
  });

  it('takes rows far apart, and none out of order', () => {
    const index = new NaturalKeyIndex();
    expect(index.add(hashOf('a'), markOf('a'), 3)).toBeUndefined();
    expect(index.add(hashOf('a'), markOf('a'), 1_048_576)).toEqual({
      row: 3,
      hasSameContent: true,
      hasSameAmount: true,
    });
    expect(() => index.add(hashOf('b'), markOf('b'), 1_048_576)).toThrow('row 1048576 comes after');
  });

  it('has forgotten everything when it is cleared', () => {
    const index = new NaturalKeyIndex();
    for (let row = 2; row < 10_000; row += 1) index.add(hashOf(String(row)), markOf('a'), row);
    index.clear();
    expect(index.add(hashOf('2'), markOf('a'), 2)).toBeUndefined();
    expect(index.add(hashOf('2'), markOf('a'), 3)).toEqual({
      row: 2,
      hasSameContent: true,
      hasSameAmount: true,
    });
  });
});
