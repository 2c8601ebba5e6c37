/** The ledger's verbs that keep rows, their corrections and their other readings apart. */
interface FamilyPort {
  readonly listRelatives: (batchId: string) => Promise<readonly string[]>;
  readonly supersedeCorrected: (
    batchId: string,
    afterRow: number,
  ) => Promise<{ readonly rows: readonly number[]; readonly lastRow: number | null }>;
  readonly releaseCorrections: (batchId: string) => Promise<number>;
}

/**
 * Brings a batch and those that its rows' families stand in up to date with each other: rows that stand corrected are taken
 * out of what is to be sent, and corrections go on that waited for a doubt which is over. Comes before any row of the batch
 * is prepared or put back. Each step is under the lock of one batch, and finds what earlier ones, or a program that died
 * between them, have left to do.
 * @param onSuperseded told of rows that were moved, by their batch
 */
export async function settleFamilies(
  ledger: FamilyPort,
  batchId: string,
  onSuperseded: (batchId: string, rows: readonly number[]) => Promise<void>,
): Promise<void> {
  const relatives = await ledger.listRelatives(batchId);
  if (relatives.length === 0) return;
  const family = [...relatives, batchId];
  for (const id of family) {
    let afterRow: number | null = 0;
    while (afterRow !== null) {
      const { rows, lastRow }: Awaited<ReturnType<FamilyPort['supersedeCorrected']>> =
        await ledger.supersedeCorrected(id, afterRow);
      if (rows.length > 0) await onSuperseded(id, rows);
      afterRow = lastRow;
    }
  }
  for (const id of family) await ledger.releaseCorrections(id);
}
