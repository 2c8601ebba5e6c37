/** The ledger's verbs that keep rows, their corrections and their other readings apart. */
export interface FamilyPort {
  readonly listRelatives: (batchId: string) => Promise<readonly string[]>;
  readonly supersedeCorrected: (batchId: string) => Promise<number>;
  readonly releaseCorrections: (batchId: string) => Promise<number>;
}

/**
 * Brings a batch and those that its rows' families stand in up to date with each other: rows that stand corrected are taken
 * out of what is to be sent, and corrections go on that waited for a doubt which is over. Comes before any row of the batch
 * is prepared or put back. Each step is under the lock of one batch, and finds what earlier ones, or a program that died
 * between them, have left to do.
 */
export async function settleFamilies(ledger: FamilyPort, batchId: string): Promise<void> {
  const relatives = await ledger.listRelatives(batchId);
  if (relatives.length === 0) return;
  const family = [...relatives, batchId];
  for (const id of family) await ledger.supersedeCorrected(id);
  for (const id of family) await ledger.releaseCorrections(id);
}
