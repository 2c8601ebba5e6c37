/*
 * Reads what changed since last time, with the data before and after, for files and people. The source is the ledger,
 * or rows that are only checked.
 */

import type { ChangesSummary } from '../../domain/batches/batch-facts.ts';
import type { Drift, SeriesComparison } from '../../domain/batches/last-time.ts';
import type { PayeeChange, PayeeChangeCode, ShownChange, ShownPayee } from '../../domain/rows/finding.ts';
import type { ChangedRow, NormalisedRecord, RowOfBatch } from '../../domain/rows/ledger-row.ts';
import { definitionNamed } from '../../kinds/registry.ts';
import type { ChangeRecord, EarlierPayeeRow } from '../../ledger/before-sending/payee-changes.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { shownPayeeOf } from '../../watch/payee.ts';
import { mostChangesReported } from '../changes.ts';

/** Counts all findings that are written to a file, and keeps the first ones to be shown. */
export class ChangesWatch {
  readonly #counts: Partial<Record<PayeeChangeCode, number>> = {};
  readonly #shown: ShownChange[] = [];
  /** The comparison of the whole file with the last one of its series. */
  series: SeriesComparison | null = null;
  /** How the columns of the file differ from those of the last file of its layout. */
  drift: readonly Drift[] | null = null;

  add(group: readonly ShownChange[]): void {
    for (const { code } of group) this.#counts[code] = (this.#counts[code] ?? 0) + 1;
    this.#shown.push(...group.slice(0, Math.max(0, mostChangesReported - this.#shown.length)));
  }

  result(): ChangesSummary {
    return { counts: this.#counts, shown: this.#shown, series: this.series, drift: this.drift };
  }
}

/** A batch's findings in the ledger, in the order of its rows. */
export async function* changesOfBatch(
  verbs: Pick<LedgerVerbs, 'readPayeeChanges'>,
  batchId: string,
): AsyncGenerator<readonly ShownChange[]> {
  for await (const page of verbs.readPayeeChanges(batchId)) {
    yield page.map((change) => shownChange(change, batchId));
  }
}

/** The changes of a batch's payees, and the comparison of its file with the last one of its series. */
export async function changesIn(
  verbs: Pick<LedgerVerbs, 'readPayeeChanges' | 'readSeries' | 'readDrift'>,
  batchId: string,
  onGroup: (group: readonly ShownChange[]) => Promise<void> | void = () => {},
): Promise<ChangesSummary> {
  const watch = new ChangesWatch();
  for await (const group of changesOfBatch(verbs, batchId)) {
    watch.add(group);
    await onGroup(group);
  }
  watch.series = await verbs.readSeries(batchId);
  watch.drift = await verbs.readDrift(batchId);
  return watch.result();
}

function shownChange(change: ChangeRecord, batchId: string): ShownChange {
  const { row, code, resource, record, earlierBatch, earlierFile, earlierRow, createdAt } = change;
  return {
    row,
    code,
    before: payeeOf(change.earlierResource, change.earlierRecord),
    after: payeeOf(resource, record),
    amount: record['amount'] ?? null,
    currency: record['currency'] ?? null,
    earlier: {
      batch: earlierBatch === batchId ? null : earlierBatch,
      file: earlierFile,
      row: earlierRow,
      createdAt,
    },
    isStillUsed: change.isStillUsed,
  };
}

function payeeOf(resource: string | null, record: NormalisedRecord): ShownPayee {
  return shownPayeeOf(resource === null ? {} : definitionNamed(resource), record);
}

/** Reads the earlier rows to which findings refer. It returns no rows if there is no ledger. */
export type FindEarlierPayees = (places: readonly RowOfBatch[]) => Promise<readonly EarlierPayeeRow[]>;

/**
 * The findings of rows that are only checked, group by group. For an earlier row of the same file, only its number and
 * its account are known. Its finding comes directly after that of the first row that shares its account.
 */
export class CheckedChanges {
  readonly #fileName: string;
  readonly #findEarlier: FindEarlierPayees;
  /** Rows that already have a finding about a shared account. */
  readonly #sharing = new RowNumbers();

  constructor(fileName: string, findEarlier: FindEarlierPayees) {
    this.#fileName = fileName;
    this.#findEarlier = findEarlier;
  }

  async of(rows: readonly ChangedRow[]): Promise<readonly ShownChange[]> {
    const changed = rows.flatMap((row) => (row.changes ?? []).map((change) => ({ row, change })));
    if (changed.length === 0) return [];
    const places = changed.flatMap(({ change: { earlier } }) =>
      earlier.batch === null ? [] : [{ batch: earlier.batch, row: earlier.row }],
    );
    const found = places.length === 0 ? [] : await this.#findEarlier(places);
    const byPlace = new Map(found.map((each) => [placeName(each), each]));
    return changed.flatMap(({ row, change }) => {
      const shown = checkedChange(row, change, this.#fileName, byPlace);
      if (change.code === 'account_shared') this.#sharing.add(row.row);
      const isOfFile = change.earlier.batch === null;
      return isOfFile && this.#sharing.add(change.earlier.row) ? [shown, seenFromEarlier(shown)] : [shown];
    });
  }
}

/** The same finding, seen from the earlier row of the file. */
function seenFromEarlier(shown: ShownChange): ShownChange {
  return {
    ...shown,
    row: shown.earlier.row,
    before: shown.after,
    after: shown.before,
    amount: null,
    currency: null,
    earlier: { ...shown.earlier, row: shown.row },
  };
}

/** Row numbers, one bit each. */
class RowNumbers {
  #bits = new Uint8Array(1 << 10);

  /** @returns whether the row is new */
  add(row: number): boolean {
    const [at, bit] = [row >>> 3, 1 << (row & 7)];
    if (at >= this.#bits.length) {
      const before = this.#bits;
      this.#bits = new Uint8Array(2 * at);
      this.#bits.set(before);
    }
    const known = this.#bits[at] ?? 0;
    this.#bits[at] = known | bit;
    return (known & bit) === 0;
  }
}

function placeName({ batch, row }: { readonly batch: string | null; readonly row: number }): string {
  return `${batch} ${row}`;
}

function checkedChange(
  { row, resource, record }: ChangedRow,
  { code, earlier }: PayeeChange,
  fileName: string,
  found: ReadonlyMap<string, EarlierPayeeRow>,
): ShownChange {
  const [other, after] = [found.get(placeName(earlier)), payeeOf(resource, record)];
  return {
    row,
    code,
    before:
      other === undefined
        ? { name: '', account: after.account, institution: '', customer: '' }
        : payeeOf(other.resource, other.record),
    after,
    amount: record['amount'] ?? null,
    currency: record['currency'] ?? null,
    earlier: { ...earlier, file: other?.file ?? fileName, createdAt: other?.createdAt ?? null },
    isStillUsed: earlier.batch === null ? true : null,
  };
}
