/* Reads accounts: everything that the ledger knows of batches in one snapshot, and which of their files are there. */

import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { logOfHead, readRunHead } from '../disk/log/run-head.ts';
import type { BatchAccount, InputAccount } from '../domain/batches/account.ts';
import type { BatchRecord, Mode } from '../domain/batches/batch.ts';
import type { BatchFiles, RowTotals } from '../domain/batches/batch-facts.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { resultStem } from './files/stem.ts';
import { accountOf, type Observed } from './make-account.ts';

/** Where and when a call looks at batches. */
export interface AccountPlace {
  /** The folder of results. */
  readonly out: string;
  /** Paths of the files that the call reads. */
  readonly files: readonly string[];
  readonly now: Date;
  /** How long rows may be sent again under their keys. */
  readonly keyLifetimeInMs: Readonly<Record<Mode, number>>;
}

/** The accounts of batches as they are now. The number of statements does not depend on how many batches there are. */
export async function readAccounts(
  verbs: Pick<LedgerVerbs, 'readFacts'>,
  batches: readonly BatchRecord[],
  place: AccountPlace,
): Promise<readonly BatchAccount[]> {
  if (batches.length === 0) return [];
  const facts = await verbs.readFacts(
    batches.map(({ id, mode }) => ({ id, keyLifetimeInMs: place.keyLifetimeInMs[mode] })),
  );
  return batches.map((batch) =>
    accountOf(batch, factsOf(batch, facts), {
      files: existingFiles(place.out, batch),
      source: sourceOf(place.files, batch),
      notes: batch.notes,
      now: place.now,
    }),
  );
}

/** What a call has found while it read the rows of a batch. */
export type Walked = Pick<Observed, 'files' | 'notes' | 'attention' | 'changes'> & {
  /** What the rows add up to; they are not counted again. */
  readonly totals: RowTotals;
};

/** The account of one batch, of which the call has just read all rows. */
export async function readWalkedAccount(
  verbs: Pick<LedgerVerbs, 'readFacts'>,
  batch: BatchRecord,
  place: AccountPlace,
  { totals, ...seen }: Walked,
): Promise<BatchAccount> {
  const asked = { id: batch.id, keyLifetimeInMs: place.keyLifetimeInMs[batch.mode], totals };
  const facts = factsOf(batch, await verbs.readFacts([asked]));
  const logHead = await logHeadOf(seen.files);
  return accountOf(batch, facts, { ...seen, logHead, source: sourceOf(place.files, batch), now: place.now });
}

/** The last line of a batch's run log when rows were last claimed; null where no readable head is beside it. */
async function logHeadOf({ logHead }: BatchFiles): Promise<InputAccount['logHead']> {
  if (logHead == null) return null;
  const head = await readRunHead(logOfHead(logHead));
  return typeof head === 'object' ? head : null;
}

function factsOf<Facts>({ id }: BatchRecord, all: ReadonlyMap<string, Facts>): Facts {
  const facts = all.get(id);
  if (facts === undefined) throw new Error('a batch was found, and the ledger knows nothing of it');
  return facts;
}

/** What the names of a batch's files begin with. */
export function stemOf({ id: batchId, fileName, sheet }: BatchRecord): string {
  return resultStem({ fileName, sheet, batchId });
}

/** A batch's files that are in the folder of results; null for those that are not there. */
export function existingFiles(out: string, batch: BatchRecord): BatchFiles {
  const find = (ending: string): string | null => {
    const path = join(resolve(out), `${stemOf(batch)}.${ending}`);
    return existsSync(path) ? path : null;
  };
  return {
    results: find('results.csv'),
    failed: find('failed.csv'),
    failedWorkbook: find('failed.xlsx'),
    log: find('run.jsonl'),
    logHead: find('run.head'),
    report: find('report.html'),
    objects: find('objects.csv'),
    changes: find('changes.csv'),
    instructions: find('instructions.html'),
  };
}

/**
 * The path of the file that a batch was read from, for the next call: as this call has it; null where it is not known.
 * A batch knows its file's name only, which is a path where the file is in the working folder.
 */
export function sourceOf(
  files: readonly string[],
  { fileName }: Pick<BatchRecord, 'fileName'>,
): string | null {
  return files.find((path) => basename(path) === fileName) ?? (existsSync(fileName) ? fileName : null);
}
