import type { MappingFile } from '../read/mapping/mapping-file.ts';
import { type Decisions, decidedText } from './decisions.ts';
import { isMarkOf } from './marks.ts';

/**
 * The parts of an agreed mapping that a dialogue about one file cannot produce again: parts written by hand, and
 * decisions on values and cells that this file does not have.
 */

/** The mapping of the dialogue, with all of the earlier one that no answer has changed. */
export function withKeptParts(
  mapping: MappingFile,
  earlier: MappingFile | undefined,
  decisions: Decisions,
): MappingFile {
  if (earlier === undefined) return mapping;
  const { $schema, numericIdentifiers, lineBreaks, expectRows, expectTotal, controlLine, currencySigns } =
    earlier;
  const isKeepingNonRows = decidedText(decisions.get('reading:non_rows')) === 'keep';
  const now = fieldsOf(mapping);
  const isSame = (title: string): boolean =>
    now.has(title) && now.get(title) === fieldsOf(earlier).get(title);
  const parts = {
    values: keptValues(mapping, earlier),
    empty: keptWords(mapping, earlier, isSame),
    kept: wordsByColumn(mapping.kept, without(earlier.kept, mapping.empty), isSame),
    repair: keptRepairs(mapping, earlier, isSame, decisions),
    ignore: keptIgnored(mapping, earlier, now),
  };
  const totals = [...new Set([...(earlier.acceptTotals ?? []), ...(mapping.acceptTotals ?? [])])];
  const said = Object.entries(parts).filter(([, part]) => part !== undefined && Object.keys(part).length > 0);
  return {
    ...given({
      $schema,
      numericIdentifiers,
      lineBreaks,
      expectRows,
      expectTotal,
      controlLine,
      currencySigns,
    }),
    ...(earlier.leaveOut === true && !isKeepingNonRows ? { leaveOut: true } : {}),
    ...mapping,
    ...Object.fromEntries(said),
    ...(totals.length === 0 ? {} : { acceptTotals: totals }),
    ...(earlier.places === undefined ? {} : { places: earlier.places }),
  };
}

function given(parts: Partial<MappingFile>): Partial<MappingFile> {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
}

/** The fields of each column of the file. */
function fieldsOf({ columns = {}, join = {}, split = {} }: MappingFile): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(columns),
    ...Object.entries(join).flatMap(([field, titles]) => titles.map((title) => [title, field] as const)),
    ...Object.entries(split).map(([title, { into }]) => [title, into.join(' ')] as const),
  ]);
}

/** Meanings of values that the next file of the series may have again. */
function keptValues(mapping: MappingFile, earlier: MappingFile): MappingFile['values'] {
  const mapped = new Set([...fieldsOf(mapping).values()].flatMap((field) => field.split(' ')));
  const before = Object.entries(earlier.values ?? {}).filter(([field]) => mapped.has(field));
  const fields = new Set([...before.map(([field]) => field), ...Object.keys(mapping.values ?? {})]);
  return Object.fromEntries(
    [...fields].map((field) => [field, { ...earlier.values?.[field], ...mapping.values?.[field] }]),
  );
}

function keptWords(
  { empty, kept }: MappingFile,
  { empty: before }: MappingFile,
  isSame: (title: string) => boolean,
): MappingFile['empty'] {
  if (before === undefined) return empty;
  if (Array.isArray(before) || Array.isArray(empty)) {
    const all = [before, empty ?? []].flatMap((words) =>
      Array.isArray(words) ? words : Object.values(words).flat(),
    );
    return [...new Set(all)];
  }
  return wordsByColumn(empty, without(before, kept), isSame);
}

type WordsByColumn = Readonly<Record<string, readonly string[]>>;

/** The words of each column that are not among those of which something else was said now. */
function without(words: WordsByColumn | undefined, now: MappingFile['empty']): WordsByColumn {
  if (Array.isArray(now)) return words ?? {};
  return Object.fromEntries(
    Object.entries(words ?? {}).flatMap(([title, all]) => {
      const left = all.filter((word) => !isMarkOf(now?.[title] ?? [], word));
      return left.length === 0 ? [] : [[title, left] as const];
    }),
  );
}

function wordsByColumn(
  now: WordsByColumn = {},
  before: WordsByColumn,
  isSame: (title: string) => boolean,
): Record<string, string[]> {
  const titles = new Set([...Object.keys(before).filter(isSame), ...Object.keys(now)]);
  return Object.fromEntries(
    [...titles].map((title) => [
      title,
      [...new Set([...(isSame(title) ? (before[title] ?? []) : []), ...(now[title] ?? [])])],
    ]),
  );
}

function keptRepairs(
  { repair = {} }: MappingFile,
  { repair: before = {} }: MappingFile,
  isSame: (title: string) => boolean,
  decisions: Decisions,
): MappingFile['repair'] {
  const kept = Object.entries(before).flatMap(([title, names]) => {
    const agreed = names.filter((name) => decisions.get(`repair:${title}:${name}`) !== 'no');
    return isSame(title) && agreed.length > 0 ? [[title, agreed] as const] : [];
  });
  const byTitle = new Map(kept);
  const titles = new Set([...byTitle.keys(), ...Object.keys(repair)]);
  return Object.fromEntries(
    [...titles].map((title) => [
      title,
      [...new Set([...(byTitle.get(title) ?? []), ...(repair[title] ?? [])])],
    ]),
  );
}

/** Columns that this file lacks may return in the next one. */
function keptIgnored(
  { ignore = [] }: MappingFile,
  { ignore: before = [] }: MappingFile,
  now: ReadonlyMap<string, string>,
): MappingFile['ignore'] {
  return [...new Set([...before.filter((title) => !now.has(title)), ...ignore])];
}
