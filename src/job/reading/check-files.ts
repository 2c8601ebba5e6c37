import { resolve } from 'node:path';
import { type ExitCode, exitCodeOf, exitCodes, gravest } from '../../domain/exit-code.ts';
import { AmountSums, type ReadSums } from '../../domain/expectation.ts';
import { Failure, FilesRefused } from '../../domain/failure.ts';
import type { StagedRow } from '../../domain/ledger-row.ts';
import type { ResultStatus } from '../../domain/row-state.ts';
import { type RowFinding, writeFindingsFile } from '../../output/files/findings-file.ts';
import { findingsStems } from '../../output/files/findings-names.ts';
import type { CheckedInput } from '../../output/terminal/findings-summary.ts';
import { FindingsTally } from '../../output/terminal/findings-tally.ts';
import type { BatchSummary } from '../../output/words/json-summary.ts';
import { isCorrectionNote } from '../../pipeline/intake/corrections.ts';
import { ImportHandles } from '../../pipeline/intake/import-handles.ts';
import { type Intake, namedInput } from '../../pipeline/intake/take-in.ts';
import type { InvalidLimit } from '../../pipeline/judging/judge-table.ts';
import { placeOf } from '../../pipeline/mapping/table-mapping.ts';
import { compareKinds } from '../../resources/registry.ts';
import type { CheckAccess } from '../access/judging-access.ts';
import type { JobContext } from '../running/context.ts';
import type { JobResult } from '../running/result.ts';
import { refuseUnexpected, type SummedTable } from './expectations.ts';
import type { OpenInputs } from './inputs.ts';
import { judgeIntake } from './judging.ts';

/**
 * Judges the rows of every table, reports what there is to say of each, and writes its findings. A file with
 * too many invalid rows is refused at its end, so that all of its findings are known.
 *
 * @throws Failure or InputError when a file turns out to be unreadable, or what its rows need is not there
 */
export async function checkAll(
  app: JobContext,
  { intakes, refused }: OpenInputs,
  access: CheckAccess,
): Promise<JobResult> {
  const ordered = inOrder(intakes);
  const stems = findingsStems(ordered.map(namedInput));
  const handles = new ImportHandles();
  const references = handles.before(access.references);
  const batches: BatchSummary[] = [];
  const codes: ExitCode[] = [];
  const tables: SummedTable[] = [];
  const refusals: Failure[] = [];
  for (const [index, intake] of ordered.entries()) {
    const { kind } = intake.mapping;
    const isReferredTo = ordered.some((other) => compareKinds(kind, other.mapping.kind) < 0);
    const rows = judgeIntake(withoutLimit(app), access, intake, references);
    const noted = isReferredTo ? noting(rows, (group) => handles.note(kind, group)) : rows;
    const { checked, sums } = await checkOne(app, intake, stems[index] ?? '', noted);
    tables.push({ name: intake.fileName, reading: intake.reading, sums });
    app.report({ kind: 'file.checked', checked });
    const refusal = refusalOf(checked, app.settings['max-invalid'] ?? null);
    if (refusal !== null) refusals.push(refusal);
    codes.push(refusal?.exitCode ?? exitCodeOf({ ...checked.counts, not_sent: 0 }));
    if (refusal === null) batches.push(summaryOf(intake, checked));
  }
  const failure = refusals.length === 0 ? null : new FilesRefused([...refused, ...refusals]);
  // A file that is refused for itself needs no second reason.
  const unexpected = failure === null ? unexpectedIn(app, tables) : null;
  if (unexpected === null) return { exitCode: gravest(codes), batches, failure };
  return { exitCode: unexpected.exitCode, batches: [], failure: unexpected };
}

function unexpectedIn({ settings }: JobContext, tables: readonly SummedTable[]): Failure | null {
  try {
    refuseUnexpected(settings, tables);
    return null;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** By kind, as an import would take them. */
function inOrder(intakes: readonly Intake[]): Intake[] {
  return [...intakes].sort((left, right) => compareKinds(left.mapping.kind, right.mapping.kind));
}

/** All findings are wanted, however many, so the limit is held against the whole file at the end. */
function withoutLimit(app: JobContext): JobContext {
  return { ...app, settings: { ...app.settings, 'max-invalid': undefined } };
}

async function* noting(
  groups: AsyncIterable<StagedRow[]>,
  note: (group: readonly StagedRow[]) => void,
): AsyncGenerator<StagedRow[]> {
  for await (const group of groups) {
    note(group);
    yield group;
  }
}

const statuses: Readonly<Record<StagedRow['state'], ResultStatus>> = {
  staged: 'not_sent',
  // It repeats a row that is ready to be sent, and will share its fate.
  duplicate: 'not_sent',
  invalid: 'invalid',
  existing: 'existing',
  held: 'held',
};

async function checkOne(
  app: JobContext,
  intake: Intake,
  stem: string,
  groups: AsyncIterable<readonly StagedRow[]>,
): Promise<{ readonly checked: CheckedInput; readonly sums: ReadSums }> {
  const tally = new FindingsTally();
  const counts: Partial<Record<ResultStatus, number>> = {};
  let rows = 0;
  let repeats = 0;
  const amounts = new AmountSums();
  const findings = async function* (): AsyncGenerator<RowFinding[]> {
    for await (const group of groups) {
      rows += group.length;
      app.report({ kind: 'step.advanced', rows: group.length });
      const found: RowFinding[] = [];
      for (const row of group) {
        const status = statuses[row.state];
        counts[status] = (counts[status] ?? 0) + 1;
        const ofRow = findingsOf(row);
        tally.add(row.row, ofRow, notesOf(row));
        tallyAliases(tally, row);
        addAmount(amounts, row);
        for (const finding of ofRow) found.push({ row: row.row, finding });
        if (row.state !== 'duplicate') continue;
        repeats += 1;
        found.push({ row: row.row, finding: repeatOf(row) });
      }
      yield found;
    }
  };
  const label = `checking ${intake.mapping.kind}`;
  app.report({ kind: 'step.started', step: 'checking', label, rows: null });
  try {
    const directory = resolve(app.settings.out);
    const { path } = await writeFindingsFile({ directory, stem, findings: findings() });
    const checked: CheckedInput = {
      place: placeOf(intake.table, intake.fileName === '-' ? 'standard input' : intake.fileName),
      kind: intake.mapping.kind,
      rows,
      counts,
      repeats,
      findings: tally.result(),
      notes: intake.table.notes,
      findingsPath: path,
    };
    return { checked, sums: { rows, amounts: amounts.result() } };
  } finally {
    app.report({ kind: 'step.ended' });
  }
}

/** Without a definition nobody knows how a row's amount is to be read. */
function addAmount(sums: AmountSums, { resource, record }: StagedRow): void {
  const { amount, currency } = record;
  if (resource !== null && amount !== undefined && currency !== undefined) sums.add(currency, amount);
}

/** A row that is held for what the ledger knows has a reason, but no finding of its own. */
function findingsOf({ findings, state, reason }: StagedRow): StagedRow['findings'] {
  if (findings.length > 0 || state !== 'held' || reason === null) return findings;
  const { code, field, message } = reason;
  return [{ severity: 'held', field: field ?? '', column: field ?? '', code, message }];
}

/** What a value may have meant, for whoever writes it into the mapping. */
function tallyAliases(tally: FindingsTally, { findings, record }: StagedRow): void {
  for (const { field, nearest } of findings) {
    const [value, first] = [record[field], nearest?.[0]];
    if (value !== undefined && first !== undefined) tally.addAlias(field, value, first);
  }
}

/** No mistake, but a person who wonders about the number of rows wants to see which they are. */
function repeatOf({ sameAs }: StagedRow): RowFinding['finding'] {
  return { column: '', code: 'duplicate', message: `the same as row ${sameAs}; it is sent once` };
}

/** Repeats have a count of their own. */
function notesOf({ notes }: StagedRow): readonly string[] {
  return notes.filter((note) => !isCorrectionNote(note));
}

function refusalOf({ counts, rows, place, findingsPath }: CheckedInput, limit: InvalidLimit): Failure | null {
  const { invalid = 0 } = counts;
  if (limit === null) return null;
  if ('rows' in limit ? invalid <= limit.rows : invalid * 100 <= limit.percent * rows) return null;
  const allowed = 'rows' in limit ? String(limit.rows) : `${limit.percent}%`;
  return new Failure(
    exitCodes.fileRefused,
    'too_many_invalid',
    `${place}: ${invalid} of ${rows} rows are invalid, and --max-invalid allows ${allowed}.`,
    `correct the rows that ${findingsPath} lists`,
  );
}

function summaryOf({ fileName, table }: Intake, checked: CheckedInput): BatchSummary {
  const { kind, rows, counts, findingsPath } = checked;
  const files = { results: null, failed: null, log: null, report: null, findings: findingsPath };
  return { batch: null, kind, file: fileName, sheet: table.sheet, rows, counts, planHash: null, files };
}
