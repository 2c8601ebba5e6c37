/* Compares the payees of a file with those that the ledger knows, and with each other. */

import { shortBatchId } from '../domain/batches/batch.ts';
import { readAhead } from '../domain/machine/map-in-turns.ts';
import type { PayeeChange, PayeeKeys, PayeeSigns } from '../domain/rows/finding.ts';
import type { Reason, StagedRow } from '../domain/rows/ledger-row.ts';
import { capital } from '../domain/settings/message.ts';
import { areLikeNames, payeeName } from '../domain/text/payee-names.ts';
import { NaturalKeyIndex } from '../kinds/natural-key-index.ts';
import { definitionNamed } from '../kinds/registry.ts';
import { payeeKeysOf } from './payee.ts';
import {
  type Candidate,
  findPayeesAtHand,
  keysOf,
  notePayeesIn,
  type PayeePort,
  type PayeesAtHand,
} from './payees-at-hand.ts';

type Asked = PayeeKeys & { readonly n: number };

/** The findings for the rows of a group, by their place in it. */
type Found = Map<number, PayeeChange[]>;

/**
 * Examines the groups of one table, in input order; remembers accounts from group to group. A row whose object exists
 * already has a known payee and is not examined.
 */
export class PayeeWatch {
  readonly #port: PayeePort;
  readonly #isHeld: boolean;
  readonly #accounts = new NaturalKeyIndex();

  /** @param isHeld whether rows with a finding wait for a person */
  constructor(port: PayeePort, isHeld: boolean) {
    this.#port = port;
    this.#isHeld = isHeld;
  }

  /** The groups of a table to its end: the next group's values are judged while the ledger is queried about one. */
  async *judgeAll(groups: AsyncIterable<readonly StagedRow[]>): AsyncGenerator<StagedRow[]> {
    try {
      for await (const group of readAhead(groups)) yield await this.#judge(group);
    } finally {
      this.#accounts.clear();
    }
  }

  async #judge(rows: readonly StagedRow[]): Promise<StagedRow[]> {
    const candidates = notePayeesIn(rows);
    if (candidates.length === 0) return [...rows];
    const earlier = candidates.map(({ signs, row }) => this.#earlierInFile(signs, row.row));
    const found = await this.#compareWithLedger(rows, candidates);
    candidates.forEach((candidate, index) => {
      const { at, row } = candidate;
      const other = earlier[index];
      if (other === undefined || found.get(at)?.some(({ code }) => code === 'account_shared')) return;
      const code = 'account_shared' as const;
      const place = { batch: null, row: other };
      const own: PayeeChange = { row: row.row, code, earlier: place, keys: keysOf(candidate) };
      found.set(at, [...(found.get(at) ?? []), own]);
    });
    const flagged = candidates.filter(({ at }) => found.has(at));
    if (flagged.length === 0) return [...rows];
    const decided = await this.#port.findDecisions(flagged.flatMap(keysOfDecision));
    const decisions = new Map(decided.map((each) => [each.n, each]));
    return rows.map((row, at) => {
      const changes = found.get(at);
      if (changes === undefined) return row;
      const decision = decisions.get(at);
      if (decision === undefined) return flaggedRow(row, changes, this.#isHeld);
      const notes = [...row.notes, `a person decided about this payee before: ${decision.verdict}`];
      if (decision.verdict === 'send' || decision.objectId === null) return { ...row, notes };
      return { ...row, notes, state: 'existing', objectId: decision.objectId, reason: decidedBefore };
    });
  }

  #earlierInFile(signs: PayeeSigns, row: number): number | undefined {
    const earlier = this.#accounts.add(signs.account, ownerMark(signs), row);
    return earlier === undefined || earlier.hasSameContent ? undefined : earlier.row;
  }

  async #compareWithLedger(rows: readonly StagedRow[], candidates: readonly Candidate[]): Promise<Found> {
    const found: Found = new Map();
    const atHand = await findPayeesAtHand(this.#port, candidates);
    if (atHand.known.length === 0 && atHand.names.length === 0) return found;
    const corrected = new Set(
      rows.flatMap(({ corrects }) => (corrects === undefined ? [] : [corrects.batch])),
    );
    const without = await this.#port.familyOf([...corrected]);
    const unnamed = new Set(atHand.namesOf.keys());
    for (const candidate of await this.#compareKeys(atHand.known, without, found)) unnamed.delete(candidate);
    await this.#compareNames([...unnamed], atHand, without, found);
    return found;
  }

  /** @returns the candidates that are settled: the names of others may be known in another spelling */
  async #compareKeys(
    candidates: readonly Candidate[],
    without: readonly string[],
    found: Found,
  ): Promise<readonly Candidate[]> {
    if (candidates.length === 0) return [];
    const asked = candidates.map((candidate): Asked => ({ n: candidate.at, ...keysOf(candidate) }));
    const known = byRow(await this.#port.findPayees(asked, without));
    return candidates.filter((candidate, index) => {
      const { at, row } = candidate;
      const others = known.get(at) ?? [];
      const ofPayee = others.filter(({ isSameCustomer, isSameName }) => isSameCustomer && isSameName);
      if (ofPayee.some(({ isSameDetails }) => isSameDetails)) return true;
      const keys = asked[index] ?? keysOf(candidate);
      const changes: PayeeChange[] = [];
      const [before] = ofPayee;
      const shared = others.find(({ isSameCustomer, isSameName }) => !(isSameCustomer && isSameName));
      if (before !== undefined)
        changes.push({ row: row.row, code: 'payee_details_changed', earlier: before, keys });
      if (shared !== undefined && !isOneOf(shared, ofPayee)) {
        changes.push({ row: row.row, code: 'account_shared', earlier: shared, keys });
      }
      if (changes.length > 0) found.set(at, changes.map(withPlaceOnly));
      return before !== undefined;
    });
  }

  /** Names whose spellings differ so much that their keys differ. */
  async #compareNames(
    candidates: readonly Candidate[],
    { names, namesOf }: Pick<PayeesAtHand, 'names' | 'namesOf'>,
    without: readonly string[],
    found: Found,
  ): Promise<void> {
    const wanted = new Set(candidates.flatMap((candidate) => namesOf.get(candidate) ?? []));
    if (wanted.size === 0) return;
    const asked = names.filter(({ n }) => wanted.has(n));
    const known = await this.#port.findNamedPayees(asked, without);
    const named = byRow(known.map((payee, order) => ({ ...payee, order, own: payeeName(payee.name) })));
    for (const candidate of candidates) {
      const own = payeeName(candidate.name);
      const alike = (namesOf.get(candidate) ?? [])
        .flatMap((n) => named.get(n) ?? [])
        .filter((other) => areLikeNames(other.own, own));
      const [before] = alike.sort((one, other) => one.order - other.order);
      if (before === undefined) continue;
      const { at, row } = candidate;
      const others = (found.get(at) ?? []).filter(({ earlier }) => !isSamePlace(earlier, before));
      const earlier = { batch: before.batch, row: before.row };
      const code = 'payee_details_changed' as const;
      found.set(at, [{ row: row.row, code, earlier, keys: keysOf(candidate) }, ...others]);
    }
  }
}

/** Decisions made while the customer was known only by its external id count as well. */
function keysOfDecision(candidate: Candidate): Asked[] {
  const { at, row } = candidate;
  const { customer_id: id, ...others } = row.record;
  const before = id === undefined ? null : payeeKeysOf(definitionNamed(row.resource ?? ''), others);
  return [keysOf(candidate), ...(before === null ? [] : [before])].map((each) => ({ n: at, ...each }));
}

function byRow<Answer extends { readonly n: number }>(
  answers: readonly Answer[],
): ReadonlyMap<number, Answer[]> {
  const grouped = new Map<number, Answer[]>();
  for (const answer of answers) {
    const own = grouped.get(answer.n);
    if (own === undefined) grouped.set(answer.n, [answer]);
    else own.push(answer);
  }
  return grouped;
}

interface Place {
  readonly batch: string | null;
  readonly row: number;
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.batch === other.batch && one.row === other.row;
}

function isOneOf(one: Place, others: readonly Place[]): boolean {
  return others.some((other) => isSamePlace(one, other));
}

function withPlaceOnly({ earlier: { batch, row }, ...change }: PayeeChange): PayeeChange {
  return { ...change, earlier: { batch, row } };
}

/** Customer and name in 64 bits, which are compared only between rows of one account. */
function ownerMark({ customer, name }: PayeeSigns): { readonly first: number; readonly second: number } {
  const word = (text: string): number =>
    (text.charCodeAt(0) |
      (text.charCodeAt(1) << 8) |
      (text.charCodeAt(2) << 16) |
      (text.charCodeAt(3) << 24)) >>>
    0;
  return { first: word(customer), second: word(name) };
}

const decidedBefore: Reason = {
  code: 'existing',
  field: null,
  message: 'A person decided earlier that the object which is there stands for this payee.',
};

function flaggedRow(row: StagedRow, changes: readonly PayeeChange[], isHeld: boolean): StagedRow {
  if (isHeld) return { ...row, changes, state: 'held', reason: heldReason(changes, row.resource) };
  return { ...row, notes: [...row.notes, ...changes.map(sentenceOf)], changes };
}

/* Texts about a row whose payee differs from the known payees. */

type Finding = Pick<PayeeChange, 'code' | 'earlier'>;

/** Without a value: notes and reasons are shown where nothing personal may be. */
export function sentenceOf({ code, earlier: { batch, row } }: Finding): string {
  const place =
    batch === null ? `row ${row} of the file that it came in` : `row ${row} of batch ${shortBatchId(batch)}`;
  return code === 'payee_details_changed'
    ? `the payee had other account details before: ${place}`
    : `the account belongs to another payee too: ${place}`;
}

/**
 * Why a row with such findings waits for a person.
 * @param findings at least one; the first gives the code
 */
export function heldReason(findings: readonly Finding[], resource: string | null): Reason {
  const [first] = findings;
  if (first === undefined) throw new Error('a row is held for nothing');
  const field = resource === null ? null : (definitionNamed(resource).payee?.account ?? null);
  const sentences = findings.map(sentenceOf).map((text) => `${capital(text)}.`);
  return { code: first.code, field, message: sentences.join(' ') };
}
