/* How a content was read before. */

import type { CallContext } from '../../call/context.ts';
import { statedEnvironment } from '../../call/opened-api.ts';
import type { ContentReading, Environment, LeasedBatch } from '../../domain/batches/batch.ts';
import type { ReadingProfile } from '../../domain/settings/definitions.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { withoutExpectations } from '../mapping/mapping-file.ts';
import { batchIdOf, type InputTable } from '../rows/input-table.ts';
import type { InputReading } from './readings.ts';
import { headerKeyOf, type KnownMapping, knownMapping } from './remembered-mappings.ts';

/** How a content was read before, the newest first; nothing of a content that is new. */
export type FindContentReadings = (contentHash: string) => Promise<readonly ContentReading[]>;

/** No content counts as known. */
export const noKnownContents: FindContentReadings = async () => [];

/**
 * What is known by its content goes on under its reading, unless a person asks for another one: by `mapping`, or by
 * `noRememberedMapping`. So a mapping that is remembered anew makes no second batch of yesterday's file.
 */
export function contentReadingsOf({ settings, connections }: CallContext): FindContentReadings {
  if (settings.reading.mapping !== undefined || settings.reading.noRememberedMapping) return noKnownContents;
  const stated = statedEnvironment(settings);
  return async (contentHash) => {
    if (!connections.isLedgerThere()) return [];
    const found = await (await connections.ledger()).verbs.findContentReadings(contentHash);
    return found.filter(
      ({ mode, origin }) => mode === settings.api.mode && (stated === undefined || stated.origin === origin),
    );
  };
}

/**
 * The reading with which a table goes on; undefined for one that is new, or of which it is unclear what its rows are.
 * @param sheet of the table
 * @param isOnlyPlanned of batches that nobody has asked to be sent yet, or of the others
 */
export function readingToContinueWith(
  readings: readonly ContentReading[],
  sheet: string | null,
  { kind }: Pick<InputReading, 'kind'>,
  isOnlyPlanned: boolean,
): ContentReading | undefined {
  const possible = readings.filter(
    (other) =>
      other.isOnlyPlanned === isOnlyPlanned &&
      other.sheet === sheet &&
      (kind === null || kind === other.kind),
  );
  return new Set(possible.map((other) => other.kind)).size > 1 ? undefined : possible[0];
}

/** The mapping of a reading, to be looked for in a file as a remembered one is. */
export function mappingOf({ header, kind, mapping, fileName }: ContentReading): KnownMapping {
  return knownMapping({ headerKey: headerKeyOf(header), header, kind, mapping, name: fileName });
}

/** Whether an option says how files are read: then it may be another reading, whatever the mapping is. */
export function isReadingStated({ delimiter, encoding, hidden, leaveOutNonRows }: ReadingProfile): boolean {
  return delimiter !== undefined || encoding !== undefined || hidden !== undefined || leaveOutNonRows;
}

/** What is said of a table that goes on as it was read before, though another mapping is remembered for its header now. */
export function keptReadingNote(place: string, { createdAt }: ContentReading, remembered: string): string {
  return `${place}: taken in on ${createdAt.slice(0, 10)}, and goes on as it was read then; the remembered mapping "${remembered}" is another one by now, and the setting mapping reads it anew.`;
}

/** Keeps how each batch that was staged just now was read, so that its failed file is read in the same way. */
export async function keepReadings(
  verbs: Pick<LedgerVerbs, 'saveReading'>,
  held: readonly LeasedBatch[],
  inputTables: readonly InputTable[],
  environment: Environment,
): Promise<void> {
  for (const inputTable of inputTables) {
    const id = batchIdOf(inputTable, environment);
    if (!held.some(({ batch, isNew }) => isNew && batch.id === id)) continue;
    await verbs.saveReading(id, {
      mapping: JSON.stringify({
        ...withoutExpectations(inputTable.reading),
        ...(inputTable.encoding === undefined ? {} : { encoding: inputTable.encoding }),
      }),
      rules: JSON.stringify(inputTable.rules),
      hiddenRows: inputTable.hiddenChoice === 'skip' ? 0 : inputTable.hidden.count,
      hiddenChoice: inputTable.hiddenChoice,
    });
  }
}
