import { describe, expect, it } from 'vitest';
import * as likeNames from '../../src/kinds/like-names.ts';

const { comparedName, isSameName } = likeNames;
const mayBeOnePayee = (one: string, other: string): boolean =>
  likeNames.mayBeOnePayee(comparedName(one), comparedName(other));
const areNamesakes = (one: string, other: string): boolean =>
  likeNames.areNamesakes(comparedName(one), comparedName(other));
const shareAWord = (one: string, other: string): boolean =>
  likeNames.shareAWord(comparedName(one), comparedName(other));

describe('two names may be written for one payee', () => {
  it.each([
    ['one letter', 'Tim Cook', 'Tom Cook'],
    ['one letter of a company', 'Cargille, Incorporated', 'Cargill, Inc.'],
    ['an initial', 'A. Otieno', 'Amina Otieno'],
    ['an initial beside a middle name', 'A. Otieno', 'Amina Wanjiku Otieno'],
    ['an initial that is a title elsewhere', 'M. Dupré', 'Maëlle Dupré'],
    ['a short form', 'Jon Kamau', 'John Kamau'],
    ['a short form that begins a name', 'Alex Mensah', 'Alexander Mensah'],
    ['a sound', 'Sara Nakato', 'Sarah Nakato'],
    ['joined words', 'AlisherUsmanov', 'Alisher Usmanov'],
    ['joined words and one letter', 'FridrichBuchenberg', 'Friedrich Buchenberg'],
    ['a legal form in full', 'Siemens Aktiengesellschaft', 'Siemens AG'],
    ['a particle', 'Osama bin Laden', 'Usama ibn Laden'],
    ['two misspelt words', 'Moammar Qaddafi', 'Muammar Gaddafi'],
    ['a short form and an initial in their order', 'Robert James Carter', 'Carter, Bob J.'],
  ])('with %s', (_, one, other) => {
    expect([mayBeOnePayee(one, other), mayBeOnePayee(other, one)]).toEqual([true, true]);
  });

  it.each([
    ['another first name', 'Peter Otieno', 'Amina Otieno'],
    ['another last name', 'Amina Kamau', 'Amina Otieno'],
    ['another initial', 'B. Otieno', 'Amina Otieno'],
    ['an initial of the longer name', 'Björn Abubakar', 'Folake B. Abubakar'],
    ['another number', 'Carter Landscaping #9', 'Carter Landscaping #6'],
    ['a short form and an initial in another order', 'Oluwaseun Chi Aigbe', 'Chinedu O. Aigbe'],
    ['a name of one word and an initial', 'Babatunde B.', 'Babatunde B. Adeyemi'],
    ['nothing', '', 'Amina Otieno'],
  ])('not with %s', (_, one, other) => {
    expect([mayBeOnePayee(one, other), mayBeOnePayee(other, one)]).toEqual([false, false]);
  });
});

it('distinguishes namesakes by initials and numbers', () => {
  expect(areNamesakes('Lawal Chinedu O.', 'Chinedu B. Lawal')).toBe(true);
  expect(areNamesakes('Carter Landscaping #9', 'Carter Landscaping')).toBe(true);
  expect(areNamesakes('Lawal Chinedu', 'Chinedu B. Lawal')).toBe(false);
});

it('knows a name in another spelling, and a name that a family shares', () => {
  expect(isSameName('Dr. MUELLER Juergen', 'Jürgen Müller')).toBe(true);
  expect(isSameName('Peter Kamau', 'Jürgen Müller')).toBe(false);
  expect(shareAWord('Mary Otieno', 'John OTIENO')).toBe(true);
  expect(shareAWord('Mary Kamau', 'John Otieno')).toBe(false);
});
