import { describe, expect, it } from 'vitest';
import { isEmptyWord } from '../../../src/kinds/fields/empty-words.ts';

describe('a word for an empty cell', () => {
  it.each([
    ['N/A', 'text'],
    ['(null)', 'text'],
    ['(Leer)', 'text'],
    ['(blank)', 'identifier'],
    ['- None -', 'text'],
    ['--None--', 'identifier'],
    ['-- Please select --', 'text'],
    ['Non spécifié', 'text'],
    ['Prefiere no decir', 'text'],
    ['none', 'phone'],
  ] as const)('%j of the type %s', (text, type) => {
    expect(isEmptyWord(text, type)).toBe(true);
  });

  it.each([
    // A family name, and words that may be values.
    ['none', 'text'],
    ['Select', 'text'],
    ['Tom', 'text'],
    ['Leer', 'text'],
    ['- Nairobi -', 'text'],
    ['-None', 'text'],
    ['(x)', 'text'],
    ['?', 'phone'],
    ['N/A', 'amount'],
    ['- None -', 'amount'],
    // Zeros may be a missing day, or one that was lost: only a person knows.
    ['0/0/00', 'birth_date'],
    ['0000-00-00', 'birth_date'],
  ] as const)('%j of the type %s is none', (text, type) => {
    expect(isEmptyWord(text, type)).toBe(false);
  });
});
