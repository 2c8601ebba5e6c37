/* What can be imported, for lists of choices: help waits for this file, so it imports nothing but the registry. */

import { definitionsOf, kinds } from '../resources/registry.ts';

export { kinds } from '../resources/registry.ts';

/** The payee types of all kinds. */
export const payeeTypes: readonly string[] = kinds.flatMap((kind) =>
  definitionsOf(kind).flatMap(({ payeeType }) => (payeeType === null ? [] : [payeeType])),
);
