import { expect, it } from 'vitest';
import { isFinal, resultStatuses } from '../../../src/domain/rows/row-state.ts';

it('only what nobody can change any more is final', () => {
  expect(resultStatuses.filter(isFinal)).toEqual(['created', 'existing', 'invalid']);
});
