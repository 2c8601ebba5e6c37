import type { Finding } from '../../domain/finding.ts';
import type { CheckedRow, ColumnTitle, Lookups } from '../definition.ts';
import { checkInstitution, type InstitutionFinding } from './institution-check.ts';
import { resolveReferences } from './resolve-references.ts';

/** Customers, accounts and institutions that a row names: see `RowChecker.checkReferences`. */
export function checkReferences(row: CheckedRow, lookups: Lookups, title: ColumnTitle): CheckedRow {
  const { definition } = row;
  if (definition === null || (definition.references.length === 0 && definition.institution === null))
    return row;
  const resolved = resolveReferences(row, lookups, title);
  const institution = checkInstitution({ row, resolved, lookups, title });
  const found: readonly InstitutionFinding[] = [...resolved.findings, ...institution.findings];
  return {
    definition,
    record: { ...resolved.record, ...institution.fills },
    findings: [
      ...row.findings,
      ...found.map(
        ({ severity = 'invalid', field, code, message }): Finding => ({
          severity,
          field,
          column: title(field),
          code,
          message,
        }),
      ),
    ],
    notes: [...row.notes, ...resolved.notes, ...institution.notes],
  };
}
