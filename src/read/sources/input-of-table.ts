/* One table of a file as an input: its columns, the rows that are read, the hash of its reading, and what it is compared with. */

import type { HiddenChoice, Kind, OriginalBatch } from '../../domain/batches/batch.ts';
import { seriesName } from '../../domain/batches/last-time.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { countOf } from '../../domain/money/money.ts';
import type { ReadingProfile } from '../../domain/settings/definitions.ts';
import type { TableMapping } from '../../domain/tables/mapping.ts';
import type { FoundMark } from '../../domain/tables/row-marks.ts';
import { type SourceTable, tableLike } from '../../domain/tables/table.ts';
import { definitionsOf } from '../../kinds/registry.ts';
import { readingRulesOf } from '../mapping/mapping-file.ts';
import { mapTable, placeOf } from '../mapping/table-mapping.ts';
import { withTitlesNamed } from '../mapping/titles.ts';
import { withEvidence } from '../rows/evidence.ts';
import type { InputTable } from '../rows/input-table.ts';
import { isLeftOutFor, withMarkedRows } from '../rows/marked-rows.ts';
import { withHeadings, withoutNonRows, withValuesAbove } from '../rows/prepared-rows.ts';
import { type DifferingTotal, SumsOfLeftOut } from '../rows/row-sums.ts';
import { type ControlLine, hasHiddenRows, rowsToRead, withControlLine } from '../rows/rows-to-read.ts';
import { nameOf } from './open-file.ts';
import { isFresh, type TableReading } from './readings.ts';
import { type KnownMapping, neededMapping, noLongerFits, outdatedMapping } from './remembered-mappings.ts';
import { isReadingStated, readingHashOf } from './stated-reading.ts';

/**
 * The meaning of a table's columns.
 * @throws PaybatchError (`file_refused`), which names the remembered mapping if that no longer fits
 */
function mapped(reading: TableReading, known: readonly KnownMapping[]): TableMapping {
  const { file, table, kind, mapping, rules } = reading;
  const others = known.filter((other) => isFresh(reading) && (kind ?? other.kind) === other.kind);
  const needed = neededMapping(table.header, others);
  if (needed !== undefined) throw noLongerFits(table.header, needed, placeOf(table, nameOf(file)), file.path);
  try {
    return mapTable(table, { kind, mapping, rules, fileName: nameOf(file), path: file.path });
  } catch (error) {
    const outdated = outdatedMapping(table.header, others);
    if (!(error instanceof PaybatchError) || outdated === undefined) throw error;
    throw noLongerFits(table.header, outdated, placeOf(table, nameOf(file)), file.path);
  }
}

/** What is reported instead of refusing a file while a mapping is tried, with which nothing is sent. */
interface Trying {
  /** Called for each total that is none of the rows. */
  readonly onDiffering?: (total: DifferingTotal) => void;
  /** Called with the marks of rows that the mapping does not know. */
  readonly onNewMarks?: (fresh: readonly FoundMark[]) => void;
}

/**
 * A table as read with a mapping, for trying the mapping on rows that were already read.
 * @throws PaybatchError as `openInputs`
 */
export function inputTableFrom(
  own: Pick<TableReading, 'file' | 'table' | 'mapping' | 'kind'>,
  profile: ReadingProfile,
  trying: Trying = {},
): Promise<InputTable> {
  const table = withTitlesNamed(own.table, own.mapping);
  const reading: TableReading = { ...own, table, rules: {}, readShare: () => 1, source: { from: 'stated' } };
  return inputTableOf(reading, profile, profile.hidden ?? null, [], trying);
}

/**
 * The table of a file as its reading says.
 * @throws PaybatchError as `openInputs`
 */
export async function inputTableOf(
  reading: TableReading,
  profile: ReadingProfile,
  hiddenChoice: HiddenChoice | null,
  known: readonly KnownMapping[],
  trial: Trying | null = null,
): Promise<InputTable> {
  const { file, table: asRead, mapping: stated, rules, source } = reading;
  const original = source.from === 'corrected' ? source.batch : null;
  const columns = mapped(reading, known);
  const corrected = { rows: 0 };
  const whole = tableLike(asRead, {
    notes: () => [...asRead.notes, ...notesOf(source), ...correctionNotes(corrected.rows, original)],
  });
  const [place, readingRules] = [placeOf(whole, nameOf(file)), readingRulesOf(stated)];
  const { controlLine } = stated;
  const leftOut = new SumsOfLeftOut(columns, readingRules);
  const controlled: { readonly table: SourceTable; readonly control?: ControlLine } =
    controlLine === undefined
      ? { table: whole }
      : withControlLine(whole, { template: controlLine, reading: readingRules, leftOut }, place);
  const isCorrection = original !== null;
  const named = withHeadings(controlled.table, columns, isCorrection);
  const rows = withoutNonRows(withValuesAbove(named, columns, isCorrection), {
    mapping: columns,
    reading: readingRules,
    isMeant: stated.leaveOut === true,
    place,
    isLeftOut: isLeftOutFor(whole.header, stated),
    accepted: stated.acceptTotals,
    onDiffering: trial?.onDiffering,
  });
  // A person was asked about the marks of such files when the mapping was made.
  const isSaidOfMarks = source.from === 'stated' && stated.markedRows !== undefined;
  const isNewRefused = source.from === 'remembered' || (trial === null && isSaidOfMarks);
  const { table: visible, hidden } = rowsToRead(rows, columns, hiddenChoice, leftOut);
  const table = withMarkedRows(visible, {
    mapping: columns,
    stated,
    refuseNew: isNewRefused ? { place, path: file.path } : null,
    onNew: trial?.onNewMarks,
    leftOut,
  });
  const isTextOnly = file.format === 'csv' && original === null;
  const mapping = await withEvidence(columns, table, readingRules, isTextOnly);
  // Other rows are another batch. Where nothing is hidden, the option for hidden rows changes nothing.
  const isHiddenLeftOut = hiddenChoice === 'skip' && file.format !== 'csv' && (await hasHiddenRows(whole));
  const { chosenEncoding, hasLineEnd } = file;
  const asChosen = { ...profile, encoding: chosenEncoding ?? profile.encoding };
  return {
    fileName: file.path === '-' ? '-' : nameOf(file),
    path: file.path,
    firstInput: original === null ? undefined : { fileName: original.fileName, sheet: original.sheet },
    contentHash: file.contentHash,
    readingHash:
      source.from === 'content' && !isReadingStated(asChosen)
        ? source.batch.readingHash
        : readingHashOf(asChosen, stated, isHiddenLeftOut),
    encoding: chosenEncoding,
    hasLineEnd,
    corrected,
    table,
    mapping,
    reading: stated,
    rules,
    hidden,
    hiddenChoice,
    readShare: reading.readShare,
    control: controlled.control,
    series: original === null ? seriesUseOf(reading, mapping.kind) : undefined,
    layout: layoutUseOf(reading, profile),
  };
}

/** The note on the file whose rows a table corrects, since they name its batch. */
function correctionNotes(rows: number, corrects: Pick<OriginalBatch, 'fileName'> | null): string[] {
  if (rows === 0 || corrects === null) return [];
  return [`${countOf(rows, 'row')} read as ${rows === 1 ? 'a row' : 'rows'} of ${corrects.fileName}`];
}

/** Notes for the person on how a table is read. */
function notesOf(source: TableReading['source']): string[] {
  if (source.from === 'remembered') return [`read with the remembered mapping "${source.name}"`];
  if (source.from !== 'corrected' || source.setAside.length === 0) return [];
  const parts = source.setAside.join(' and ');
  return [`${parts} of the mapping: not compared, since these rows are not the whole file`];
}

/*
 * What a reading is compared with from last time: the payees of its series, and the contents of its layout's columns.
 */

/** Undefined for the rows of another file, and for a file in paybatch's own columns, whose titles say what they hold. */
function layoutUseOf(
  { source }: TableReading,
  { mapping, acceptDrift }: ReadingProfile,
): InputTable['layout'] {
  const isMapped =
    source.from === 'remembered' ||
    source.from === 'content' ||
    (source.from === 'stated' && mapping !== undefined);
  if (!isMapped) return undefined;
  const remembered = source.from === 'remembered' ? source : null;
  const accepted = (acceptDrift ?? '').split(',').map((code) => code.trim());
  return { remembered, isAgreed: remembered?.isAgreed === true, accepted };
}

/** The earlier files whose payees are compared with these; nothing for a kind without payees. */
function seriesUseOf({ file, table: { sheet }, source }: TableReading, kind: Kind): InputTable['series'] {
  if (definitionsOf(kind).every(({ payee }) => payee === undefined)) return undefined;
  const mapping = source.from === 'remembered' ? source.headerKey : null;
  return { name: seriesName(nameOf(file), sheet), mapping };
}
