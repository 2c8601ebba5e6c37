import { describe, expect, it } from 'vitest';
import { areLikeNames, nameWords, payeeName } from '../../../src/domain/text/payee-names.ts';

const wordsOf = (name: string): readonly string[] => nameWords(payeeName(name));

const isSameKey = (one: string, other: string): boolean =>
  JSON.stringify(wordsOf(one)) === JSON.stringify(wordsOf(other));

const areLike = (one: string, other: string): boolean => areLikeNames(payeeName(one), payeeName(other));

describe('the words of a name', () => {
  it.each([
    ['Jürgen Müller', 'MUELLER, Juergen'],
    ['Dr. Amina Otieno', 'otieno amina'],
    ['Ángel Núñez Sáenz', 'Angel Nunez  Saenz.'],
    ['Kessler Bau GmbH', 'kessler bau'],
    ['Mohammed Abdi', 'Mohamed Abdi'],
    ['Halimat B. Bassey', 'Bassey Halimat'],
    ["Ngozi O'Connor", 'Ngozi OConnor'],
    ['Søren Ægir', 'Soeren Aegir'],
  ])('are those of %s for %s', (one, other) => {
    expect(isSameKey(one, other)).toBe(true);
  });

  it.each([
    ['Grace Okello', 'Grace Okeke'],
    ['Joan Wanjiru', 'John Kamau'],
    ['Amina Otieno', 'Otieno'],
  ])('of %s are not those of %s', (one, other) => {
    expect(isSameKey(one, other)).toBe(false);
  });

  it('are what is there where nothing else is', () => {
    expect(wordsOf('Mr. Ltd')).toHaveLength(2);
    expect(wordsOf('X Y')).toEqual(['i', 'x']);
    expect(wordsOf(' - ')).toEqual([]);
  });
});

describe('names that may be one person’s', () => {
  it.each([
    ['Grace Achieng Okello', 'Okello Grace'],
    ['Margaret Wambui', 'Magraret Wambui'],
    ['Christopher Ndlovu', 'Christoper Ndlovu'],
    // The letters are exchanged, and the word sounds otherwise.
    ['Hnos. Jiménez Güell, S.A.', 'Hnos. Jimnéez Güell, S.A.'],
    ['Hnos. Güell Núñez', 'Hnos. Güell Núñze'],
  ])('%s and %s', (one, other) => {
    expect(areLike(one, other)).toBe(true);
    expect(areLike(other, one)).toBe(true);
  });

  it.each([
    ['Grace Okello', 'Peter Okello'],
    ['Amina Otieno', 'Amina Otiendo Kamau'],
    // A word counts once: this is another person of that family.
    ['Oluwaseun Chi Bassey', 'Bassey Bassey'],
    ['Okello', 'Grace Okello'],
    ['Anna Berg', 'Anna Burg'],
  ])('not %s and %s', (one, other) => {
    expect(areLike(one, other)).toBe(false);
    expect(areLike(other, one)).toBe(false);
  });
});
