/* Compares payees with those that the ledger knows, and says in a sentence how they differ. */

import { shortBatchId } from '../domain/batches/batch.ts';
import type { PayeeChange, PayeeKeys } from '../domain/rows/finding.ts';
import type { Reason } from '../domain/rows/ledger-row.ts';
import { capital } from '../domain/settings/message.ts';
import { areLikeNames, payeeName } from '../domain/text/payee-names.ts';
import { areNamesakes, comparedName } from '../kinds/like-names.ts';
import { definitionNamed } from '../kinds/registry.ts';
import {
  type Candidate,
  findPayeesAtHand,
  keysOf,
  type PayeePort,
  type PayeesAtHand,
  payeeKeysOf,
} from './payee.ts';

type Asked = PayeeKeys & { readonly n: number };

/** The findings about payees, by the places of their rows among those that were compared. */
type FoundChanges = Map<number, PayeeChange[]>;

/** The known payees that payees are not compared with. */
interface LeftOut {
  /** The readings of their own file. */
  readonly batches: readonly string[];
  /** Whether a known row is the one that a compared row corrects, or another correction of it. */
  readonly isFamily: (at: number, known: Place) => boolean;
}

/** What a comparison has found out. */
interface Compared {
  readonly found: FoundChanges;
  /** Payees that are new to customers with known payees. */
  readonly fresh: readonly Candidate[];
}

/**
 * Compares each payee with all known ones, except for its own file and its own family.
 * @param areNamesakesFresh whether names that differ in an initial or a number count as new, since they are compared
 *   with missing payees at the end of the file
 */
export async function compareWithKnown(
  port: PayeePort,
  candidates: readonly Candidate[],
  areNamesakesFresh = false,
): Promise<Compared> {
  const found: FoundChanges = new Map();
  const atHand = await findPayeesAtHand(port, candidates);
  const fresh = new Set(atHand.ofKnownCustomers);
  if (atHand.known.length === 0 && atHand.names.length === 0) return { found, fresh: [...fresh] };
  const leftOut = await findLeftOut(port, [...new Set([...atHand.known, ...atHand.namesOf.keys()])]);
  const unnamed = new Set(atHand.namesOf.keys());
  const settled = await compareKeys(port, atHand.known, leftOut, found);
  const namesakes = areNamesakesFresh ? await namesakesAmong(port, settled, leftOut, found) : new Set();
  for (const candidate of settled) {
    unnamed.delete(candidate);
    if (!namesakes.has(candidate)) fresh.delete(candidate);
  }
  await compareNames(port, [...unnamed], atHand, leftOut, found);
  return { found, fresh: [...fresh].filter(({ at }) => !found.has(at)) };
}

async function findLeftOut(port: PayeePort, candidates: readonly Candidate[]): Promise<LeftOut> {
  const relatives = candidates.flatMap(({ at, relative }) =>
    relative === undefined ? [] : [{ n: at, ...relative }],
  );
  const [batches, family] = await Promise.all([
    port.readings(),
    relatives.length === 0 ? [] : port.findFamilyRows(relatives),
  ]);
  const places = new Set(family.map(({ n, batch, row }) => `${n} ${batch} ${row}`));
  return { batches, isFamily: (at, { batch, row }) => places.has(`${at} ${batch} ${row}`) };
}

/** @returns the candidates that need no comparison by name; names of the others may be known in another spelling */
async function compareKeys(
  port: PayeePort,
  candidates: readonly Candidate[],
  { batches, isFamily }: LeftOut,
  found: FoundChanges,
): Promise<readonly Candidate[]> {
  if (candidates.length === 0) return [];
  const asked = candidates.map((candidate): Asked => ({ n: candidate.at, ...keysOf(candidate) }));
  const known = byRow(await port.findPayees(asked, batches));
  return candidates.filter((candidate, index) => {
    const { at, row } = candidate;
    const others = (known.get(at) ?? []).filter((other) => !isFamily(at, other));
    const ofPayee = others.filter(({ isSameCustomer, isSameName }) => isSameCustomer && isSameName);
    if (ofPayee.some(({ isSameDetails }) => isSameDetails)) return true;
    const keys = asked[index] ?? keysOf(candidate);
    const changes: PayeeChange[] = [];
    const [before] = ofPayee;
    const shared = others.find(({ isSameCustomer, isSameName }) => !(isSameCustomer && isSameName));
    if (before !== undefined)
      changes.push({ row: row.row, code: 'payee_details_changed', earlier: before, keys });
    if (shared !== undefined && !ofPayee.some((other) => isSamePlace(shared, other))) {
      changes.push({ row: row.row, code: 'account_shared', earlier: shared, keys });
    }
    if (changes.length > 0)
      found.set(
        at,
        changes.map(({ earlier: { batch, row: place }, ...each }) => ({
          ...each,
          earlier: { batch, row: place },
        })),
      );
    return before !== undefined;
  });
}

/**
 * Removes the finding of each candidate whose name differs from all known names of its key by an initial or a number.
 * The findings of the others then name a payee that they cannot be distinguished from.
 */
async function namesakesAmong(
  port: PayeePort,
  candidates: readonly Candidate[],
  { batches, isFamily }: LeftOut,
  found: FoundChanges,
): Promise<ReadonlySet<Candidate>> {
  const isChanged = ({ code }: PayeeChange): boolean => code === 'payee_details_changed';
  const changed = candidates.filter(({ at }) => found.get(at)?.some(isChanged) === true);
  if (changed.length === 0) return new Set();
  const asked = changed.map(({ at, signs: { customer, name } }) => ({ n: at, customer, name }));
  const known = byRow(await port.findNamedPayees(asked, batches));
  const namesakes = changed.filter(({ at, name }) => {
    const own = comparedName(name);
    const others = (known.get(at) ?? []).filter((other) => !isFamily(at, other));
    const before = others.find((other) => !areNamesakes(comparedName(other.name), own));
    if (before === undefined) return others.length > 0;
    const earlier = { batch: before.batch, row: before.row };
    const changes = found.get(at) ?? [];
    found.set(
      at,
      changes.map((change) => (isChanged(change) ? { ...change, earlier } : change)),
    );
    return false;
  });
  for (const { at } of namesakes) {
    const others = (found.get(at) ?? []).filter((change) => !isChanged(change));
    if (others.length === 0) found.delete(at);
    else found.set(at, others);
  }
  return new Set(namesakes);
}

/** Compares names whose spellings differ so much that their keys differ. */
async function compareNames(
  port: PayeePort,
  candidates: readonly Candidate[],
  { names, namesOf }: Pick<PayeesAtHand, 'names' | 'namesOf'>,
  { batches, isFamily }: LeftOut,
  found: FoundChanges,
): Promise<void> {
  const wanted = new Set(candidates.flatMap((candidate) => namesOf.get(candidate) ?? []));
  if (wanted.size === 0) return;
  const asked = names.filter(({ n }) => wanted.has(n));
  const known = await port.findNamedPayees(asked, batches);
  const named = byRow(known.map((payee, order) => ({ ...payee, order, own: payeeName(payee.name) })));
  for (const candidate of candidates) {
    const { at, row } = candidate;
    const own = payeeName(candidate.name);
    const alike = (namesOf.get(candidate) ?? [])
      .flatMap((n) => named.get(n) ?? [])
      .filter((other) => areLikeNames(other.own, own) && !isFamily(at, other));
    const [before] = alike.sort((one, other) => one.order - other.order);
    if (before === undefined) continue;
    const others = (found.get(at) ?? []).filter(({ earlier }) => !isSamePlace(earlier, before));
    const earlier = { batch: before.batch, row: before.row };
    const code = 'payee_details_changed' as const;
    found.set(at, [{ row: row.row, code, earlier, keys: keysOf(candidate) }, ...others]);
  }
}

/**
 * A person's decision about a payee. `objectId` is that of the object that counts for it, if the decision names one.
 */
interface Decision {
  readonly verdict: 'send' | 'existing';
  readonly objectId: string | null;
}

/** What people decided earlier about payees that were found to differ, by their places. */
export async function findDecided(
  port: Pick<PayeePort, 'findDecisions'>,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<number, Decision>> {
  if (candidates.length === 0) return new Map();
  const decided = await port.findDecisions(candidates.flatMap(keysOfDecision));
  return new Map(decided.map(({ n, ...decision }) => [n, decision]));
}

/** Decisions made while the customer was known only by its external id count as well. */
function keysOfDecision(candidate: Candidate): Asked[] {
  const { at, row } = candidate;
  const { customer_id: id, ...others } = row.record;
  const before = id === undefined ? null : payeeKeysOf(definitionNamed(row.resource ?? ''), others);
  return [keysOf(candidate), ...(before === null ? [] : [before])].map((each) => ({ n: at, ...each }));
}

/** Answers by the row that they are about, in their order. */
export function byRow<Answer extends { readonly n: number }>(
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

/* Texts about a row whose payee differs from the known payees. */

type Finding = Pick<PayeeChange, 'code' | 'earlier'>;

/** Why a row is not sent where a person decided so about its payee before. */
export const decidedBefore: Reason = {
  code: 'existing',
  field: null,
  message: 'A person decided earlier that the object which is there stands for this payee.',
};

/**
 * The sentence about a finding. It has no value of the row, since notes and reasons are shown where personal data must
 * not be.
 */
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
