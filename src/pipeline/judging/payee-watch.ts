/* Compares the payees of a file with those that the ledger knows, and with each other. */

import type { Reason, StagedRow } from '../../domain/rows/ledger-row.ts';
import type { PayeeChange, PayeeKeys } from '../../domain/rows/payee-change.ts';
import { areLikeNames } from '../../domain/text/payee-names.ts';
import { definitionNamed } from '../../resources/registry.ts';
import type { PayeePort } from '../ports.ts';
import { payeeKeysOf } from '../requests/payee.ts';
import { NaturalKeyIndex } from './natural-key-index.ts';
import { heldReason, sentenceOf } from './payee-finding.ts';

/** A row whose payee is new to the ledger, as far as its own natural key tells. */
interface Candidate {
  readonly at: number;
  readonly row: StagedRow;
  readonly keys: PayeeKeys;
  readonly name: string;
}

type Asked = PayeeKeys & { readonly n: number };

/** What was found for the rows of a group, by their place in it. */
type Found = Map<number, PayeeChange[]>;

/**
 * Looks at groups of staged rows, in input order; remembers accounts from group to group. A row whose object exists
 * already is a known payee and needs no look.
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

  async judge(rows: readonly StagedRow[]): Promise<StagedRow[]> {
    const candidates = rows.flatMap((row, at) => candidateOf(row, at));
    if (candidates.length === 0) return [...rows];
    const found: Found = new Map();
    const earlier = candidates.map(({ keys, row }) => this.#earlierInFile(keys, row.row));
    await this.#compareWithLedger(rows, candidates, found);
    candidates.forEach(({ at, row, keys }, index) => {
      const other = earlier[index];
      if (other === undefined || found.get(at)?.some(({ code }) => code === 'account_shared')) return;
      const code = 'account_shared' as const;
      const own: PayeeChange = { row: row.row, code, earlier: { batch: null, row: other }, keys };
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

  /** Forgets the accounts: the table has no more rows. */
  end(): void {
    this.#accounts.clear();
  }

  #earlierInFile(keys: PayeeKeys, row: number): number | undefined {
    const earlier = this.#accounts.add(keys.account, ownerMark(keys), row);
    return earlier === undefined || earlier.hasSameContent ? undefined : earlier.row;
  }

  async #compareWithLedger(
    rows: readonly StagedRow[],
    candidates: readonly Candidate[],
    found: Found,
  ): Promise<void> {
    const asked = candidates.map(({ at, keys }): Asked => ({ n: at, ...keys }));
    const corrected = new Set(
      rows.flatMap(({ corrects }) => (corrects === undefined ? [] : [corrects.batch])),
    );
    const without = await this.#port.familyOf([...corrected]);
    const known = byRow(await this.#port.findPayees(asked, without));
    const unnamed: Candidate[] = [];
    for (const candidate of candidates) {
      const { at, row, keys } = candidate;
      const others = known.get(at) ?? [];
      const ofPayee = others.filter(({ isSameCustomer, isSameName }) => isSameCustomer && isSameName);
      if (ofPayee.some(({ isSameDetails }) => isSameDetails)) continue;
      const changes: PayeeChange[] = [];
      const [before] = ofPayee;
      const shared = others.find(({ isSameCustomer, isSameName }) => !(isSameCustomer && isSameName));
      if (before !== undefined)
        changes.push({ row: row.row, code: 'payee_details_changed', earlier: before, keys });
      if (shared !== undefined && !isOneOf(shared, ofPayee)) {
        changes.push({ row: row.row, code: 'account_shared', earlier: shared, keys });
      }
      if (changes.length > 0) found.set(at, changes.map(withPlaceOnly));
      if (before === undefined) unnamed.push(candidate);
    }
    await this.#compareNames(unnamed, without, found);
  }

  /** Names that are written so differently that their keys differ. */
  async #compareNames(
    unnamed: readonly Candidate[],
    without: readonly string[],
    found: Found,
  ): Promise<void> {
    if (unnamed.length === 0) return;
    // Once for each customer: a file may pay many payees of one.
    const customers = [...new Set(unnamed.map(({ keys: { customer } }) => customer))];
    const asked = customers.map((customer, n) => ({ n, customer }));
    const named = byRow(await this.#port.findNamedPayees(asked, without));
    const places = new Map(customers.map((customer, n) => [customer, n]));
    for (const { at, row, keys, name } of unnamed) {
      const ofCustomer = named.get(places.get(keys.customer) ?? -1);
      const before = ofCustomer?.find((other) => areLikeNames(other.name, name));
      if (before === undefined) continue;
      const others = (found.get(at) ?? []).filter(({ earlier }) => !isSamePlace(earlier, before));
      const own: PayeeChange = { row: row.row, code: 'payee_details_changed', earlier: before, keys };
      found.set(at, [withPlaceOnly(own), ...others]);
    }
  }
}

function candidateOf(row: StagedRow, at: number): Candidate[] {
  if (row.state !== 'staged' || row.resource === null) return [];
  const definition = definitionNamed(row.resource);
  const keys = payeeKeysOf(definition, row.record);
  return keys === null ? [] : [{ at, row, keys, name: row.record[definition.payee?.name ?? ''] ?? '' }];
}

/** What was decided while the customer was known by its external id alone counts as well. */
function keysOfDecision({ at, row: { record, resource }, keys }: Candidate): Asked[] {
  const { customer_id: id, ...others } = record;
  const before = id === undefined ? null : payeeKeysOf(definitionNamed(resource ?? ''), others);
  return [keys, ...(before === null ? [] : [before])].map((each) => ({ n: at, ...each }));
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
function ownerMark({ customer, name }: PayeeKeys): { readonly first: number; readonly second: number } {
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
