import type { Finding } from '../domain/finding.ts';
import { joinFindings } from '../domain/finding.ts';
import type { InstitutionSnapshot } from '../domain/institution.ts';
import type { Kind } from '../domain/kind.ts';
import type { Reason } from '../domain/ledger-row.ts';
import type { RecheckedRow, RowToRecheck } from '../domain/recheck.ts';
import { checkInstitution } from '../resources/check/institution-check.ts';
import { neededLookups } from '../resources/check/needed-lookups.ts';
import { resolveReferences } from '../resources/check/resolve-references.ts';
import type { CheckedRow, ColumnTitle, ResourceDefinition } from '../resources/definition.ts';
import { fieldForHeader } from '../resources/registry.ts';
import { lookUpForGroup } from './lookups.ts';
import type { DirectoryPort, ReferencePort } from './ports.ts';

const rowsPerGroup = 1_000;

/** The lists of institutions, and the ledger's verbs that keep a batch's rows in step with them. */
export interface RecheckContext {
  readonly ledger: {
    readonly listPinnedInstitutions: (
      batchId: string,
    ) => Promise<readonly { country: string; hash: string }[]>;
    readonly pinInstitutionList: (
      batchId: string,
      environmentId: number,
      list: { country: string; hash: string },
    ) => Promise<void>;
    readonly listRowsToRecheck: (batchId: string, afterRow: number, limit: number) => Promise<RowToRecheck[]>;
    readonly writeRechecked: (batchId: string, rows: readonly RecheckedRow[]) => Promise<number>;
  };
  readonly directory: DirectoryPort & {
    /** Kept, or fetched again when the kept list is too old. */
    readonly snapshot: (country: string) => Promise<InstitutionSnapshot>;
  };
  readonly references: ReferencePort;
  readonly batch: {
    readonly id: string;
    readonly environmentId: number;
    readonly kind: Kind;
    readonly header: readonly string[];
  };
  readonly definitionNamed: (resource: string) => ResourceDefinition;
}

/** What a recheck came to. */
export interface Recheck {
  /** Countries whose lists have changed since the rows were checked. */
  readonly changedCountries: readonly string[];
  /** Rows that do not pass any more. */
  readonly movedRows: number;
}

/**
 * Judges a batch's rows by today's institutions, if these have changed since the rows were checked. Only
 * rows that were never sent are looked at, and nothing about a request is changed: a row passes as it is,
 * or is not sent.
 */
export async function recheckInstitutions(context: RecheckContext): Promise<Recheck> {
  const { ledger, directory, batch } = context;
  const pinned = await ledger.listPinnedInstitutions(batch.id);
  const unsent = pinned.length === 0 ? [] : await ledger.listRowsToRecheck(batch.id, 0, 1);
  if (unsent.length === 0) return { changedCountries: [], movedRows: 0 };
  const changedCountries: string[] = [];
  const current: InstitutionSnapshot[] = [];
  for (const { country, hash } of pinned) {
    const snapshot = await directory.snapshot(country);
    current.push(snapshot);
    if (snapshot.hash !== hash) changedCountries.push(country);
  }
  const movedRows = changedCountries.length === 0 ? 0 : await recheckRows(context);
  // Last, so that a recheck which is interrupted is done again.
  for (const snapshot of current) await ledger.pinInstitutionList(batch.id, batch.environmentId, snapshot);
  return { changedCountries, movedRows };
}

async function recheckRows(context: RecheckContext): Promise<number> {
  const { ledger, batch } = context;
  const title = titlesOf(batch);
  let movedRows = 0;
  let afterRow = 0;
  for (;;) {
    const rows = await ledger.listRowsToRecheck(batch.id, afterRow, rowsPerGroup);
    const last = rows.at(-1);
    if (last === undefined) return movedRows;
    const failed = await judge(context, rows, title);
    if (failed.length > 0) movedRows += await ledger.writeRechecked(batch.id, failed);
    afterRow = last.row;
  }
}

/** What the file calls a field, as far as its header tells without the mapping. */
function titlesOf({ kind, header }: RecheckContext['batch']): ColumnTitle {
  const titles = new Map(header.map((title) => [fieldForHeader(kind, title), title]));
  return (field) => titles.get(field) ?? field;
}

async function judge(
  { definitionNamed, references, directory }: RecheckContext,
  rows: readonly RowToRecheck[],
  title: ColumnTitle,
): Promise<RecheckedRow[]> {
  const checked = rows.map(
    ({ resource, record }): CheckedRow => ({
      ...{ definition: definitionNamed(resource), record, findings: [], notes: [] },
    }),
  );
  const lookups = await lookUpForGroup({ needs: neededLookups }, checked, references, directory);
  return checked.flatMap((row, index) => {
    const number = rows[index]?.row;
    if (number === undefined) throw new Error('a row was lost while it was checked again');
    const resolved = resolveReferences(row, lookups, title);
    const { findings } = checkInstitution({ row, resolved, lookups, title });
    return findings.length === 0 ? [] : [failedRow(number, findings, title)];
  });
}

function failedRow(
  row: number,
  found: ReturnType<typeof checkInstitution>['findings'],
  title: ColumnTitle,
): RecheckedRow {
  const findings = found.map(
    ({ severity = 'invalid', field, code, message }): Finding => ({
      ...{ severity, field, column: title(field), code, message },
    }),
  );
  const to = findings.some(({ severity }) => severity === 'invalid') ? 'invalid' : 'held';
  return { row, to, findings, reason: reasonOf(findings) };
}

function reasonOf(findings: readonly Finding[]): Reason {
  const code = findings[0]?.code ?? 'institution_unknown';
  const field = findings[0]?.column ?? null;
  return { code, field, message: `The institutions have changed. ${joinFindings(findings)}` };
}
