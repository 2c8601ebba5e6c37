import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import { unprotectCell } from '../domain/formula-cell.ts';
import { type Kind, kinds } from '../domain/kind.ts';
import type { MappedColumn, TableMapping } from '../domain/mapping.ts';
import { createNameSearch } from '../domain/similar-names.ts';
import { columnsOf, fieldForHeader, normaliseHeader, requiredColumns } from '../resources/registry.ts';
import type { MappingFile } from './mapping-file.ts';
import type { SourceTable } from './ports.ts';

/** What decides how a table is read, beside the table itself. */
export interface MappingChoice {
  /** As the person stated it; null to find it by the sheet's name or the header. */
  readonly kind: Kind | null;
  readonly mapping: MappingFile;
  /** The file as messages name it. */
  readonly fileName: string;
}

type TableShape = Pick<SourceTable, 'sheet' | 'header'>;

/**
 * Finds out what each column of a table means.
 * @throws Failure (exit 3) for an unknown, duplicate or missing column, or a kind that cannot be told
 */
export function mapTable(table: TableShape, choice: MappingChoice): TableMapping {
  const kind = choice.kind ?? detectKind(table, choice.mapping);
  if (kind === undefined) throw unknownKind(table, choice);
  const place = placeOf(table, choice.fileName);
  const columns = [
    ...mapColumns(table.header, kind, choice.mapping, place),
    ...constants(kind, choice.mapping),
  ];
  refuseDuplicates(columns, place);
  refuseMissing(kind, columns, place);
  return { kind, columns };
}

/** A table's name in messages: its file, and its sheet where it has one. */
export function placeOf(table: Pick<SourceTable, 'sheet'>, fileName: string): string {
  return table.sheet === null ? fileName : `${fileName}, sheet "${table.sheet}"`;
}

/**
 * The kind of a table: its sheet's name, else the one kind that knows every column of the header and
 * misses no required one. Undefined when that is none, or more than one.
 */
export function detectKind(table: TableShape, mapping: MappingFile): Kind | undefined {
  const sheet = normaliseHeader(table.sheet ?? '');
  const bySheet = kinds.find((kind) => sheet === kind || sheet === kind.slice(0, -1));
  if (bySheet !== undefined) return bySheet;
  const complete = kinds.filter((kind) => isComplete(table.header, kind, mapping));
  if (complete.length === 1) return complete[0];
  return complete.length === 0 ? mostLikely(table.header, mapping) : undefined;
}

/** Whether a row of cells looks like the header of any kind: more than half of its cells are columns we know. */
export function looksLikeHeader(cells: readonly string[], kind: Kind | null, mapping: MappingFile): boolean {
  const named = cells.filter((cell) => cell.trim() !== '');
  if (named.length < 2) return false;
  const candidates = kind === null ? kinds : [kind];
  return candidates.some((candidate) => knownShare(named, candidate, mapping) > 0.5);
}

function isComplete(header: readonly string[], kind: Kind, mapping: MappingFile): boolean {
  const fields = header.map((title) => meaningOf(title, kind, mapping));
  const present = new Set([...fields, ...Object.keys(mapping.constants ?? {})]);
  return (
    fields.every((field) => field !== undefined) &&
    requiredColumns(kind).every((group) => group.some((field) => present.has(field)))
  );
}

/** The kind that knows clearly more of the header than any other, so that its complaint is the helpful one. */
function mostLikely(header: readonly string[], mapping: MappingFile): Kind | undefined {
  const named = header.filter((title) => title !== '');
  const shares = kinds
    .map((kind) => ({ kind, share: knownShare(named, kind, mapping) }))
    .sort((left, right) => right.share - left.share);
  const [best, second] = shares;
  return best !== undefined && best.share > 0.5 && best.share > (second?.share ?? 0) ? best.kind : undefined;
}

function knownShare(titles: readonly string[], kind: Kind, mapping: MappingFile): number {
  const known = titles.filter((title) => meaningOf(title, kind, mapping) !== undefined);
  return titles.length === 0 ? 0 : known.length / titles.length;
}

/** The field that a title means, null for a column that is left out, undefined for one that nobody knows. */
function meaningOf(writtenTitle: string, kind: Kind, mapping: MappingFile): string | null | undefined {
  const title = unprotectCell(writtenTitle);
  if (title === '' || title.toLowerCase().startsWith('result_')) return null;
  const normalised = normaliseHeader(title);
  const mapped = Object.entries(mapping.columns ?? {}).find(
    ([column]) => normaliseHeader(column) === normalised,
  );
  if (mapped !== undefined) return mapped[1];
  if (mapping.ignore?.some((column) => normaliseHeader(column) === normalised)) return null;
  return fieldForHeader(kind, title);
}

function mapColumns(
  header: readonly string[],
  kind: Kind,
  mapping: MappingFile,
  place: string,
): MappedColumn[] {
  const known = columnsOf(kind);
  return header.flatMap((title, index): MappedColumn[] => {
    const meaning = meaningOf(title, kind, mapping);
    if (meaning === null) return [];
    const field = meaning === undefined ? undefined : fieldForHeader(kind, meaning);
    if (field === undefined || !known.includes(field)) throw unknownColumn(title, kind, place);
    return [{ field, title: unprotectCell(title), index, ...translations(field, mapping) }];
  });
}

function constants(kind: Kind, mapping: MappingFile): MappedColumn[] {
  return Object.entries(mapping.constants ?? {}).map(([name, constant]) => {
    const field = fieldForHeader(kind, name);
    if (field === undefined) throw unknownColumn(name, kind, 'The mapping');
    return { field, title: field, index: null, constant };
  });
}

function translations(field: string, mapping: MappingFile): { values?: ReadonlyMap<string, string> } {
  const values = Object.entries(mapping.values ?? {}).find(
    ([name]) => normaliseHeader(name) === normaliseHeader(field),
  );
  return values === undefined ? {} : { values: new Map(Object.entries(values[1])) };
}

function refuseDuplicates(columns: readonly MappedColumn[], place: string): void {
  const seen = new Map<string, string>();
  for (const { field, title } of columns) {
    const earlier = seen.get(field);
    if (earlier !== undefined) {
      throw refused(
        'duplicate_column',
        `${place}: the columns "${earlier}" and "${title}" both mean ${field}.`,
        'remove one of them, or list it under "ignore" in a --mapping',
      );
    }
    seen.set(field, title);
  }
}

function refuseMissing(kind: Kind, columns: readonly MappedColumn[], place: string): void {
  const present = new Set(columns.map(({ field }) => field));
  const missing = requiredColumns(kind).filter((group) => !group.some((field) => present.has(field)));
  if (missing.length === 0) return;
  const names = missing.map((group) => group.join(' or ')).join(', ');
  throw refused(
    'missing_column',
    `${place}: ${kind} need the column(s) ${names}, and the header has none.`,
    `paybatch template ${kind} shows the columns, --mapping renames them`,
  );
}

function unknownColumn(title: string, kind: Kind, place: string): Failure {
  const [nearest] = createNameSearch(columnsOf(kind))(title, 1);
  return refused(
    'unknown_column',
    `${place}: ${kind} have no column "${title}".${nearest === undefined ? '' : ` Did you mean "${nearest}"?`}`,
    'rename it, or list it under "columns" or "ignore" in a --mapping',
  );
}

function unknownKind(table: TableShape, { fileName }: MappingChoice): Failure {
  return refused(
    'unknown_kind',
    `${placeOf(table, fileName)}: its header does not tell whether these are ${kinds.join(', ')}.`,
    'name the kind: --kind recipients (or customers, accounts, collections)',
  );
}

function refused(code: string, message: string, next: string): Failure {
  return new Failure(exitCodes.fileRefused, code, message, next);
}
