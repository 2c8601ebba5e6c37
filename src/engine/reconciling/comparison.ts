/* Compares a batch or a file with the other side, and writes each line of the result. */

import { resolve } from 'node:path';
import { stemOf } from '../../account/read-accounts.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { TakeDifferences } from '../../domain/rows/difference.ts';
import type { Scratch } from '../../ledger/connection/open.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { findingsStem } from '../../output/files/stem.ts';
import type { ComparisonFigures } from '../../output/reconciliation/comparison.ts';
import { type WrittenComparison, writeComparison } from '../../output/reconciliation/files.ts';
import * as compare from '../../reconcile/comparing/compare.ts';
import type { readMatchOptions } from '../../reconcile/comparing/match-options.ts';
import { ownMatchRecords } from '../../reconcile/comparing/own-records.ts';
import { comparedDifference } from '../../reconcile/differences.ts';
import type { ExportMapping } from '../../reconcile/export/mapping.ts';
import type { ExportSide } from '../../reconcile/export/open-files.ts';
import { readExportRecords } from '../../reconcile/export/records.ts';
import type { CallContext } from '../running/context.ts';

/** A comparison whose lines are written. */
export interface ComparedWith {
  readonly comparison: compare.Comparison;
  /** Names of the files of each side. */
  readonly names: { readonly here: readonly string[]; readonly there: readonly string[] };
  readonly figures: ComparisonFigures;
  readonly files: WrittenComparison;
  /** What was compared and by which rules, for the ledger to remember. */
  readonly facts: object;
}

/** Coverage and tolerances as they were given. */
export type GivenRules = ReturnType<typeof readMatchOptions>;

/** What is to be compared. */
interface Compared {
  /** What the names of the written files begin with. */
  readonly stem: string;
  /** Names of the files of each side. */
  readonly names: { readonly here: readonly string[]; readonly there: readonly string[] };
  /** Of the contents of the files that were read for it. */
  readonly hashes: readonly string[];
  readonly comparable: compare.Comparable;
  readonly rules: GivenRules;
  readonly sides: Omit<compare.Sides, 'rules'>;
  /** Receives what is worth knowing of the files while they are read. */
  readonly remarks: readonly string[];
  /** Receives the lines that somebody has to look at. */
  readonly tell?: TakeDifferences | undefined;
}

/** Compares a batch's rows with an export of the other side, and writes the lines of the result. */
export async function compareBatch(
  app: CallContext,
  scratch: Scratch,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  against: ExportSide,
  rules: GivenRules,
  tell: TakeDifferences | undefined,
): Promise<ComparedWith> {
  const comparable = compare.comparableWithBatch(batch.kind, against.tables);
  const { fields } = comparable;
  const mapping: ExportMapping = against.tables[0]?.mapping ?? {};
  const remarks: string[] = [];
  return compareInto(app, scratch, {
    stem: stemOf(batch),
    names: { here: [batch.fileName], there: against.names },
    hashes: against.hashes,
    comparable,
    rules,
    remarks,
    tell,
    sides: {
      here: ownMatchRecords(verbs.readOwnRecords(batch.id), batch.kind, mapping, fields),
      there: readExportRecords(against.tables, batch.kind, fields, (remark) => remarks.push(remark)),
      fields,
      findElsewhere: (open, into) => verbs.noteKnownElsewhere(batch, open, into),
    },
  });
}

/** Compares two files with each other, by the same rules, and writes the lines of the result. */
export async function compareTwoSides(
  app: CallContext,
  scratch: Scratch,
  left: ExportSide,
  right: ExportSide,
  rules: GivenRules,
): Promise<ComparedWith> {
  const comparable = compare.comparableFiles(left.tables, right.tables);
  const { fields } = comparable;
  const remarks: string[] = [];
  const note = (remark: string): number => remarks.push(remark);
  return compareInto(app, scratch, {
    stem: findingsStem({ fileName: left.names[0] ?? '', sheet: null }),
    names: { here: left.names, there: right.names },
    hashes: [...left.hashes, ...right.hashes],
    comparable,
    rules,
    remarks,
    sides: {
      here: readExportRecords(left.tables, null, fields, note),
      there: readExportRecords(right.tables, null, fields, note),
      fields,
    },
  });
}

async function compareInto(
  app: CallContext,
  scratch: Scratch,
  { stem, names, hashes, comparable, rules: given, sides, remarks, tell }: Compared,
): Promise<ComparedWith> {
  const begin = (): void => app.report({ kind: 'step.started', step: 'comparing', about: null, rows: null });
  // Reading an export is a step of its own, behind which this one goes on.
  begin();
  const rules = { ...given, compares: comparable.compares };
  const { result, files } = await writeComparison(
    {
      directory: resolve(app.settings.output.out),
      stem,
      names,
      today: app.clock.now().toISOString().slice(0, 10),
    },
    (write) =>
      compare.compareSides(scratch, { ...sides, rules, onRead: begin }, async (lines) => {
        await write(lines);
        const breaks = tell === undefined ? [] : lines.filter(({ isBreak }) => isBreak);
        if (breaks.length > 0)
          await tell?.(breaks.map((line) => comparedDifference(line, names.there, sides.fields)));
      }),
  );
  app.report({ kind: 'step.ended' });
  return {
    comparison: result,
    names,
    figures: {
      hereName: names.here.join(', '),
      thereName: names.there.join(', '),
      compared: compare.comparedNames(comparable),
      onlyInSome: comparable.onlyInSome,
      remarks,
      isCoverageDeclared: given.coversFrom !== null || given.coversTo !== null,
      breakCount: result.breakCount,
      ...result.proof,
    },
    files,
    facts: { ...names, hashes, rules, fields: sides.fields },
  };
}
