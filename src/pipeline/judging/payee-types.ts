import type { RowChecker } from '../../resources/definition.ts';
import type { DirectoryPort, ReferencePort, SourceRow } from '../ports.ts';
import { lookUpForGroup } from './look-up-group.ts';

/** Gives each row the payee type that follows from its institution, where the mapping says that it does. */
export async function withPayeeTypes(
  rows: readonly SourceRow[],
  {
    checker,
    references,
    directory,
  }: { readonly checker: RowChecker; readonly references: ReferencePort; readonly directory: DirectoryPort },
): Promise<readonly SourceRow[]> {
  const { payeeTypeOf } = checker;
  if (payeeTypeOf === undefined) return rows;
  const checked = rows.map((row) => checker.checkFields(row));
  const lookups = await lookUpForGroup(checker, checked, references, directory);
  return rows.map((row, index) => {
    const check = checked[index];
    const payeeType = check === undefined ? undefined : payeeTypeOf(check, lookups);
    return payeeType === undefined ? row : { ...row, payeeType };
  });
}
