/* What can be imported, for lists of choices. The command line help loads this file, so it imports only the registry. */

import type { Kind } from '../domain/batches/batch.ts';
import { definitionsOf, kinds } from '../kinds/registry.ts';

export { kinds } from '../kinds/registry.ts';

/** The payee types of a kind; empty where its rows have no payee type. */
export function payeeTypesOf(kind: Kind): readonly string[] {
  return definitionsOf(kind).flatMap(({ payeeType }) => (payeeType === null ? [] : [payeeType]));
}

/** The payee types of all kinds. */
export const payeeTypes: readonly string[] = kinds.flatMap(payeeTypesOf);
