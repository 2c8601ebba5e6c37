/*
 * Compares the payees of a file with those that the ledger knows, with each other, and with those who
 * are missing from it.
 */

import { readAhead } from '../domain/machine/map-in-turns.ts';
import type { PayeeChange, PayeeSigns } from '../domain/rows/finding.ts';
import type { ChangedRow, StagedRow } from '../domain/rows/ledger-row.ts';
import type { NameMarks } from '../domain/text/payee-names.ts';
import { areNamesakes, comparedName, haveSameWords, mayBeOnePayee, shareAWord } from '../kinds/like-names.ts';
import { NaturalKeyIndex } from '../kinds/natural-key-index.ts';
import type { NamedPayee } from '../ledger/before-sending/payees.ts';
import { type Candidate, keysOf, notePayeesIn, type PayeePort } from './payee.ts';
import {
  byRow,
  compareWithKnown,
  decidedBefore,
  findDecided,
  heldReason,
  sentenceOf,
} from './payee-comparison.ts';
import { PayeesOfFile, payeeMark } from './payees-of-file.ts';

/** How a table is watched. */
interface WatchOptions {
  /** Whether rows with a finding wait for a person. */
  readonly isHeld: boolean;
  /** The columns that are not read, and may name whom a row pays. */
  readonly namingColumns?: readonly number[];
  /**
   * Called once the table is read to its end, with rows whose findings became known only then; without it nothing is
   * looked for.
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

  /** The groups of a table to its end: the next group's values are judged while the ledger is queried about one. */
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

function changedRow(candidate: Candidate, earlier: PayeeChange['earlier']): ChangedRow {
  const { row } = candidate;
  const code = 'payee_details_changed' as const;
  return { ...row, changes: [{ row: row.row, code, earlier, keys: keysOf(candidate) }] };
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

/** A shorter one may be a number of anything. */
const leastLettersOfReference = 3;

function referencesOf({ cells }: StagedRow, columns: readonly number[]): readonly string[] {
  const values = columns.map((column) => (cells[column] ?? '').trim());
  return values.filter((value) => value.length >= leastLettersOfReference);
}

function flaggedRow(row: StagedRow, changes: readonly PayeeChange[], isHeld: boolean): StagedRow {
  if (isHeld) return { ...row, changes, state: 'held', reason: heldReason(changes, row.resource) };
  return { ...row, notes: [...row.notes, ...changes.map(sentenceOf)], changes };
}

/*
 * Compares the new payees of a file, once it is read to its end, with the known payees of their customers that are missing
 * from it: one of these may be paid under another name, at another account. Payees who are still in the file are left out,
 * so that names may be compared much more broadly than row by row: in a payroll many names are alike.
 */

/** A row whose payee is new to the ledger although its customer is known. */
interface NewPayee {
  readonly candidate: Candidate;
  /** What else the row names its payee by: a staff number. */
  readonly references: readonly string[];
}

/** This many new payees of a file are compared. */
const mostNewPayees = 10_000;

/** All names of a customer of this many known payees are read; of more, those that are missing and share a word. */
const mostReadAlways = 2_000;

/** A customer of this many known payees is the payee: a wholly new name takes the place of the old one. */
const payeesOfOneself = 1;

const atOnce = 1_000;

/** A known payee that is missing from the file. */
interface Missing {
  readonly batch: string;
  readonly row: number;
  readonly name: string;
  readonly cells: readonly string[];
  /** Whether a payee of this name is in the file: only a reference tells that this is another one. */
  readonly isNamePaid: boolean;
}

/** @returns the rows that may pay a missing payee, each with the finding */
async function findReplacing(
  port: PayeePort,
  fresh: readonly NewPayee[],
  paid: PayeesOfFile,
): Promise<ChangedRow[]> {
  const byCustomer = new Map<string, NewPayee[]>();
  for (const each of fresh) {
    const { customer } = each.candidate.signs;
    const own = byCustomer.get(customer);
    if (own === undefined) byCustomer.set(customer, [each]);
    else own.push(each);
  }
  const customers = [...byCustomer.keys()];
  const found: ChangedRow[] = [];
  for (let from = 0; from < customers.length; from += atOnce) {
    const group = customers.slice(from, from + atOnce);
    const wanted: NameOfCustomer[] = [];
    const oneself = new Set<string>();
    for (const { n, names } of await port.findKnownNames(group)) {
      const customer = group[n] ?? '';
      const ofCustomer = byCustomer.get(customer) ?? [];
      const known = new Map<string, NameMarks>();
      for await (const page of names === null ? port.readKnownNames(customer) : [names])
        for (const { name, marks } of page) known.set(name, marks);
      if (names?.length === payeesOfOneself && ofCustomer.length === 1) oneself.add(customer);
      const alike =
        known.size <= mostReadAlways
          ? [...known.keys()]
          : sharingSounds(known, ofCustomer, (name) => paid.hasPayee({ customer, name }));
      for (const name of alike) wanted.push({ customer, name });
    }
    const missing = await readMissing(port, wanted, paid);
    for (const [customer, ofCustomer] of missing) {
      const rows = byCustomer.get(customer) ?? [];
      found.push(...(await replacingIn(port, rows, ofCustomer, { paid, isOneself: oneself.has(customer) })));
    }
  }
  return found;
}

interface NameOfCustomer {
  readonly customer: string;
  readonly name: string;
}

/** The names of no payee of the file that have a word of a new name, by their marks. */
function sharingSounds(
  known: ReadonlyMap<string, NameMarks>,
  fresh: readonly NewPayee[],
  isPaid: (name: string) => boolean,
): string[] {
  const sounds = new Set(
    fresh.flatMap(({ candidate }) => (candidate.signs.marks ?? []).map((mark) => mark >> 8)),
  );
  const isWanted = (marks: NameMarks): boolean =>
    marks === null || marks.some((mark) => sounds.has(mark >> 8));
  return [...known].flatMap(([name, marks]) => (isWanted(marks) && !isPaid(name) ? [name] : []));
}

/** By customer, the newest first. */
async function readMissing(
  port: PayeePort,
  names: readonly NameOfCustomer[],
  paid: PayeesOfFile,
): Promise<ReadonlyMap<string, readonly Missing[]>> {
  const missing = new Map<string, Missing[]>();
  const readings = await port.readings();
  for (let from = 0; from < names.length; from += atOnce) {
    const asked = names.slice(from, from + atOnce).map((each, n) => ({ n, ...each }));
    const ofNames = await port.findNamedPayees(asked, readings);
    const isPaid = ({ n, account, ...place }: NamedPayee): boolean => {
      const { customer = '', name = '' } = asked[n] ?? {};
      return paid.wasReplaced(place) || paid.hasAccount({ customer, name, account });
    };
    const present = new Set(ofNames.filter(isPaid));
    const presentOf = byRow([...present]);
    for (const payee of ofNames) {
      if (present.has(payee)) continue;
      const { n, batch, row, name, cells } = payee;
      const customer = asked[n]?.customer ?? '';
      const own = missing.get(customer) ?? [];
      missing.set(customer, own);
      // A payee may have had other accounts before.
      const compared = comparedName(name);
      const isNamePaid = (presentOf.get(n) ?? []).some(
        (each) => !areNamesakes(comparedName(each.name), compared),
      );
      own.push({ batch, row, name, cells, isNamePaid });
    }
  }
  return missing;
}

async function replacingIn(
  port: PayeePort,
  fresh: readonly NewPayee[],
  missing: readonly Missing[],
  { paid, isOneself }: { readonly paid: PayeesOfFile; readonly isOneself: boolean },
): Promise<ChangedRow[]> {
  const found: ChangedRow[] = [];
  const compared = missing.map((each) => ({ ...each, compared: comparedName(each.name) }));
  for (const { candidate, references } of fresh) {
    const family = await familyOf(port, candidate);
    const own = comparedName(candidate.name);
    const unique = references.filter((reference) => !paid.isRepeated(reference));
    const named = compared.filter(({ cells }) => unique.some((reference) => cells.includes(reference)));
    // A value that several payees had last time is no reference of one of them.
    const isOfOne = named.every(
      (each) => named[0] !== undefined && haveSameWords(each.compared, named[0].compared),
    );
    const before = compared.find(
      (each) =>
        ((isOfOne && named.includes(each)) ||
          (!each.isNamePaid &&
            (haveSameWords(each.compared, own) ||
              mayBeOnePayee(each.compared, own) ||
              (isOneself && !shareAWord(each.compared, own))))) &&
        !family.has(`${each.batch} ${each.row}`),
    );
    if (before !== undefined) found.push(changedRow(candidate, { batch: before.batch, row: before.row }));
  }
  return found;
}

/** The rows that a row corrects, with their other corrections: these do not count. */
async function familyOf(port: PayeePort, { at, relative }: Candidate): Promise<ReadonlySet<string>> {
  if (relative === undefined) return new Set();
  const rows = await port.findFamilyRows([{ n: at, ...relative }]);
  return new Set(rows.map(({ batch, row }) => `${batch} ${row}`));
}
