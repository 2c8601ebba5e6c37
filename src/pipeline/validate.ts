import type { Finding } from '../domain/finding.ts';
import { joinFindings } from '../domain/finding.ts';
import { unprotectCell } from '../domain/formula-cell.ts';
import type { Kind } from '../domain/kind.ts';
import type { KeyOwner, Reason, StagedRow } from '../domain/ledger-row.ts';
import type { TableMapping } from '../domain/mapping.ts';
import type { CheckedRow, ResourceDefinition, RowChecker } from '../resources/definition.ts';
import { lookUpForGroup } from './lookups.ts';
import { type EarlierRow, NaturalKeyIndex } from './natural-key-index.ts';
import { judgeOwnedKey } from './ownership.ts';
import type { DirectoryPort, ReferencePort, SourceRow } from './ports.ts';
import { resolveReferences } from './references.ts';
import { fingerprintOf, naturalKeyOf, writeBody } from './request.ts';

export interface ValidationContext {
  readonly checker: RowChecker;
  readonly mapping: TableMapping;
  readonly references: ReferencePort;
  readonly directory: DirectoryPort;
}

/** Judges groups of one table's rows, in input order; remembers their natural keys from group to group. */
export interface Validation {
  readonly judge: (rows: readonly SourceRow[]) => Promise<StagedRow[]>;
}

/**
 * Everything that can be said about a row before anything is sent: its fields, what it refers to, whether
 * its object exists already, and whether an earlier row of the file is the same.
 */
export function createValidation(context: ValidationContext): Validation {
  const earlierRows = new NaturalKeyIndex();
  return {
    judge: async (sourceRows) => {
      const rows = sourceRows.map(withoutProtection);
      const checked = rows.map((row) => context.checker.checkFields(row));
      const lookups = await lookUpForGroup(context.checker, checked, context.references, context.directory);
      const judged = checked.map((row) => context.checker.checkReferences(row, lookups));
      const requests = await draftRequests(judged, context.references);
      const owners = await findOwners(context, requests);
      return rows.map((row, index) => {
        const check = judged[index];
        if (check === undefined) throw new Error('a row was lost while it was checked');
        return stageRow(context.mapping, row, check, requests[index], owners, earlierRows);
      });
    },
  };
}

/** Takes off the apostrophe that result files put before what a spreadsheet would take for a formula. */
function withoutProtection(row: SourceRow): SourceRow {
  const cells = row.cells.map((cell, index) => (row.kinds?.has(index) ? cell : unprotectCell(cell)));
  return { ...row, cells };
}

/** What a valid row would send, with the references filled in as far as they are known. */
interface Draft {
  readonly definition: ResourceDefinition;
  readonly kind: Kind;
  readonly naturalKey: Buffer;
  readonly body: Buffer;
  readonly fingerprint: Buffer;
  readonly handle: string | null;
}

async function draftRequests(
  rows: readonly CheckedRow[],
  references: ReferencePort,
): Promise<(Draft | undefined)[]> {
  const drafts = new Array<Draft | undefined>(rows.length).fill(undefined);
  const resolvable = rows.flatMap(({ definition, record, findings }, index) =>
    definition === null || findings.some(isInvalidating) ? [] : [{ definition, record, index }],
  );
  const resolved = await resolveReferences(resolvable, references);
  resolvable.forEach(({ definition, index }, position) => {
    const record = resolved[position]?.record;
    if (record === undefined) return;
    const body = writeBody(definition, record);
    drafts[index] = {
      definition,
      kind: definition.kind,
      naturalKey: naturalKeyOf(definition, record),
      body,
      fingerprint: fingerprintOf(definition.path, body),
      handle: definition.handle(record) ?? null,
    };
  });
  return drafts;
}

function isInvalidating(finding: Finding): boolean {
  return finding.severity === 'invalid';
}

async function findOwners(
  { mapping, references }: ValidationContext,
  drafts: readonly (Draft | undefined)[],
): Promise<ReadonlyMap<string, KeyOwner>> {
  const keys = drafts.flatMap((draft) => (draft === undefined ? [] : [draft.naturalKey]));
  return keys.length === 0 ? new Map() : references.findKeyOwners(mapping.kind, keys);
}

function stageRow(
  mapping: TableMapping,
  row: SourceRow,
  check: CheckedRow,
  draft: Draft | undefined,
  owners: ReadonlyMap<string, KeyOwner>,
  earlierRows: NaturalKeyIndex,
): StagedRow {
  const base = {
    row: row.number,
    resource: check.definition?.name ?? null,
    cells: keepRefused(mapping, row, check.findings),
    record: check.record,
    findings: check.findings,
    notes: [...(row.notes ?? []), ...check.notes],
    handle: draft?.handle ?? check.definition?.handle(check.record) ?? null,
    sameAs: null,
    objectId: null,
    reason: reasonOf(check.findings),
  };
  if (draft === undefined) return { ...base, state: 'invalid' };
  if (check.findings.length > 0) return { ...base, state: 'held' };
  const owner = owners.get(draft.naturalKey.toString('hex'));
  if (owner !== undefined) return stageOwned(base, owner, draft);
  const earlier = earlierRows.add(draft.naturalKey, draft.fingerprint, row.number);
  return earlier === undefined ? { ...base, state: 'staged' } : stageRepeated(base, earlier);
}

type StagedBase = Omit<StagedRow, 'state'>;

/** A key that is about to be used by another batch is decided when this batch is prepared. */
function stageOwned(base: StagedBase, owner: KeyOwner, draft: Draft): StagedRow {
  const fate = judgeOwnedKey(owner, draft.fingerprint, draft.body);
  switch (fate.to) {
    case 'existing':
      return { ...base, state: 'existing', objectId: fate.objectId, reason: fate.reason };
    case 'held':
      return { ...base, state: 'held', reason: fate.reason };
    case 'waiting':
      return { ...base, state: 'staged' };
  }
}

function stageRepeated(base: StagedBase, earlier: EarlierRow): StagedRow {
  if (earlier.hasSameContent) return { ...base, state: 'duplicate', sameAs: earlier.row };
  const finding: Finding = {
    severity: 'invalid',
    field: '',
    column: '',
    code: 'conflicting_duplicate',
    message: `Row ${earlier.row} names the same object with other values. Keep the row that is right.`,
  };
  const findings = [...base.findings, finding];
  return { ...base, findings, state: 'invalid', reason: reasonOf(findings) };
}

function reasonOf(findings: readonly Finding[]): Reason | null {
  const first = findings[0];
  if (first === undefined) return null;
  return { code: first.code, field: first.column || null, message: joinFindings(findings) };
}

/**
 * A numeric cell that was refused as an identifier is written with a trailing `.0`, so that the failed
 * file, where it would look like sound text, is refused again until a person corrects it.
 */
function keepRefused(mapping: TableMapping, row: SourceRow, findings: readonly Finding[]): readonly string[] {
  const refused = findings.filter((finding) => finding.code === 'damaged_number');
  if (refused.length === 0 || row.kinds === undefined) return row.cells;
  const cells = [...row.cells];
  for (const { index } of mapping.columns.filter(({ field }) =>
    refused.some((finding) => finding.field === field),
  )) {
    if (index === null || row.kinds.get(index) !== 'number') continue;
    const text = cells[index] ?? '';
    cells[index] = text.includes('.') ? text : `${text}.0`;
  }
  return cells;
}
