import { describe, expect, it } from 'vitest';
import {
  areLikeNames,
  canBeAlike,
  markBytes,
  marksIn,
  nameMarkBytes,
  nameMarks,
  payeeName,
} from '../../../src/domain/text/payee-names.ts';
import { createRandom } from '../../simulation/random.ts';

const canBe = (one: string, other: string): boolean =>
  canBeAlike(nameMarks(payeeName(one)), nameMarks(payeeName(other)));

const names = [
  ...[
    'Grace Achieng Okello',
    'Okello Grace',
    'Philip Quaye',
    'Filip Kuaye',
    'Yusuf Njoroge',
    'Jusuf Njoroge',
  ],
  ...['Christopher Ndlovu', 'Hnos. Jiménez Güell, S.A.', 'Joel Oumarou', 'Juel Umaru', 'Eekhout Yvonne'],
  ...[
    'Maria da Conceição dos Santos Silva Pereira',
    'Kessler Bau GmbH',
    'X Y',
    'Okello',
    '',
    'Ouédraogo Aïcha',
  ],
];

describe('the marks of names', () => {
  it('fit wherever names are alike', () => {
    const random = createRandom(5);
    let alike = 0;
    const unfit: string[] = [];
    for (let round = 0; round < 40_000; round += 1) {
      const one = mistyped(random.pick(names));
      const other = random.fraction() < 0.5 ? mistyped(one) : mistyped(random.pick(names));
      if (!areLikeNames(payeeName(one), payeeName(other))) continue;
      alike += 1;
      if (!canBe(one, other) || !canBe(other, one)) unfit.push(`${one} / ${other}`);
    }
    expect(unfit).toEqual([]);
    expect(alike).toBeGreaterThan(5_000);

    function mistyped(name: string): string {
      const at = random.whole(0, Math.max(0, name.length - 1));
      const [before, letter, after] = [name.slice(0, at), name[at] ?? '', name.slice(at + 1)];
      const words = name.split(' ');
      return random.pick([
        name,
        `${before}${after}`,
        `${before}${letter}${random.pick([...'aeioujyqkphfs'])}${after}`,
        `${before}${random.pick([...'aeioujyqkphfs'])}${after}`,
        `${before}${after.slice(0, 1)}${letter}${after.slice(1)}`,
        words.reverse().join(' '),
        words.slice(1).join(' '),
        name.toUpperCase(),
      ]);
    }
  });

  it.each([
    ['Grace Okello', 'Peter Okello'],
    ['Grace Okello', 'Amina Otieno'],
    ['Grace Okello', 'Okello'],
    ['Grace Achieng Okello', 'Grace Wanjiku Okello'],
  ])('do not fit for %s and %s', (one, other) => {
    expect([canBe(one, other), canBe(other, one)]).toEqual([false, false]);
  });

  it('are kept in bytes, and say nothing of a name of very many words', () => {
    for (const name of names) {
      const marks = nameMarks(payeeName(name));
      expect(markBytes(marks)).toHaveLength(nameMarkBytes);
      const isKept = marks !== null && marks.length > 0;
      expect(marksIn(`..${markBytes(marks)}..`, 2)).toEqual(isKept ? marks : null);
    }
    const many = 'Maria da Conceição dos Santos Silva Pereira';
    expect(nameMarks(payeeName(many))).toBeNull();
    expect(canBe(many, 'Grace Okello')).toBe(true);
  });
});
