/*
 * Compares a batch or a file with the other side: what a call says of the comparison (the time that is covered,
 * tolerances, what is compared), and each line of the result.
 */

import { resolve } from 'node:path';
import { findingsStem } from '../../account/files/result-files.ts';
import { stemOf } from '../../account/read-accounts.ts';
import { type WrittenComparison, writeComparison } from '../../account/reconciliation/files.ts';
import type { CallContext } from '../../call/context.ts';
import type { BatchRecord, Kind } from '../../domain/batches/batch.ts';
import type { AcceptedDifferences } from '../../domain/batches/difference-decisions.ts';
import type { ComparisonFigures } from '../../domain/batches/reconciliation.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { FoundDifference, TakeDifferences } from '../../domain/rows/row-state.ts';
import { type Adjustable, type Message, say } from '../../domain/settings/message.ts';
import type { Scratch } from '../../ledger/connection/open.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import {
  type Comparable,
  comparableFiles,
  comparableWithBatch,
  comparedNames,
  wantedNames,
} from '../comparing/comparable.ts';
import { type Comparison, compareSides, type ExplainedLine, type Sides } from '../comparing/compare.ts';
import { comparedDifference } from '../differences.ts';
import { dayOf } from '../export/amounts-and-dates.ts';
import { titleOf } from '../export/columns.ts';
import type { ExportSide } from '../export/open-files.ts';
import { readExportRecords, type SideNotes } from '../export/records.ts';
import { ownMatchRecords } from '../export/values.ts';
import type { MatchRules } from '../matching/rules.ts';

/** Coverage and tolerances as stated on a command line. */
export interface GivenMatchOptions {
  readonly coversFrom?: string | undefined;
  readonly coversTo?: string | undefined;
  /** `0.01` and `0.5%`, at most one of each kind. */
  readonly tolerances?: readonly string[];
  readonly toleranceDays?: string | undefined;
  readonly graceDays?: string | undefined;
  /** Names of what is compared, also several in one comma-separated text; everything when absent. */
  readonly compare?: readonly string[];
}

/** Coverage, tolerances and what is compared, parsed. */
export interface MatchOptions extends Omit<MatchRules, 'compares' | 'amountsLeftOut'> {
  /** Null where the call does not state it. */
  readonly compare: readonly string[] | null;
}

/** @throws PaybatchError (`usage`) that names the option */
export function readMatchOptions(options: GivenMatchOptions): MatchOptions {
  const coversFrom = day('coversFrom', options.coversFrom);
  const coversTo = day('coversTo', options.coversTo);
  if (coversFrom !== null && coversTo !== null && coversFrom > coversTo) {
    throw refused(say`${{ setting: 'coversFrom' }} lies after ${{ setting: 'coversTo' }}.`);
  }
  let [absolute, percent] = ['0', '0'];
  for (const text of options.tolerances ?? []) {
    const match = /^(\d{1,30}(?:\.\d{1,30})?)(%?)$/.exec(text.trim());
    const value = match?.[1];
    if (value === undefined)
      throw refused(say`${{ setting: 'tolerance' }} is "${text}"; it can be 0.01 or 0.5%.`);
    if (match?.[2] === '%') percent = value;
    else absolute = value;
  }
  return {
    coversFrom,
    coversTo,
    tolerance: { absolute, percent, days: days('toleranceDays', options.toleranceDays) },
    graceInDays: days('graceDays', options.graceDays),
    compare: options.compare === undefined ? null : namesIn(options.compare),
  };
}

function namesIn(texts: readonly string[]): readonly string[] {
  const names = texts
    .flatMap((text) => text.split(','))
    .map((text) =>
      text
        .trim()
        .toLowerCase()
        .replaceAll(/[\s-]+/g, '_'),
    )
    .filter((name) => name !== '');
  if (names.length === 0)
    throw refused(say`${{ setting: 'compare' }} names nothing; it can be id,reference,amount.`);
  return [...new Set(names)];
}

function day(setting: Adjustable, text: string | undefined): string | null {
  if (text === undefined) return null;
  const read = dayOf(text.trim(), {});
  if (read === null) throw refused(say`${{ setting }} is "${text}", which is no day such as 2026-11-30.`);
  return read;
}

function days(setting: Adjustable, text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^\d{1,4}$/.test(text))
    throw refused(say`${{ setting }} is "${text}"; it has to be a whole number of days.`);
  return Number(text);
}

function refused(message: Message): PaybatchError {
  return new PaybatchError('option_invalid', message, { action: 'help', of: 'reconcile' });
}

/** A comparison whose lines are written. */
export interface ComparedWith {
  readonly comparison: Comparison;
  /** Names of the files of each side. */
  readonly names: { readonly here: readonly string[]; readonly there: readonly string[] };
  readonly figures: ComparisonFigures;
  readonly files: WrittenComparison;
  /** The compared data and the rules, for the ledger. */
  readonly facts: object;
}

/** One side of a comparison: its files, and their records. */
interface ComparedRecords extends Pick<ExportSide, 'tables' | 'names' | 'hashes'> {
  readonly records: Sides['here'];
  /** Notes on the files, collected while they are read. */
  readonly notes: SideNotes;
}

/** The input of a comparison. */
interface Compared {
  readonly here: ComparedRecords;
  readonly there: ComparedRecords;
  /** The beginning of the written files' names. */
  readonly stem: string;
  readonly comparable: Comparable;
  readonly rules: MatchOptions;
  readonly findElsewhere?: Sides['findElsewhere'];
  /** Receives the lines that a person has to look at, or has accepted. */
  readonly tell?: TakeDifferences | undefined;
  /** Absent where nothing is accepted. */
  readonly accepted?: AcceptedDifferences | undefined;
}

/** The records of the files of one side. */
function recordsOf(side: ExportSide, kind: Kind | null, fields: readonly string[]): ComparedRecords {
  const notes: SideNotes = { remarks: [], unread: [] };
  return { ...side, records: readExportRecords(side.tables, kind, fields, notes), notes };
}

/** Compares a batch's rows with an export of the other side, and writes the lines of the result. */
export async function compareBatch(
  app: CallContext,
  scratch: Scratch,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  against: ExportSide,
  rules: MatchOptions,
  hasAmounts: boolean,
  tell: TakeDifferences | undefined,
  accepted: AcceptedDifferences | undefined,
): Promise<ComparedWith> {
  const wanted = wantedNames(rules.compare, against.tables);
  const comparable = comparableWithBatch(batch.kind, against.tables, { hasAmounts, wanted });
  const mapping = against.tables[0]?.mapping ?? {};
  const own = ownMatchRecords(verbs.readOwnRecords(batch.id), batch.kind, mapping, comparable.fields);
  const noNotes = { remarks: [], unread: [] };
  return compareInto(app, scratch, {
    here: { tables: [], names: [batch.fileName], hashes: [], records: own, notes: noNotes },
    there: recordsOf(against, batch.kind, comparable.fields),
    stem: stemOf(batch),
    comparable,
    rules,
    findElsewhere: (open, into) => verbs.noteKnownElsewhere(batch, open, into),
    tell,
    accepted,
  });
}

/** Compares two files with each other, by the same rules, and writes the lines of the result. */
export async function compareTwoSides(
  app: CallContext,
  scratch: Scratch,
  left: ExportSide,
  right: ExportSide,
  rules: MatchOptions,
): Promise<ComparedWith> {
  const wanted = wantedNames(rules.compare, left.tables) ?? wantedNames(rules.compare, right.tables);
  const comparable = comparableFiles(left.tables, right.tables, wanted);
  return compareInto(app, scratch, {
    here: recordsOf(left, null, comparable.fields),
    there: recordsOf(right, null, comparable.fields),
    stem: findingsStem({ fileName: left.names[0] ?? '', sheet: null }),
    comparable,
    rules,
  });
}

const sideNames = ['here', 'there'] as const;

async function compareInto(
  app: CallContext,
  scratch: Scratch,
  { here, there, stem, comparable, rules: wanted, findElsewhere, tell, accepted }: Compared,
): Promise<ComparedWith> {
  const sides = { here, there };
  const names = { here: here.names, there: there.names };
  const begin = (): void => app.report({ kind: 'step.started', step: 'comparing', about: null, rows: null });
  // Reading an export is a separate step, after which this one continues.
  begin();
  const { compare: _, ...options } = wanted;
  const { compares, amountsLeftOut, fields } = comparable;
  const asDifference = (line: ExplainedLine): FoundDifference =>
    comparedDifference(line, names.there, fields);
  const asked: Sides = {
    here: here.records,
    there: there.records,
    rules: { ...options, compares, amountsLeftOut },
    fields,
    findElsewhere,
    hasUnreadAmounts: (side) => sides[side].notes.unread.some(({ hasAmounts }) => hasAmounts),
    onRead: begin,
    isAccepted: accepted && ((line) => accepted.accepts(asDifference(line))),
  };
  const { result, files } = await writeComparison(
    {
      directory: resolve(app.settings.output.out),
      stem,
      names,
      today: app.clock.now().toISOString().slice(0, 10),
      words: app.words,
    },
    (write) =>
      compareSides(scratch, asked, async (lines) => {
        await write(lines);
        const reported = tell === undefined ? [] : lines.filter((line) => line.isBreak || line.isAccepted);
        if (reported.length > 0) await tell?.(reported.map(asDifference));
      }),
  );
  app.report({ kind: 'step.ended' });
  return {
    comparison: result,
    names,
    figures: {
      hereName: names.here.join(', '),
      thereName: names.there.join(', '),
      compared: comparedNames(comparable),
      amounts: compares.amount ? 'compared' : result.rules.amountsLeftOut,
      columns: sideNames.flatMap((side) =>
        sides[side].tables.flatMap(({ name: file, header, columns }) =>
          columns.read.map(({ index, as, by }) => ({ side, file, title: titleOf(header, index), as, by })),
        ),
      ),
      unread: sideNames.flatMap((side) => sides[side].notes.unread.map((column) => ({ side, ...column }))),
      onlyInSome: comparable.onlyInSome,
      remarks: [...here.notes.remarks, ...there.notes.remarks],
      isCoverageDeclared: wanted.coversFrom !== null || wanted.coversTo !== null,
      breakCount: result.breakCount,
      ...result.proof,
    },
    files,
    facts: { ...names, hashes: [...here.hashes, ...there.hashes], rules: result.rules, fields },
  };
}
