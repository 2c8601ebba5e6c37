import { describe, expect, it } from 'vitest';
import { areLikeNames, nameWords } from '../../../src/domain/text/payee-names.ts';

const isSameKey = (one: string, other: string): boolean =>
  JSON.stringify(nameWords(one)) === JSON.stringify(nameWords(other));

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
    expect(nameWords('Mr. Ltd')).toHaveLength(2);
    expect(nameWords('X Y')).toEqual(['i', 'x']);
    expect(nameWords(' - ')).toEqual([]);
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
    expect(areLikeNames(one, other)).toBe(true);
    expect(areLikeNames(other, one)).toBe(true);
  });

  it.each([
    ['Grace Okello', 'Peter Okello'],
    ['Amina Otieno', 'Amina Otiendo Kamau'],
    // A word counts once: this is another person of that family.
    ['Oluwaseun Chi Bassey', 'Bassey Bassey'],
    ['Okello', 'Grace Okello'],
    ['Anna Berg', 'Anna Burg'],
  ])('not %s and %s', (one, other) => {
    expect(areLikeNames(one, other)).toBe(false);
    expect(areLikeNames(other, one)).toBe(false);
  });
});
