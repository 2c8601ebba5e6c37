/* The findings of each reconciliation step, as differences with the values of both sides. */

import { shortBatchId } from '../domain/batches/batch.ts';
import type { Contradiction } from '../domain/batches/reconciliation.ts';
import type { RowAdvice } from '../domain/rows/ledger-row.ts';
import type { ComparedValue, DifferenceKind, FoundDifference, MatchState } from '../domain/rows/row-state.ts';
import type { EchoComparison } from '../kinds/answer.ts';
import type { ExplainedLine } from './comparing/compare.ts';
import { hasCertainId } from './matching/match-lines.ts';

/** A row of the source file beside that of the ledger; null where a side does not have it. */
export interface SourceRow {
  readonly row: number;
  readonly file: readonly string[] | null;
  readonly ledger: readonly string[] | null;
}

/** @param header the titles of the file's columns */
export function sourceDifference(
  { row, file, ledger }: SourceRow,
  header: readonly string[],
  fileName: string,
): FoundDifference {
  const width = Math.max(header.length, file?.length ?? 0, ledger?.length ?? 0);
  const values = Array.from({ length: width }, (_, at): ComparedValue => {
    const here = ledger === null ? null : (ledger[at] ?? '');
    const there = file === null ? null : (file[at] ?? '');
    return { name: header[at] ?? `column ${at + 1}`, here, there, differs: here !== there };
  });
  return {
    ...unexplained,
    kind: ledger === null ? 'not_in_ledger' : file === null ? 'not_in_file' : 'cells_differ',
    row: ledger === null ? null : row,
    there: file === null ? null : { file: fileName, row },
    values: values.filter(({ here, there }) => (here ?? '') !== '' || (there ?? '') !== ''),
  };
}

const unexplained = { status: null, evidence: '', action: null, foundId: null } as const;

/** A created row whose answer repeats values that differ from the sent ones. */
export interface DifferingAnswer {
  readonly row: number;
  readonly objectId: string;
  readonly differing: EchoComparison['differing'];
}

export function answerDifference({ row, objectId, differing }: DifferingAnswer): FoundDifference {
  return {
    ...unexplained,
    kind: 'answer_differs',
    row,
    there: { file: null, row: null },
    values: [
      { name: 'id', here: objectId, there: objectId, differs: false },
      ...differing.map(({ field, sent, answered }) => ({
        name: field,
        here: sent,
        there: answered,
        differs: true,
      })),
    ],
  };
}

/** @param batch the whole id of the batch that is reconciled */
export function contradictionDifference(
  { kind, objectIds, rows }: Contradiction,
  batch: string,
): FoundDifference {
  const own = rows.find((row) => row.batch === batch);
  const shown = rows.map((row) =>
    row.batch === batch ? `row ${row.row}` : `row ${row.row} of batch ${shortBatchId(row.batch)}`,
  );
  return {
    ...unexplained,
    kind: kind === 'unrecorded' ? 'unrecorded' : 'two_ids',
    row: own?.row ?? null,
    there: { file: null, row: null },
    values: [
      { name: 'rows', here: shown.join(', '), there: null, differs: false },
      { name: 'id', here: null, there: objectIds.join(', '), differs: true },
    ],
  };
}

/** A row that waits for a verdict. */
export function undecidedDifference(advice: RowAdvice): FoundDifference {
  const { row, status, key, attempts, name, amount, reference, known } = advice;
  const shown = { name, reference, amount, key: key ?? '', requests: attempts === 0 ? '' : String(attempts) };
  const values = Object.entries(shown).flatMap(([of, here]): ComparedValue[] =>
    here === '' ? [] : [{ name: of, here, there: null, differs: false }],
  );
  return {
    kind: 'undecided',
    row,
    status,
    there: null,
    values,
    evidence: known,
    action: advice.advice,
    foundId: null,
  };
}

/** Matching records are a difference only where the own row's status does not show it yet. */
const kinds: Readonly<Record<MatchState, DifferenceKind>> = {
  matched: 'in_doubt_found',
  matched_within_tolerance: 'in_doubt_found',
  expected: 'in_doubt_found',
  not_covered: 'in_doubt_found',
  matched_by_id: 'matched_by_id',
  mismatched: 'mismatched',
  missing_there: 'missing_there',
  unknown_here: 'unknown_here',
  duplicate_here: 'duplicate_here',
  duplicate_there: 'duplicate_there',
  ambiguous: 'ambiguous',
  proposed: 'proposed',
  left_out: 'left_out',
};

/**
 * A line of a comparison that a person has to look at.
 * @param files the other side's files, by their numbers in lines
 * @param fields names of the compared values besides those that every record has
 */
export function comparedDifference(
  line: Omit<ExplainedLine, 'isAccepted'>,
  files: readonly string[],
  fields: readonly string[],
): FoundDifference {
  const { state, here, there, differences, evidence, action, sums } = line;
  const differing = new Set(differences.map(({ field }) => field));
  const value = (name: string, own: string | null, theirs: string | null): ComparedValue[] =>
    own === null && theirs === null ? [] : [{ name, here: own, there: theirs, differs: differing.has(name) }];
  return {
    kind: kinds[state],
    row: here?.row ?? null,
    status: here?.status ?? null,
    there: there === null ? null : { file: files[there.file] ?? null, row: there.row },
    values: [
      ...(['id', 'reference', 'amount', 'currency'] as const).flatMap((name) =>
        value(name, here?.[name] ?? null, there?.[name] ?? null),
      ),
      ...value('date', here?.day ?? null, there?.day ?? null),
      ...(sums === null ? [] : value('sum', sums.here, sums.there)),
      ...(['number', 'counterparty', 'text'] as const).flatMap((name) =>
        value(name, here?.words?.[name] || null, there?.words?.[name] || null),
      ),
      ...fields.flatMap((field, at) => value(field, here?.fields[at] ?? null, there?.fields[at] ?? null)),
    ],
    evidence,
    action: action?.action === 'look_into' ? null : action,
    foundId: hasCertainId(line) ? (there?.id ?? null) : null,
  };
}
