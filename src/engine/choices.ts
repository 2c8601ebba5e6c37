/* What can be imported, for lists of choices: help waits for this file, so it imports nothing but the registry. */

import type { Kind } from '../domain/batches/batch.ts';
import { columnsOf, definitionsOf, kinds, ruleOf } from '../resources/registry.ts';

export { kinds } from '../resources/registry.ts';

/** The payee types of a kind; none where its rows have no such type. */
export function payeeTypesOf(kind: Kind): readonly string[] {
  return definitionsOf(kind).flatMap(({ payeeType }) => (payeeType === null ? [] : [payeeType]));
}

/** The payee types of all kinds. */
export const payeeTypes: readonly string[] = kinds.flatMap(payeeTypesOf);

/** A field that a column of a file may be read as. */
export interface FieldChoice {
  readonly field: string;
  /** What it holds, in a few words. */
  readonly description: string;
}

/** The fields of a kind, in the order of its columns. */
export function fieldChoices(kind: Kind): readonly FieldChoice[] {
  return columnsOf(kind).map((field) => ({ field, description: ruleOf(kind, field)?.description ?? '' }));
}
