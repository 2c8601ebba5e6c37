/* How a table is read: by the options, or as the batch that it corrects. */

import { createHash } from 'node:crypto';
import type { CallContext } from '../../call/context.ts';
import { readSettingsFile, UnusableFile } from '../../call/credentials.ts';
import {
  type ContentReading,
  type Kind,
  type OriginalBatch,
  shortBatchId,
} from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { ReadingProfile } from '../../domain/settings/definitions.ts';
import type { SourceTable } from '../../domain/tables/table.ts';
import { kinds } from '../../kinds/registry.ts';
import { parseRules, type RuleChanges } from '../../kinds/rule-changes.ts';
import {
  type MappingFile,
  parseMappingFile,
  withoutExpectations,
  withoutPlace,
} from '../mapping/mapping-file.ts';
import {
  type OriginColumns,
  originColumnsOf,
  originOfCorrection,
  unknownBatch,
} from '../rows/corrections.ts';

/** How a table is read: by the options, or as the batch whose rows it corrects. */
export interface InputReading {
  readonly kind: Kind | null;
  readonly mapping: MappingFile;
  readonly rules: RuleChanges;
  /** The batch whose rows the table corrects; null for a table of new rows. */
  readonly corrects: OriginalBatch | null;
  /** The name of the remembered mapping that it is read with; absent for none. */
  readonly remembered?: string;
  /** The batch of the same content whose reading the table continues with; absent for a new reading. */
  readonly known?: ContentReading;
  /** Settings of the mapping about a whole file, which do not apply to a file of corrected rows. */
  readonly setAside?: readonly string[];
}

/**
 * @param file the first file that it applies to, which the advice names
 * @throws PaybatchError (`usage`) when the file cannot be read or is no mapping
 */
export function readMapping(path: string | undefined, file?: string): MappingFile {
  if (path === undefined) return {};
  try {
    return parseMappingFile(readSettingsFile(path), path);
  } catch (error) {
    if (error instanceof PaybatchError) throw error;
    const problem = error instanceof UnusableFile ? error.message : 'cannot be read';
    throw new PaybatchError('mapping_invalid', `The mapping ${path} ${problem}.`, {
      action: 'mapping',
      file: file ?? null,
      effect: 'proposes one',
    });
  }
}

/**
 * How a table is read. The rows of a failed file name their batch, and are read with its mapping, kind and rules,
 * unless the options state others.
 * @param stated as the options say
 * @param place the table, as messages name it
 * @throws PaybatchError (`file_refused`) when the batch is not in the ledger, or the rows are of several
 */
export async function readingFor(
  table: Pick<SourceTable, 'header' | 'rows'>,
  stated: Omit<InputReading, 'corrects'>,
  profile: ReadingProfile,
  place: string,
  findOriginalBatch: FindOriginalBatch,
): Promise<InputReading> {
  const columns = originColumnsOf(table.header);
  const batch = columns === null ? null : await batchNamedIn(table, columns, place);
  if (batch === null) return { ...stated, corrects: null };
  const first = await findOriginalBatch(batch);
  if (first === undefined) throw unknownBatch(batch, place);
  const whole = profile.mapping === undefined ? keptMapping(first, place) : stated.mapping;
  return {
    kind: stated.kind ?? first.kind,
    ...ofSomeRows(whole),
    rules: profile.rules === undefined ? keptRules(first) : stated.rules,
    corrects: first,
  };
}

/**
 * The mapping for a failed file, which has only some rows of the original. It has neither the original's sums nor its
 * control line, and its own sheets, headers and encoding.
 */
function ofSomeRows(whole: MappingFile): Pick<InputReading, 'mapping' | 'setAside'> {
  const setAside = (['expectRows', 'expectTotal', 'controlLine'] as const).filter(
    (name) => whole[name] !== undefined,
  );
  const { controlLine: _, headerRows: __, ...mapping } = withoutPlace(withoutExpectations(whole));
  if (Object.keys(mapping).length === Object.keys(whole).length) return { mapping: whole };
  return { mapping, ...(setAside.length === 0 ? {} : { setAside }) };
}

/** The batch that the rows name; null when no row names one. */
async function batchNamedIn(
  table: Pick<SourceTable, 'rows'>,
  columns: OriginColumns,
  place: string,
): Promise<string | null> {
  let named: string | null = null;
  for await (const group of table.rows()) {
    for (const { cells, number } of group) {
      const batch = originOfCorrection(cells, columns)?.batch ?? null;
      if (batch === null || batch === named) continue;
      if (named !== null) throw severalBatches(place, number);
      named = batch;
    }
  }
  return named;
}

/**
 * The mapping that a batch's file was read with. A batch of an earlier version of paybatch has no stored reading; one
 * that was read without a mapping needs none.
 * @throws PaybatchError (`file_refused`) where the mapping is not known
 */
export function keptMapping({ id, reading, readingHash }: OriginalBatch, place: string): MappingFile {
  if (reading !== null) return parseMappingFile(reading.mapping, `of batch ${shortBatchId(id)}`);
  if (readingHash === readingHashOf({}, {})) return {};
  throw new PaybatchError(
    'reading_unknown',
    `${place}: how batch ${shortBatchId(id)}, whose rows these are, was read is not in the ledger.`,
    { action: 'set', purpose: 'give the one of its import', oneOf: [{ setting: 'mapping' }] },
  );
}

export function keptRules({ reading }: OriginalBatch): RuleChanges {
  return parseRules(JSON.parse(reading?.rules ?? '{}'));
}

/**
 * Two readings of the same bytes that may give different rows are two batches. A setting counts the same in an option
 * and in a mapping. The kind and the sheet already distinguish batches.
 */
export function readingHashOf(
  { delimiter, encoding }: Partial<Pick<ReadingProfile, 'delimiter' | 'encoding'>>,
  mapping: MappingFile,
  isHiddenLeftOut = false,
): string {
  const { $schema: _, asked: __, ...meaning } = withoutPlace(withoutExpectations(mapping));
  const reading = {
    delimiter: delimiter ?? mapping.delimiter ?? null,
    encoding: encoding ?? mapping.encoding ?? null,
    mapping: sortKeys(meaning),
    ...(isHiddenLeftOut ? { hidden: 'skip' } : {}),
  };
  return createHash('sha256').update(JSON.stringify(reading)).digest('hex');
}

/** The order of keys in a JSON file has no meaning. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, sortKeys(inner)]);
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}

function severalBatches(place: string, row: number): PaybatchError {
  return new PaybatchError(
    'several_batches',
    `${place}: row ${row} is of another batch than the rows before it.`,
    'import the rows of each batch as a file of its own',
  );
}

/** Finds the batch that the rows of a failed file name; undefined where the ledger does not have it. */
export type FindOriginalBatch = (batchId: string) => Promise<OriginalBatch | undefined>;

/**
 * Looks up batches while files are opened. The ledger is opened only if a file needs it. A missing ledger is not
 * created.
 */
export function originalBatchesOf({ connections }: CallContext): FindOriginalBatch {
  return async (batchId) => {
    if (!connections.isLedgerThere()) return undefined;
    return (await connections.ledger()).verbs.findOriginalBatch(batchId);
  };
}

/* How each file of a call is read: by the settings for all files, and by those for that file alone. */

/** The settings of one file, which take precedence over those of the call. */
export type FileReading = Partial<
  Pick<ReadingProfile, 'kind' | 'sheet' | 'hidden' | 'leaveOutNonRows' | 'encoding'>
>;

/** By the files' paths in the call. */
export type FileReadings = Readonly<Record<string, FileReading>>;

/** The stated part of how one file is read. */
export interface StatedReading {
  readonly profile: ReadingProfile;
  readonly stated: Omit<InputReading, 'corrects'>;
}

/** The stated part of how the files of a call are read. */
export class StatedReadings {
  /** The settings for all files. */
  readonly ofCall: StatedReading;
  readonly #ofFile = new Map<string, StatedReading>();

  /**
   * @param rules they may change which columns are required
   * @throws PaybatchError (`usage`) for a mapping that cannot be used, or an unknown kind
   */
  constructor(
    paths: readonly string[],
    profile: ReadingProfile,
    rules: RuleChanges,
    ofFile: FileReadings = {},
  ) {
    const mapping = readMapping(profile.mapping, paths[0]);
    this.ofCall = statedIn(profile, mapping, rules);
    for (const [path, own] of Object.entries(ofFile)) {
      const kind = own.kind ?? profile.kind;
      if (kind !== undefined && !kinds.includes(kind)) {
        throw new PaybatchError('usage', `"${kind}" is no kind; there are ${kinds.join(', ')}.`, null);
      }
      const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
      this.#ofFile.set(path, statedIn({ ...profile, ...given }, mapping, rules));
    }
  }

  /** How a file is read. */
  of(path: string): StatedReading {
    return this.#ofFile.get(path) ?? this.ofCall;
  }

  /** Whether a mapping is the stated one, and not one that is remembered, or that a batch was read with. */
  isStated(mapping: MappingFile): boolean {
    return [this.ofCall, ...this.#ofFile.values()].some(({ stated }) => stated.mapping === mapping);
  }
}

/** A mapping, with the profile's choice to leave out lines that are not rows. */
function statedIn(profile: ReadingProfile, mapping: MappingFile, rules: RuleChanges): StatedReading {
  const whole = profile.leaveOutNonRows ? { ...mapping, leaveOut: true } : mapping;
  return { profile, stated: { kind: profile.kind ?? null, mapping: whole, rules } };
}
