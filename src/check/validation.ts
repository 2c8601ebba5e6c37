import type { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { mapInTurns } from '../domain/machine/map-in-turns.ts';
import { type Finding, joinFindings } from '../domain/rows/finding.ts';
import type { KeyOwner, Reason, StagedRow } from '../domain/rows/ledger-row.ts';
import type { TableMapping } from '../domain/tables/mapping.ts';
import { heldByMark, type SourceRow, unprotectCell } from '../domain/tables/table.ts';
import type { ResourceDefinition } from '../kinds/definition.ts';
import type { FindingCode } from '../kinds/fields/finding-codes.ts';
import type { DirectoryPort } from '../kinds/institutions/directory.ts';
import { ContentMark, type EarlierOwner, NaturalKeyIndex } from '../kinds/natural-key-index.ts';
import { judgeOwnedKey } from '../kinds/owned-key.ts';
import { fingerprintOf, naturalKeyText, type ReferencePort, writeBody } from '../kinds/request.ts';
import type { CheckedRow, RowChecker } from '../kinds/row-check.ts';
import { findOwners, lookUpForGroup, withPayeeTypes } from './look-up-group.ts';
import type { ReadingWatch } from './reading-contradiction.ts';

interface ValidationContext {
  /** The table's name in messages. */
  readonly place: string;
  readonly checker: RowChecker;
  readonly mapping: TableMapping;
  readonly references: ReferencePort;
  readonly directory: DirectoryPort;
  /** Observes the rows while they are checked. */
  readonly watch?: ReadingWatch;
  /**
   * Whether earlier files with this header end with a line end. Called for the last row of a file that ends without one. No
   * earlier file is known when absent.
   */
  readonly endedBefore?: (() => Promise<boolean>) | undefined;
  /** Adds the values of earlier rounds to the rows of a returned failed file. */
  readonly attachEarlier?: (rows: readonly SourceRow[]) => Promise<readonly SourceRow[]>;
}

/** Checks groups of one table's rows, in input order. Remembers their natural keys from group to group. */
export interface Validation {
  readonly judge: (rows: readonly SourceRow[]) => Promise<StagedRow[]>;
  /** The reason to refuse the whole table after its last row; null if it is not refused. */
  readonly refusal: () => PaybatchError | null;
  /** Releases the natural keys after the last row of the table. */
  readonly end: () => void;
}

/**
 * All checks of a row before anything is sent: its fields, the objects to which it refers, whether its own object exists
 * already, and whether an earlier row of the file is the same.
 */
export function createValidation(context: ValidationContext): Validation {
  const { checker, references, directory } = context;
  const earlierRows = new NaturalKeyIndex();
  const content = new ContentMark();
  const corrected = new Map<string, number>();
  const places = new RowPlaces(context.place);
  const columnOf = new Map(
    context.mapping.columns.flatMap(({ field, index }): [string, number][] =>
      index === null ? [] : [[field, index]],
    ),
  );
  return {
    judge: async (sourceRows) => {
      const meant = sourceRows.map(withoutProtection);
      const rows = await withPayeeTypes((await context.attachEarlier?.(meant)) ?? meant, context);
      const checked = await mapInTurns(rows, (row) => checker.checkFields(row));
      const lookups = await lookUpForGroup(checker, checked, references, directory);
      const referring = await mapInTurns(checked, (row) => checker.checkReferences(row, lookups));
      const judged = withHeld(rows, await withCut(rows, referring, context.endedBefore));
      const keys = await mapInTurns(judged, keyOf);
      const owners = await findOwners(references, context.mapping.kind, keys);
      const otherRows = { owners, earlierRows, content, places, columnOf };
      for (const row of rows) places.note(row);
      const staged = await mapInTurns(rows, (row, index) => {
        const check = judged[index];
        if (check === undefined) throw new Error('a row was lost while it was checked');
        return correctedOnce(stageRow(checker, row, check, keys[index], otherRows), corrected, places);
      });
      context.watch?.take(rows, staged);
      return staged;
    },
    refusal: () => context.watch?.refusal() ?? null,
    end: () => {
      earlierRows.clear();
      corrected.clear();
    },
  };
}

/**
 * Holds the last row of a file that ends without a line end, if this shows that the file is cut off; otherwise adds a note.
 * A row of a returned failed file is not checked: its last columns name its batch, so its own values are whole.
 */
async function withCut(
  rows: readonly SourceRow[],
  checked: readonly CheckedRow[],
  endedBefore: ValidationContext['endedBefore'],
): Promise<readonly CheckedRow[]> {
  const place = rows.findIndex(({ cut, corrects }) => cut !== undefined && corrects === undefined);
  const [row, check] = [rows[place], checked[place]];
  if (row === undefined || check === undefined) return checked;
  const why =
    row.cut === 'short'
      ? 'in this row, which has fewer cells than all others'
      : (await endedBefore?.()) === true
        ? 'in this row, and earlier files of this header had a line end'
        : null;
  const own =
    why === null
      ? { ...check, notes: [...check.notes, 'the file ends here without a line end'] }
      : held(
          check,
          'file_may_be_cut',
          `The file ends without a line end ${why}: it may be cut off. Compare the row with its source.`,
        );
  return checked.with(place, own);
}

/** Holds a row for a reason that concerns the whole row. */
function held(check: CheckedRow, code: FindingCode, message: string): CheckedRow {
  return { ...check, findings: [...check.findings, ofWholeRow('held', code, message)] };
}

function ofWholeRow(severity: Finding['severity'], code: FindingCode, message: string): Finding {
  return { severity, field: '', column: '', code, message };
}

/** Holds the rows that a person has marked to be held. */
function withHeld(rows: readonly SourceRow[], checked: readonly CheckedRow[]): readonly CheckedRow[] {
  if (rows.every(({ heldFor }) => heldFor === undefined)) return checked;
  return checked.map((check, at) => {
    const message = rows[at]?.heldFor;
    return message === undefined ? check : held(check, heldByMark, message);
  });
}

/** Removes the apostrophe that result files add before text that a spreadsheet program would read as a formula. */
function withoutProtection(row: SourceRow): SourceRow {
  const { cells, kinds } = row;
  if (cells.every((cell) => cell === '' || unprotectCell(cell) === cell)) return row;
  return { ...row, cells: cells.map((cell, index) => (kinds?.has(index) ? cell : unprotectCell(cell))) };
}

/** The natural key, as text, of a row without findings. It identifies the object of the row. */
function keyOf({ definition, record, findings }: CheckedRow): string | undefined {
  return definition === null || findings.length > 0 ? undefined : naturalKeyText(definition, record);
}

/** The rows that a row may repeat: rows of the ledger, and earlier rows of its own file. */
interface OtherRows {
  readonly owners: ReadonlyMap<string, KeyOwner>;
  readonly earlierRows: NaturalKeyIndex;
  readonly content: ContentMark;
  readonly places: RowPlaces;
  /** The index of each field in the header of the file. */
  readonly columnOf: ReadonlyMap<string, number>;
}

/**
 * Names of a table's rows in messages. Messages also appear in other files, where a number alone would mean another row.
 * People who correct rows know them by their first file.
 */
class RowPlaces {
  readonly #table: string;
  readonly #corrected = new Map<number, string>();

  constructor(table: string) {
    this.#table = table;
  }

  note({ number, correctedPlace }: SourceRow): void {
    if (correctedPlace !== undefined) this.#corrected.set(number, correctedPlace);
  }

  /** `row 3 of people.csv`; for a row that corrects another row, the place of the other row. */
  originOf(row: number): string {
    return this.#corrected.get(row) ?? this.of(row);
  }

  /** `row 3 of people.failed.csv` */
  of(row: number): string {
    return `row ${row} of ${this.#table}`;
  }
}

/**
 * Adds to findings about refused numbers how the cell showed the number, in this or an earlier round. Result files contain
 * it in another form.
 */
function withShownCells(
  findings: readonly Finding[],
  { cells: own, earlier }: SourceRow,
  kept: readonly string[],
  columnOf: ReadonlyMap<string, number>,
): readonly Finding[] {
  if (findings.length === 0) return findings;
  return findings.map((finding) => {
    const place = columnOf.get(finding.field);
    if (place === undefined) return finding;
    const [before] = earlier?.get(place) ?? [];
    const isNumber = kept[place] === `${own[place]}.0`;
    const text = isNumber ? own[place] : before?.text === own[place] ? before?.shown : undefined;
    return text === undefined ? finding : { ...finding, shown: { place, text } };
  });
}

function stageRow(
  checker: Pick<RowChecker, 'keptCells'>,
  row: SourceRow,
  check: CheckedRow,
  key: string | undefined,
  { owners, earlierRows, content, places, columnOf }: OtherRows,
): StagedRow {
  const { definition, record } = check;
  const cells = checker.keptCells(row, check);
  const findings = withShownCells(check.findings, row, cells, columnOf);
  const staged: StagedRow = {
    row: row.number,
    resource: definition?.name ?? null,
    cells,
    record,
    findings,
    notes: row.notes === undefined ? check.notes : [...row.notes, ...check.notes],
    handle: definition?.handle(record) ?? null,
    sameAs: null,
    objectId: null,
    reason: reasonOf(findings),
    state: stateOf(check),
    ...(row.corrects === undefined ? {} : { corrects: row.corrects }),
  };
  if (definition === null || key === undefined) return staged;
  const owner = owners.size === 0 ? undefined : owners.get(Buffer.from(key, 'latin1').toString('hex'));
  if (owner !== undefined) return resolveAgainstKeyOwner(staged, owner, definition);
  content.take(definition, record);
  const earlier = earlierRows.add(key, content, row.number);
  return earlier === undefined ? staged : asRepetition(staged, earlier, places);
}

/**
 * The state of a row by its own values, without other rows. A row without a definition always has a finding. If that
 * finding only holds the row, its payee type follows once a complete list has its institution.
 */
function stateOf({ findings }: CheckedRow): 'staged' | 'invalid' | 'held' {
  if (findings.some(({ severity }) => severity === 'invalid')) return 'invalid';
  return findings.length === 0 ? 'staged' : 'held';
}

/** A natural key that another batch is about to use is decided when this batch is prepared. */
function resolveAgainstKeyOwner(row: StagedRow, owner: KeyOwner, definition: ResourceDefinition): StagedRow {
  const body = writeBody(definition, row.record);
  const decision = judgeOwnedKey(owner, fingerprintOf(definition.path, body), body, definition.nameFields);
  switch (decision.to) {
    case 'existing': {
      const { objectId, reason, note } = decision;
      const notes = note === undefined ? row.notes : [...row.notes, note];
      return { ...row, notes, state: 'existing', objectId, reason };
    }
    case 'held':
      // The owner may be the row that this row corrects. The preparation determines that.
      return row.corrects === undefined ? { ...row, state: 'held', reason: decision.reason } : row;
    case 'waiting':
      return row;
  }
}

function asRepetition(row: StagedRow, earlier: EarlierOwner, places: RowPlaces): StagedRow {
  if (earlier.hasSameContent) {
    const note = `${places.originOf(earlier.row)} has another amount than ${row.record['amount'] ?? 'none'}, and amounts are not sent`;
    const notes = earlier.hasSameAmount ? row.notes : [...row.notes, note];
    return { ...row, notes, state: 'duplicate', sameAs: earlier.row };
  }
  const message = `It is about the same object as ${places.originOf(earlier.row)}, with other values. Keep the row that is right.`;
  return withFinding(row, 'conflicting_duplicate', message);
}

/**
 * If several valid rows of a file correct the same row, the first one counts, and the others become invalid.
 * @param corrected the correcting rows of this file, by batch and number of the corrected row
 */
function correctedOnce(row: StagedRow, corrected: Map<string, number>, places: RowPlaces): StagedRow {
  if (row.corrects === undefined || row.state === 'invalid' || row.state === 'duplicate') return row;
  const name = `${row.corrects.batch} ${row.corrects.row}`;
  const earlier = corrected.get(name);
  if (earlier === undefined) {
    corrected.set(name, row.row);
    return row;
  }
  const message = `It corrects the same row as ${places.of(earlier)}, with other values. Keep the row that is right.`;
  return withFinding(row, 'corrected_twice', message);
}

/** Marks a row as invalid for a reason that concerns the whole row. */
function withFinding(row: StagedRow, code: FindingCode, message: string): StagedRow {
  const findings = [...row.findings, ofWholeRow('invalid', code, message)];
  return { ...row, findings, state: 'invalid', objectId: null, reason: reasonOf(findings) };
}

function reasonOf(findings: readonly Finding[]): Reason | null {
  const first = findings[0];
  if (first === undefined) return null;
  return { code: first.code, field: first.column || null, message: joinFindings(findings) };
}
