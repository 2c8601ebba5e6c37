/* Checks the rows of batches that were staged earlier against today's lists of institutions. */

import type { DirectoryOf } from '../call/api-access.ts';
import type { LedgerAccess } from '../call/connections.ts';
import type { CallContext, ClockPort } from '../call/context.ts';
import { lookUpForGroup, withPayeeTypes } from '../check/look-up-group.ts';
import type { BatchRecord, LeasedBatch } from '../domain/batches/batch.ts';
import type { InstitutionSnapshot } from '../domain/institution.ts';
import { type Finding, joinFindings, type RowNote } from '../domain/rows/finding.ts';
import type {
  NormalisedRecord,
  Reason,
  RecheckedRow,
  RowToRecheck,
  VerifiedRow,
} from '../domain/rows/ledger-row.ts';
import { type ColumnTitles, columnTitles } from '../kinds/definition.ts';
import { checkInstitution } from '../kinds/fields/institution-of-row.ts';
import { fillInReferences, needLookups } from '../kinds/fields/references.ts';
import { createRowChecker } from '../kinds/fields/row-checker.ts';
import type { Directory } from '../kinds/institutions/directory.ts';
import { definitionNamed, fieldForHeader } from '../kinds/registry.ts';
import { type ReferencePort, referencesIn } from '../kinds/request.ts';
import type { CheckedRow, RowChecker } from '../kinds/row-check.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { readingRulesOf } from '../read/mapping/mapping-file.ts';
import { mapTable } from '../read/mapping/table-mapping.ts';
import { keptMapping, keptRules } from '../read/sources/stated-reading.ts';

const rowsPerGroup = 1_000;

/** Checks held batches against today's lists. Batches that were staged just now have been checked against these lists. */
export async function recheckHeld(
  app: CallContext,
  { verbs }: LedgerAccess,
  directoryOf: DirectoryOf,
  held: readonly LeasedBatch[],
): Promise<void> {
  for (const { batch, isNew } of held) {
    if (isNew) continue;
    const { changedCountries, movedRows, verifiedRows } = await recheckInstitutions({
      ledger: verbs,
      directory: directoryOf(batch.environmentId),
      references: referencesIn(verbs, batch.environmentId, []),
      batch,
      openChecker: () => openBatchChecker(verbs, batch.id, app.clock),
    });
    if (changedCountries.length === 0) continue;
    const file = batch.fileName;
    app.report({
      kind: 'note',
      note: { code: 'institutions_changed', file, countries: changedCountries, movedRows },
    });
    if (verifiedRows === 0) continue;
    app.report({ kind: 'note', note: { code: 'rows_verified', file, rows: verifiedRows } });
  }
}

/** Opens the check of a batch's cells, with the reading of its file. */
async function openBatchChecker(
  verbs: Pick<LedgerVerbs, 'findOriginalBatch'>,
  batchId: string,
  clock: ClockPort,
): Promise<RowChecker> {
  const first = await verbs.findOriginalBatch(batchId);
  if (first === undefined) throw new Error(`batch ${batchId} is not staged to its end`);
  const { kind, header, fileName } = first;
  const [mapping, rules] = [keptMapping(first), keptRules(first)];
  return createRowChecker({
    mapping: mapTable(first, { kind, mapping, rules, fileName }),
    reading: readingRulesOf(mapping),
    today: clock.now().toISOString().slice(0, 10),
    headerWidth: header.length,
    rules,
  });
}

/** The lists of institutions, and the ledger's verbs that update a batch's rows after these lists have changed. */
interface RecheckContext {
  readonly ledger: Pick<
    LedgerVerbs,
    'listPinnedInstitutions' | 'pinInstitutionList' | 'listRowsToRecheck' | 'writeRechecked' | 'writeVerified'
  >;
  readonly directory: Pick<Directory, 'list' | 'snapshot'>;
  readonly references: ReferencePort;
  readonly batch: Pick<BatchRecord, 'id' | 'environmentId' | 'kind' | 'header'>;
  /**
   * Opens the check of the batch's cells, with the reading of its file. It is used only where rows have no payee type yet.
   */
  readonly openChecker: () => Promise<RowChecker>;
}

/** The result of a recheck. */
interface Recheck {
  /** Countries whose lists have changed since the rows were checked. */
  readonly changedCountries: readonly string[];
  /** Rows that do not pass any more. */
  readonly movedRows: number;
  /**
   * Rows that were held because no complete list showed whether their institution exists, and that could be decided now.
   */
  readonly verifiedRows: number;
}

/**
 * Checks a batch's rows against today's institutions, if the lists have changed since the rows were checked. Only rows that
 * were never sent are checked. No request is changed: a row passes unchanged, or is not sent. A row is held while no
 * complete list shows whether its institution exists. It is released once a complete list exists.
 */
export async function recheckInstitutions(context: RecheckContext): Promise<Recheck> {
  const { ledger, directory, batch } = context;
  const pinned = await ledger.listPinnedInstitutions(batch.id);
  const unsent = pinned.length === 0 ? [] : await ledger.listRowsToRecheck(batch.id, 0, 1);
  if (unsent.length === 0) return { changedCountries: [], ...nothingMoved };
  const changedCountries: string[] = [];
  const current: InstitutionSnapshot[] = [];
  for (const { country, hash } of pinned) {
    const snapshot = await directory.snapshot(country);
    current.push(snapshot);
    if (snapshot.hash !== hash) changedCountries.push(country);
  }
  const moved = changedCountries.length === 0 ? nothingMoved : await recheckRows(context);
  // The lists are pinned last, so that an interrupted recheck is repeated.
  for (const snapshot of current) await ledger.pinInstitutionList(batch.id, batch.environmentId, snapshot);
  return { changedCountries, ...moved };
}

type MovedRows = Pick<Recheck, 'movedRows' | 'verifiedRows'>;

const nothingMoved: MovedRows = { movedRows: 0, verifiedRows: 0 };

async function recheckRows(context: RecheckContext): Promise<MovedRows> {
  const { ledger, batch } = context;
  const title = titlesOf(batch);
  let { movedRows, verifiedRows } = nothingMoved;
  let afterRow = 0;
  for (;;) {
    const rows = await ledger.listRowsToRecheck(batch.id, afterRow, rowsPerGroup);
    const last = rows.at(-1);
    if (last === undefined) return { movedRows, verifiedRows };
    const judged = await judge(context, rows, title);
    const failed = judged.flatMap(({ isUnverified, failure }) =>
      isUnverified || failure === null ? [] : [failure],
    );
    const verified = judged.flatMap(verifiedRow);
    if (failed.length > 0) movedRows += await ledger.writeRechecked(batch.id, failed);
    if (verified.length > 0) verifiedRows += await ledger.writeVerified(batch.id, verified);
    afterRow = last.row;
  }
}

/** The titles of the fields in the file, as far as the header shows them without the mapping. */
function titlesOf({ kind, header }: RecheckContext['batch']): ColumnTitles {
  return columnTitles(new Map(header.map((title) => [fieldForHeader(kind, title), title])));
}

/** A row checked against today's institutions. */
interface JudgedRow {
  readonly row: number;
  readonly resource: string;
  readonly isUnverified: boolean;
  /** Null where the row passes. */
  readonly failure: RecheckedRow | null;
  /** Whether its institution was found. Also false where the search was not possible. */
  readonly isFound: boolean;
  readonly record: NormalisedRecord;
  readonly notes: readonly RowNote[];
}

async function judge(
  context: RecheckContext,
  rows: readonly RowToRecheck[],
  titles: ColumnTitles,
): Promise<JudgedRow[]> {
  const { references, directory } = context;
  const checked = await checkAgain(context, rows);
  const lookups = await lookUpForGroup({ needs: needLookups }, checked, references, directory);
  return rows.map(({ row: number, isUnverified }, index): JudgedRow => {
    const row = checked[index];
    if (row === undefined) throw new Error('a row was lost while it was checked again');
    const resolved = fillInReferences(row, lookups, titles);
    const outcome = checkInstitution({
      row,
      isReferenceFaulty: resolved.findings.length > 0,
      lookups,
      titles,
    });
    const found = outcome.findings.map(
      ({ severity = 'invalid', field, code, message }): Finding => ({
        severity,
        field,
        column: titles.of(field),
        code,
        message,
      }),
    );
    const findings = [...row.findings, ...found];
    const failure = findings.length === 0 ? null : failedRow(number, findings);
    return {
      row: number,
      resource: row.definition?.name ?? '',
      isUnverified,
      failure,
      record: row.record,
      // A row without a payee type cannot be decided, whatever its institution is.
      isFound: outcome.isFound && row.definition?.payeeType !== null,
      notes: [...row.notes, ...outcome.notes],
    };
  });
}

/**
 * The rows with their values. Rows without a payee type are read from their cells again, since their institution may
 * determine the type now.
 */
async function checkAgain(
  { openChecker, references, directory }: RecheckContext,
  rows: readonly RowToRecheck[],
): Promise<readonly CheckedRow[]> {
  const untyped = rows.flatMap(({ row: number, resource, cells }) =>
    resource === null ? [{ number, cells: cells ?? [] }] : [],
  );
  const typed = new Map<number, CheckedRow>();
  if (untyped.length > 0) {
    const checker = await openChecker();
    for (const row of await withPayeeTypes(untyped, { checker, references, directory }))
      typed.set(row.number, checker.checkFields(row));
  }
  return rows.map(
    ({ row, resource, record }): CheckedRow =>
      typed.get(row) ?? {
        definition: resource === null ? null : definitionNamed(resource),
        record: { ...record },
        findings: [],
        notes: [],
      },
  );
}

/** The decision on a row that is held until a complete list exists; empty while no such list exists. */
function verifiedRow(judged: JudgedRow): VerifiedRow[] {
  const { row, resource, isUnverified, failure, isFound, record, notes } = judged;
  if (!isUnverified) return [];
  if (failure === null) return isFound ? [{ row, to: 'staged', resource, record, notes }] : [];
  return failure.to === 'invalid' ? [{ ...failure, to: 'invalid' }] : [];
}

function failedRow(row: number, findings: readonly Finding[]): RecheckedRow {
  const to = findings.some(({ severity }) => severity === 'invalid') ? 'invalid' : 'held';
  return { row, to, findings, reason: reasonOf(findings) };
}

function reasonOf(findings: readonly Finding[]): Reason {
  const code = findings[0]?.code ?? 'institution_unknown';
  const field = findings[0]?.column ?? null;
  return { code, field, message: `The institutions have changed. ${joinFindings(findings)}` };
}
