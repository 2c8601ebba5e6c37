/*
 * Compares the payees of a file with those that the ledger knows and with each other, group by group. Once the file is
 * read to its end, they are also compared with the known payees that are missing from it.
 */

import { readAhead } from '../domain/machine/map-in-turns.ts';
import type { PayeeChange, PayeeSigns } from '../domain/rows/finding.ts';
import type { ChangedRow, StagedRow } from '../domain/rows/ledger-row.ts';
import { NaturalKeyIndex } from '../kinds/natural-key-index.ts';
import { changedRow, findReplacing, mostNewPayees, type NewPayee } from './missing-payees.ts';
import { type Candidate, keysOf, notePayeesIn, type PayeePort } from './payee.ts';
import { compareWithKnown, decidedBefore, findDecided, heldReason, sentenceOf } from './payee-comparison.ts';
import { PayeesOfFile, payeeMark } from './payees-of-file.ts';

/** How a table is watched. */
interface WatchOptions {
  /** Whether rows with a finding wait for a person. */
  readonly isHeld: boolean;
  /** The columns that are not read, and may name whom a row pays. */
  readonly namingColumns?: readonly number[];
  /**
   * Called once the table is read to its end, with rows whose findings became known only then. Without it, these
   * findings are not looked for.
   */
  readonly onLate?: ((rows: readonly ChangedRow[]) => Promise<void> | void) | undefined;
}

/**
 * Examines the groups of one table, in input order; remembers accounts from group to group. A row whose object exists
 * already has a known payee and is not examined.
 */
export class PayeeWatch {
  readonly #port: PayeePort;
  readonly #options: WatchOptions;
  readonly #accounts = new NaturalKeyIndex();
  readonly #paid = new PayeesOfFile();
  readonly #fresh: NewPayee[] = [];
  /** Rows whose payee may have been in an earlier row of the file, at another account. */
  readonly #repeated = new Map<number, Candidate>();

  constructor(port: PayeePort, options: WatchOptions) {
    this.#port = port;
    this.#options = options;
  }

  /**
   * Judges the groups of a table to its end. The values of the next group are read while the ledger is queried about
   * the current one.
   */
  async *judgeAll(groups: AsyncIterable<readonly StagedRow[]>): AsyncGenerator<StagedRow[]> {
    const { onLate } = this.#options;
    try {
      for await (const group of readAhead(groups)) yield await this.#judge(group);
      const late = onLate === undefined ? [] : await this.#findLate();
      if (late.length > 0) await onLate?.(late);
    } finally {
      this.#accounts.clear();
      this.#paid.clear();
      this.#fresh.length = 0;
      this.#repeated.clear();
    }
  }

  /** New payees that take the place of missing ones, and those who occur twice, at two accounts. */
  async #findLate(): Promise<ChangedRow[]> {
    const late = await findReplacing(this.#port, this.#fresh, this.#paid);
    const replacing = new Set(late.map(({ row }) => row));
    for (const [number, earlier] of this.#accounts.earlierWithOtherKeys([...this.#repeated.keys()])) {
      const repeated = this.#repeated.get(number);
      if (repeated === undefined || replacing.has(number)) continue;
      late.push(changedRow(repeated, { batch: null, row: earlier }));
    }
    return late;
  }

  async #judge(rows: readonly StagedRow[]): Promise<StagedRow[]> {
    const candidates = notePayeesIn(rows, this.#paid);
    const { namingColumns: naming = [] } = this.#options;
    if (naming.length > 0) {
      for (const row of rows)
        for (const reference of referencesOf(row, naming)) this.#paid.noteReference(reference);
    }
    if (candidates.length === 0) return [...rows];
    const earlier = candidates.map((candidate) => this.#earlierInFile(candidate));
    const repeated = candidates.filter(({ signs }) => this.#paid.note(signs, false));
    const { found, fresh } = await compareWithKnown(
      this.#port,
      candidates,
      this.#options.onLate !== undefined,
    );
    for (const { code, earlier: before } of [...found.values()].flat())
      if (code === 'payee_details_changed') this.#paid.noteReplaced(before);
    this.#remember(
      rows,
      fresh,
      repeated.filter(({ at }) => !found.has(at)),
    );
    candidates.forEach((candidate, index) => {
      const { at, row } = candidate;
      const other = earlier[index];
      if (other === undefined || found.get(at)?.some(({ code }) => code === 'account_shared')) return;
      const code = 'account_shared' as const;
      const place = { batch: null, row: other };
      const own: PayeeChange = { row: row.row, code, earlier: place, keys: keysOf(candidate) };
      found.set(at, [...(found.get(at) ?? []), own]);
    });
    if (found.size === 0) return [...rows];
    const decisions = await findDecided(
      this.#port,
      candidates.filter(({ at }) => found.has(at)),
    );
    return rows.map((row, at) => {
      const changes = found.get(at);
      if (changes === undefined) return row;
      const decision = decisions.get(at);
      if (decision === undefined) return flaggedRow(row, changes, this.#options.isHeld);
      const notes = [...row.notes, `a person decided about this payee before: ${decision.verdict}`];
      if (decision.verdict === 'send' || decision.objectId === null) return { ...row, notes };
      return { ...row, notes, state: 'existing', objectId: decision.objectId, reason: decidedBefore };
    });
  }

  #earlierInFile({ signs, name, row: { row } }: Candidate): number | undefined {
    const earlier = this.#accounts.add(signs.account, namesakeMark(signs, name), row);
    return earlier === undefined || earlier.hasSameContent ? undefined : earlier.row;
  }

  #remember(rows: readonly StagedRow[], fresh: readonly Candidate[], repeated: readonly Candidate[]): void {
    const { onLate, namingColumns: naming = [] } = this.#options;
    if (onLate === undefined) return;
    for (const candidate of fresh) {
      const row = rows[candidate.at];
      if (row === undefined || this.#fresh.length >= mostNewPayees) break;
      this.#fresh.push({ candidate: withoutCells(candidate), references: referencesOf(row, naming) });
    }
    for (const candidate of repeated) {
      if (this.#repeated.size >= mostNewPayees) break;
      this.#repeated.set(candidate.row.row, withoutCells(candidate));
    }
  }
}

/** A candidate that is kept until the file is read to its end: its row's cells would take most of the memory. */
function withoutCells(candidate: Candidate): Candidate {
  const { row, resource, record } = candidate.row;
  return { ...candidate, row: { row, resource, record } };
}

/** Customer and name, in 64 bits; names that differ in an initial or a number have different ones. */
function namesakeMark(signs: PayeeSigns, name: string): ReturnType<typeof payeeMark> {
  const { first, second } = payeeMark(signs);
  let others = 0;
  for (const [word] of name.toLowerCase().matchAll(initialOrNumber))
    for (let at = 0; at < word.length; at += 1)
      others = Math.imul(others ^ word.charCodeAt(at), 0x01000193) + 1;
  return { first, second: (second ^ others) >>> 0 };
}

const initialOrNumber = /(?<![\p{L}\p{N}'’])(?:\p{L}(?![\p{L}\p{N}'’])|\p{N}+)/gu;

/** A shorter value may be any number. */
const leastLettersOfReference = 3;

function referencesOf({ cells }: StagedRow, columns: readonly number[]): readonly string[] {
  const values = columns.map((column) => (cells[column] ?? '').trim());
  return values.filter((value) => value.length >= leastLettersOfReference);
}

function flaggedRow(row: StagedRow, changes: readonly PayeeChange[], isHeld: boolean): StagedRow {
  if (isHeld) return { ...row, changes, state: 'held', reason: heldReason(changes, row.resource) };
  return { ...row, notes: [...row.notes, ...changes.map(sentenceOf)], changes };
}
