import { valueNoteText } from '../../../src/domain/rows/finding.ts';
import type { ValueResult } from '../../../src/kinds/fields/value-text.ts';

/** A result as one line for tables of cases: the value, `code!`, or `value (note)`. */
export function summarise(result: ValueResult): string {
  if (typeof result === 'string') return result;
  return 'code' in result
    ? `${result.code}!`
    : `${result.value} (${result.notes.map(valueNoteText).join(', ')})`;
}
