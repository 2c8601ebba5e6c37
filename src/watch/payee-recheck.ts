/* Compares the payees of rows again when they are prepared: others may have been paid since their file was read. */

import type { BatchRecord } from '../domain/batches/batch.ts';
import type { PayeeChange } from '../domain/rows/finding.ts';
import type { NormalisedRecord, Reason } from '../domain/rows/ledger-row.ts';
import { definitionNamed } from '../kinds/registry.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { type Candidate, candidateOf, type PayeePort, payeeSignsOf, payeesIn } from './payee.ts';
import { compareWithKnown, decidedBefore, findDecided, heldReason } from './payee-comparison.ts';

/** A row that would be ready to be sent, with every id that it refers to. */
interface RowToRecheck {
  readonly row: number;
  readonly resource: string;
  readonly record: NormalisedRecord;
  /** As in `RowToPrepare`. */
  readonly hasFamily?: boolean;
  readonly isSentRegardless?: boolean;
}

/** What new findings mean for a row: it is sent and they are reported, a person decides, or a person has decided before. */
type Rechecked =
  | { readonly to: 'ready'; readonly changes: readonly PayeeChange[] }
  | { readonly to: 'held'; readonly changes: readonly PayeeChange[]; readonly reason: Reason }
  | { readonly to: 'existing'; readonly objectId: string; readonly reason: Reason };

type Verbs = Pick<LedgerVerbs, 'hasOthersPaidSince' | 'findNotedChanges'>;

/** The second comparison of one batch's rows. */
export class PayeeRecheck {
  readonly #verbs: Verbs;
  readonly #payees: PayeePort;
  readonly #batchId: string;
  readonly #isHeld: boolean;
  #arePaidSince = false;

  /**
   * @param isHeld whether rows with a new finding wait for a person: on request, and under an approval, which was given
   *   without this finding
   */
  constructor(
    verbs: LedgerVerbs,
    batch: Pick<BatchRecord, 'id' | 'environmentId' | 'contentHash'>,
    isHeld: boolean,
  ) {
    this.#verbs = verbs;
    this.#payees = payeesIn(verbs, batch.environmentId)(batch);
    this.#batchId = batch.id;
    this.#isHeld = isHeld;
  }

  /**
   * Finds the rows of a group that have findings which they did not have before. If no other file was paid since this
   * one was read, only rows that a person has released are compared: a row that was held at that time was not compared.
   */
  async examine(rows: readonly RowToRecheck[]): Promise<ReadonlyMap<number, Rechecked>> {
    this.#arePaidSince ||= await this.#verbs.hasOthersPaidSince(this.#batchId);
    const compared = this.#arePaidSince ? rows : rows.filter(({ isSentRegardless }) => isSentRegardless);
    const candidates = compared.flatMap((row) => this.#candidatesFor(row));
    if (candidates.length === 0) return new Map();
    const { found } = await compareWithKnown(this.#payees, candidates);
    if (found.size === 0) return new Map();
    const noted = await this.#verbs.findNotedChanges(this.#batchId, [...found.keys()]);
    const known = new Set(noted.map(({ row, code }) => `${row} ${code}`));
    const changed = candidates.filter(
      ({ at }) => found.get(at)?.some(({ code }) => !known.has(`${at} ${code}`)) === true,
    );
    const decisions = await findDecided(this.#payees, changed);
    const rechecked = changed.flatMap(({ at, row }): [number, Rechecked][] => {
      const [changes, decision] = [found.get(at) ?? [], decisions.get(at)];
      if (decision?.verdict === 'existing' && decision.objectId !== null)
        return [[at, { to: 'existing', objectId: decision.objectId, reason: decidedBefore }]];
      if (decision !== undefined) return [];
      const reason = heldReason(changes, row.resource);
      return [[at, this.#isHeld ? { to: 'held', changes, reason } : { to: 'ready', changes }]];
    });
    return new Map(rechecked);
  }

  /** Numbered by their rows; none for a row without a payee. */
  #candidatesFor({ row, resource, record, hasFamily }: RowToRecheck): Candidate[] {
    const signs = payeeSignsOf(definitionNamed(resource), record);
    if (signs === null) return [];
    const relative = hasFamily === true ? { batch: this.#batchId, row } : undefined;
    return [candidateOf(row, { row, resource, record }, signs, relative)];
  }
}
