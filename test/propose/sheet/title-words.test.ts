import { describe, expect, it } from 'vitest';
import type { Kind } from '../../../src/domain/batches/batch.ts';
import { titleScores } from '../../../src/propose/sheet/title-words.ts';

/** The fields that a title most likely means. */
function best(kind: Kind, title: string): readonly string[] {
  const scores = [...titleScores(kind, title)];
  const most = Math.max(...scores.map(([, score]) => score));
  return most < 0.6 ? [] : scores.flatMap(([field, score]) => (score === most ? [field] : []));
}

describe('what a title is called in brackets', () => {
  it.each([
    ['customers', 'Izina (Surname)', ['last_name']],
    ['customers', 'Amazina [given name]', ['first_name']],
    ['recipients', 'Bank (name)', ['bank_name', 'institution_name']],
    ['recipients', 'Net pay (Rwf)', ['amount']],
    ['recipients', 'Konti (KES)', []],
  ] as const)('counts where the title itself is not known: %s, %s', (kind, title, fields) => {
    expect([...best(kind, title)].sort()).toEqual(fields);
  });
});
