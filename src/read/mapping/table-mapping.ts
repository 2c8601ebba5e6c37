/* Finds the kind of a table and the field of each of its columns. */

import type { Kind } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { type MappedColumn, openMappingText, type TableMapping } from '../../domain/tables/mapping.ts';
import { type SourceTable, unprotectCell } from '../../domain/tables/table.ts';
import { createNameSearch } from '../../domain/text/characters.ts';
import { shorten } from '../../kinds/fields/value-text.ts';
import {
  columnsOf,
  fieldForHeader,
  fieldsForSynonym,
  kindAdjustments,
  kindForName,
  kinds,
  requiredColumns,
} from '../../kinds/registry.ts';
import { type RuleChanges, rulesWith } from '../../kinds/rule-changes.ts';
import {
  constantColumns,
  isJoinedOrSplit,
  joinedColumns,
  joinsOf,
  leastSimilarity,
  phoneCountryOf,
  refuseUnderivable,
  splitColumns,
  splitsOf,
  translations,
  treatmentOf,
} from './columns-of-mapping.ts';
import { entryFor, hasTitle, type MappingFile } from './mapping-schema.ts';

/** The input, besides the table itself, that decides how the table is read. */
interface MappingChoice {
  /** The stated kind; null to find it by the sheet's name or the header. */
  readonly kind: Kind | null;
  readonly mapping: MappingFile;
  /** The file as messages name it. */
  readonly fileName: string;
  /** As a command accepts it; absent where there is no file to name. */
  readonly path?: string;
  /** Changes to the rules, since they say which columns are required. */
  readonly rules?: RuleChanges;
}

/** The header's titles without the apostrophe that guards a formula's sign. */
type TableShape = Pick<SourceTable, 'sheet' | 'header'>;

/** The most unknown columns in a message. The proposed mapping has all of them. */
const shownUnknownColumns = 6;

/**
 * Finds out what each column of a table means. A mapping applies to every file of a call, so fields that the table's
 * kind does not have may be for other files. `refuseUnusedMapping` checks that later.
 *
 * @throws PaybatchError (`file_refused`) for an unknown, duplicate or missing column, or a kind that cannot be
 * determined
 */
export function mapTable(table: TableShape, choice: MappingChoice): TableMapping {
  const kind = choice.kind ?? detectKind(table, choice.mapping, choice.rules);
  if (kind === undefined) throw unknownKind(table, choice);
  const place = placeOf(table, choice.fileName);
  refuseUnreadableTitles(table.header, place);
  const { mapping, path } = choice;
  const joined = joinedColumns(table.header, kind, mapping, place);
  const columns = [
    ...mapColumns(table.header, kind, mapping, { place, path }),
    ...splitColumns(table.header, kind, mapping),
    ...joined,
    ...constantColumns(kind, mapping),
  ];
  refuseDuplicates(columns, place);
  refuseMissing(kind, columns, choice, place);
  refuseUnderivable(columns, place);
  return { kind, columns, phoneCountry: phoneCountryOf(table.header, mapping) };
}

/** A table's name in messages: its file, and its sheet where it has one. */
export function placeOf(table: Pick<SourceTable, 'sheet'>, fileName: string): string {
  return table.sheet === null ? fileName : `${fileName}, sheet "${table.sheet}"`;
}

/**
 * The kind of a table, by its sheet's name, else the one kind that has every column of the header and lacks no
 * required one, else the one that clearly has more of the columns than any other. Undefined for none.
 */
export function detectKind(table: TableShape, mapping: MappingFile, rules?: RuleChanges): Kind | undefined {
  // A sheet may be named after its kind, in the singular or the plural.
  const bySheet = kindForName(table.sheet ?? '');
  if (bySheet !== undefined) return bySheet;
  const complete = kinds.filter((kind) => isComplete(table.header, kind, mapping, rules));
  if (complete.length === 1) return complete[0];
  return complete.length === 0 ? mostLikely(table.header, mapping) : undefined;
}

/**
 * Whether a row of cells, as the file has them, looks like the header of any kind: more than half of them are known
 * columns.
 */
export function looksLikeHeader(cells: readonly string[], kind: Kind | null, mapping: MappingFile): boolean {
  const named = cells.map(unprotectCell).filter((cell) => cell.trim() !== '');
  if (named.length < 2) return false;
  const candidates = kind === null ? kinds : [kind];
  return candidates.some((candidate) => knownShare(named, candidate, mapping) > 0.5);
}

function isComplete(
  header: readonly string[],
  kind: Kind,
  mapping: MappingFile,
  rules: RuleChanges | undefined,
): boolean {
  const fields = header.map((title) => fieldOfTitle(title, kind, mapping));
  const present = new Set([
    ...fields,
    ...joinsOf(kind, mapping).map(([field]) => field),
    ...splitsOf(kind, mapping).flatMap(([, { into }]) => into),
    ...constantColumns(kind, mapping).map(({ field }) => field),
  ]);
  return (
    fields.every((field) => field !== undefined) &&
    requiredWith(kind, rules).every((group) => group.some((field) => present.has(field)))
  );
}

function requiredWith(kind: Kind, rules: RuleChanges | undefined): readonly (readonly string[])[] {
  return requiredColumns(kind, (definition) => rulesWith(rules, definition));
}

/** The kind that has clearly more of the header's columns than any other, so that its error is the helpful one. */
function mostLikely(header: readonly string[], mapping: MappingFile): Kind | undefined {
  const named = header.filter((title) => title !== '');
  const shares = kinds
    .map((kind) => ({ kind, share: knownShare(named, kind, mapping) }))
    .sort((left, right) => right.share - left.share);
  const [best, second] = shares;
  return best !== undefined && best.share > 0.5 && best.share > (second?.share ?? 0) ? best.kind : undefined;
}

function knownShare(titles: readonly string[], kind: Kind, mapping: MappingFile): number {
  const known = titles.filter((title) => fieldOfTitle(title, kind, mapping) !== undefined);
  return titles.length === 0 ? 0 : known.length / titles.length;
}

/** The field that a title means; null for an ignored column, undefined for an unknown one. */
export function fieldOfTitle(title: string, kind: Kind, mapping: MappingFile): string | null | undefined {
  if (title === '' || title.toLowerCase().startsWith('result_')) return null;
  const mapped = entryFor(title, mapping.columns);
  const target = mapped === undefined ? undefined : fieldForHeader(kind, mapped);
  if (target !== undefined) return target;
  if (isJoinedOrSplit(title, kind, mapping) || hasTitle(mapping.ignore ?? [], title)) return null;
  return fieldForHeader(kind, title);
}

/**
 * Result files and databases do not keep control characters or unpaired surrogates, so such a column would be lost.
 */
function refuseUnreadableTitles(header: readonly string[], place: string): void {
  const index = header.findIndex((title) => /[^\P{Cc}\t\n\v\f\r\u0085]|\p{Cs}/u.test(title));
  if (index === -1) return;
  throw new PaybatchError(
    'invalid_characters',
    `${place}: the name of column ${index + 1} contains a character that does not belong into text.`,
    'type the name of that column again, and save the file',
  );
}

/** A table's name in messages, and its file as a command accepts it. */
interface Named {
  readonly place: string;
  readonly path: string | undefined;
}

function mapColumns(
  header: readonly string[],
  kind: Kind,
  mapping: MappingFile,
  named: Named,
): MappedColumn[] {
  const meanings = header.map((title, index) => ({
    title,
    index,
    field: fieldOfTitle(title, kind, mapping),
  }));
  const unknown = meanings.filter(({ field }) => field === undefined).map(({ title }) => title);
  if (unknown.length > 0) {
    const isAnyKnown = meanings.some(({ field }) => typeof field === 'string');
    throw isAnyKnown ? unknownColumns(unknown, kind, named) : missingHeader(kind, named);
  }
  return meanings.flatMap(({ title, index, field }): MappedColumn[] =>
    field === null || field === undefined
      ? []
      : [{ field, title, index, ...treatmentOf(title, mapping), values: translations(field, mapping) }],
  );
}

function refuseDuplicates(columns: readonly MappedColumn[], place: string): void {
  const seen = new Map<string, MappedColumn>();
  for (const column of columns) {
    const { field, title, index, joined } = column;
    const earlier = seen.get(field);
    seen.set(field, column);
    if (earlier === undefined) continue;
    // Neither a constant nor a column takes precedence; a person has to decide.
    const isConstant = index === null && joined === undefined;
    const problem = isConstant
      ? `the column ${shorten(earlier.title)} means ${field}, and the mapping has a constant for ${field} too`
      : `the columns ${shorten(earlier.title)} and ${shorten(title)} both mean ${field}`;
    const next = isConstant
      ? 'take the constant out of the mapping, or list the column under "ignore"'
      : 'remove one of them, or list it under "ignore" in a mapping';
    throw new PaybatchError('duplicate_column', `${place}: ${problem}.`, next);
  }
}

function refuseMissing(
  kind: Kind,
  columns: readonly MappedColumn[],
  { rules, mapping: { open = [] }, path }: MappingChoice,
  place: string,
): void {
  const present = new Set(columns.map(({ field }) => field));
  const missing = requiredWith(kind, rules).filter((group) => !group.some((field) => present.has(field)));
  if (missing.length === 0) return;
  const names = missing.map((group) => group.join(' or ')).join(', ');
  const word = missing.length === 1 ? 'column' : 'columns';
  // A person is asked about the open points of a proposal. The file is not at fault.
  if (open.length > 0) {
    throw new PaybatchError(
      'mapping_open',
      `${openMappingText(place, open)} It reads nothing as the ${word} ${names}, which ${kind} need.`,
      { action: 'mapping', file: path ?? null, effect: 'asks about each of them' },
    );
  }
  throw new PaybatchError(
    'missing_column',
    `${place}: ${kind} need the ${word} ${names}, which the header does not have.`,
    [
      { action: 'template', kind, effect: 'shows the columns' },
      {
        action: 'set',
        oneOf: [{ setting: 'mapping' }],
        effect: 'renames them, or gives every row a constant',
      },
    ],
  );
}

function unknownColumns(titles: readonly string[], kind: Kind, { place, path }: Named): PaybatchError {
  const shown = titles.slice(0, shownUnknownColumns).map((title) => {
    const [nearest] = nearestFields(title, kind);
    return nearest === undefined ? shorten(title) : `${shorten(title)} (did you mean ${nearest}?)`;
  });
  const more = titles.length - shown.length;
  return new PaybatchError(
    'unknown_column',
    `${place}: ${kind} have no column ${shown.join(', ')}${more === 0 ? '' : `, nor ${more} more of its columns`}.`,
    {
      action: 'mapping',
      file: path ?? null,
      effect: 'proposes a mapping, which renames columns ("columns") or leaves them out ("ignore")',
    },
  );
}

/** The fields that a title may mean: those with this common name, else those of a similar name, the nearest first. */
function nearestFields(title: string, kind: Kind): readonly string[] {
  const synonyms = fieldsForSynonym(kind, title);
  return synonyms.length > 0 ? synonyms : createNameSearch(columnsOf(kind))(title, 3, leastSimilarity);
}

/** The first row is then probably data, which must not appear in a message. */
function missingHeader(kind: Kind, { place, path }: Named): PaybatchError {
  return new PaybatchError(
    'unknown_column',
    `${place}: nothing in its first row is a column of ${kind}. Is there a header above the rows?`,
    [
      { action: 'template', kind, effect: 'shows the columns' },
      { action: 'mapping', file: path ?? null, effect: 'proposes how to read others' },
    ],
  );
}

/** The refusal of a table whose kind cannot be determined. */
function unknownKind(
  table: Pick<SourceTable, 'sheet'>,
  { fileName, path }: Pick<MappingChoice, 'fileName' | 'path'>,
): PaybatchError {
  return new PaybatchError(
    'unknown_kind',
    `${placeOf(table, fileName)}: its header does not tell whether these are ${kinds.join(' or ')}.`,
    [
      { action: 'set', purpose: 'name it', oneOf: kindAdjustments },
      { action: 'mapping', file: path ?? null, effect: 'proposes how to read other names' },
    ],
  );
}
