import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { unprotectCell } from '../../domain/tables/table.ts';
import type { InputOptions } from '../../input/table/opened-table.ts';
import type { CallContext } from '../running/context.ts';
import { headerKeyOf, type KnownMapping } from './remembered-mappings.ts';

/**
 * Chooses the encoding of a file that nothing tells: that of the remembered mapping for its header, else what a person
 * says who sees the file's values in each of the likely ones.
 */
export function choosingEncoding(
  file: string,
  ask: CallContext['ask'],
  known: readonly KnownMapping[] = [],
): NonNullable<InputOptions['chooseEncoding']> {
  return async (candidates, headerIn) => {
    for (const { mapping, header } of known) {
      const { encoding } = mapping;
      if (encoding === undefined) continue;
      if (headerKeyOf((await headerIn(encoding)).map(unprotectCell)) === headerKeyOf(header)) return encoding;
    }
    const answer = await ask({ kind: 'encoding', file, candidates });
    if (answer === 'stop') {
      throw new PaybatchError('interrupted', 'Stopped: nothing was sent.', 'run it again');
    }
    if (typeof answer === 'object') return answer.text;
    return answer === 'yes' ? (candidates[0]?.encoding ?? null) : null;
  };
}
