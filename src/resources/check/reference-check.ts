import type { Finding } from '../../domain/rows/finding.ts';
import type { CheckedRow, ColumnTitle, Lookups } from '../definition.ts';
import { checkInstitution, type InstitutionFinding } from './institution-check.ts';
import { fillInReferences } from './referred-objects.ts';

function joined<Item>(left: readonly Item[], right: readonly Item[]): readonly Item[] {
  if (left.length === 0) return right;
  return right.length === 0 ? left : [...left, ...right];
}

/**
 * Customers, accounts and institutions that a row names: see `RowChecker.checkReferences`.
 * @param isFormStated whether a rules file says what account numbers look like
 */
export function checkReferences(
  row: CheckedRow,
  lookups: Lookups,
  title: ColumnTitle,
  isFormStated = false,
): CheckedRow {
  const { definition } = row;
  if (definition === null || (definition.references.length === 0 && definition.institution === null))
    return row;
  const resolved = fillInReferences(row, lookups, title);
  const institution = checkInstitution({ row, resolved, lookups, title, isFormStated });
  const found: readonly InstitutionFinding[] = joined(resolved.findings, institution.findings);
  const notes = joined(row.notes, joined(resolved.notes, institution.notes));
  if (found.length === 0 && notes.length === row.notes.length) return row;
  const findings = found.map(
    ({ severity = 'invalid', field, code, message, nearest }): Finding => ({
      severity,
      field,
      column: title(field),
      code,
      message,
      ...(nearest === undefined ? {} : { nearest }),
    }),
  );
  return { ...row, definition, findings: joined(row.findings, findings), notes };
}
