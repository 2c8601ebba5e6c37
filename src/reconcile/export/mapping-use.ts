import type { Kind } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { createNameSearch } from '../../domain/text/similar-names.ts';
import { shorten } from '../../resources/check/wording.ts';
import { columnsOf, normaliseHeader } from '../../resources/registry.ts';
import { type ExportMapping, exportRoles } from './mapping.ts';

/** How alike two names have to be for one to be taken for a misspelling of the other. */
const leastSimilarity = 0.5;

/**
 * Refuses a mapping that means something which is not there: it would be passed over without a word, and
 * what it is about would not be compared.
 * @param tables the tables of one side, by what people call them
 * @param kind what the batch holds; null where two files are compared without a ledger, and any field may be
 *   named
 * @throws PaybatchError (`usage`) for a meaning that no field has; (`file_refused`) for a column that the files do not have
 */
export function requireUsedMapping(
  mapping: ExportMapping,
  tables: readonly { readonly name: string; readonly header: readonly string[] }[],
  kind: Kind | null,
): void {
  if (kind !== null) requireKnownFields(mapping, kind);
  for (const [title, meaning] of Object.entries(mapping.columns ?? {})) {
    if (tables.some(({ header }) => hasColumn(header, title))) continue;
    throw missingColumn(
      `The mapping reads ${shorten(title)} as ${meaning}, but no export has`,
      title,
      tables,
    );
  }
  requireColumns(Object.keys(mapping.include ?? {}), 'include', 'which %s counts', tables);
  requireColumns(Object.keys(mapping.sign ?? {}), 'sign', 'by %s which way the money went', tables);
}

/** What decides about every record has to be in every export. */
function requireColumns(
  titles: readonly string[],
  section: string,
  says: string,
  tables: readonly { readonly name: string; readonly header: readonly string[] }[],
): void {
  for (const title of titles) {
    const lacking = tables.find(({ header }) => !hasColumn(header, title));
    if (lacking === undefined) continue;
    const meaning = says.replace('%s', shorten(title));
    const told = `The mapping's "${section}" says ${meaning}, but ${lacking.name} does not have`;
    throw missingColumn(told, title, [lacking]);
  }
}

function hasColumn(header: readonly string[], title: string): boolean {
  return header.some((other) => normaliseHeader(other) === normaliseHeader(title));
}

function missingColumn(
  told: string,
  title: string,
  tables: readonly { readonly header: readonly string[] }[],
): PaybatchError {
  const titles = [...new Set(tables.flatMap(({ header }) => header))].filter((other) => other !== '');
  const [nearest] = createNameSearch(titles)(title, 1, leastSimilarity);
  const hint = nearest === undefined ? '' : ` The nearest is ${shorten(nearest)}.`;
  return new PaybatchError(
    'export_column_missing',
    `${told} such a column.${hint}`,
    'correct the name in the mapping, or take it out',
  );
}

/** What a column is, and what a natural key or a group is made of, has to be something that a row can have. */
function requireKnownFields(mapping: ExportMapping, kind: Kind): void {
  const known = new Set<string>([...exportRoles, ...columnsOf(kind)]);
  const named: readonly (readonly [string, readonly string[]])[] = [
    ['columns', Object.values(mapping.columns ?? {})],
    ['values', Object.keys(mapping.values ?? {})],
    ['naturalKey', mapping.naturalKey ?? []],
    ['ourGroup', mapping.ourGroup === undefined ? [] : [mapping.ourGroup]],
  ];
  for (const [section, names] of named) {
    const unknown = names.find((name) => !known.has(name));
    if (unknown === undefined) continue;
    const [nearest] = createNameSearch([...known])(unknown, 1, leastSimilarity);
    throw new PaybatchError(
      'mapping_invalid',
      `The mapping names ${shorten(unknown)} under "${section}", which ${kind} do not have.` +
        (nearest === undefined ? '' : ` The nearest is ${nearest}.`),
      `one of ${exportRoles.join(', ')}, or a column of the ${kind} (docs/reconciling.md)`,
    );
  }
}
