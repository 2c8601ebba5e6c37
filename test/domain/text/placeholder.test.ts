import { expect, it } from 'vitest';
import { isPlaceholder, isPlaceholderNumber } from '../../../src/domain/text/placeholder.ts';

it('knows what is written where there is no reference and no number', () => {
  for (const text of ['NONREF', 'non-ref', 'NOTPROVIDED', 'N/A', '-', '']) {
    expect([text, isPlaceholder(text), isPlaceholderNumber(text)]).toEqual([text, true, true]);
  }
  for (const text of ['0', '000000', '00-00']) {
    expect([text, isPlaceholder(text), isPlaceholderNumber(text)]).toEqual([text, false, true]);
  }
  for (const text of ['NONREF1', '1', '0x1', 'NANCY', '請求書', 'Ä']) {
    expect([text, isPlaceholder(text), isPlaceholderNumber(text)]).toEqual([text, false, false]);
  }
});
