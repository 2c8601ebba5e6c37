/* How the options of a call say that its files are read, and the form in which the ledger keeps that for a batch. */

import { createHash } from 'node:crypto';
import { readSettingsFile, UnusableFile } from '../../call/settings.ts';
import {
  type Environment,
  type Kind,
  type LeasedBatch,
  type OriginalBatch,
  shortBatchId,
} from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { ReadingProfile } from '../../domain/settings/definitions.ts';
import { kinds } from '../../kinds/registry.ts';
import { parseRules, type RuleChanges } from '../../kinds/rule-changes.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { parseMappingFile, withoutExpectations, withoutPlace } from '../mapping/mapping-file.ts';
import type { MappingFile } from '../mapping/mapping-schema.ts';
import { batchIdOf, type InputTable } from '../rows/input-table.ts';

/** What the options say of how a file is read. */
export interface StatedReading {
  readonly profile: ReadingProfile;
  readonly kind: Kind | null;
  /** Empty where the options name none, apart from what they add to every mapping. */
  readonly mapping: MappingFile;
  readonly rules: RuleChanges;
}

/** The options for single files, which take precedence over those of the call; by the files' paths in the call. */
export type FileReadings = Readonly<
  Record<
    string,
    Partial<
      Pick<
        ReadingProfile,
        'kind' | 'sheet' | 'hidden' | 'leaveOutNonRows' | 'delimiter' | 'encoding' | 'acceptDrift'
      >
    >
  >
>;

/** What the options say of all files of a call, and of each of them. */
interface StatedReadings {
  readonly ofCall: StatedReading;
  readonly of: (path: string) => StatedReading;
}

/**
 * @param rules they may change which columns are required
 * @throws PaybatchError (`usage`) for a mapping that cannot be used, or an unknown kind
 */
export function statedReadings(
  paths: readonly string[],
  profile: ReadingProfile,
  rules: RuleChanges,
  ofFile: FileReadings = {},
): StatedReadings {
  const mapping = readMapping(profile.mapping, paths[0]);
  const ofCall = statedIn(profile, mapping, rules);
  const ofFiles = new Map<string, StatedReading>();
  for (const [path, own] of Object.entries(ofFile)) {
    const kind = own.kind ?? profile.kind;
    if (kind !== undefined && !kinds.includes(kind)) {
      throw new PaybatchError('usage', `"${kind}" is no kind; there are ${kinds.join(', ')}.`, null);
    }
    const stated = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
    ofFiles.set(path, statedIn({ ...profile, ...stated }, mapping, rules));
  }
  return { ofCall, of: (path) => ofFiles.get(path) ?? ofCall };
}

/** A mapping, with the profile's choice to leave out lines that are not rows. */
function statedIn(profile: ReadingProfile, mapping: MappingFile, rules: RuleChanges): StatedReading {
  const whole = profile.leaveOutNonRows ? { ...mapping, leaveOut: true } : mapping;
  return { profile, kind: profile.kind ?? null, mapping: whole, rules };
}

/** Whether an option changes how files are read, which may make another reading even with the same mapping. */
export function isReadingStated({ delimiter, encoding, hidden, leaveOutNonRows }: ReadingProfile): boolean {
  return delimiter !== undefined || encoding !== undefined || hidden !== undefined || leaveOutNonRows;
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

/** @throws PaybatchError (`usage`) when the rules file cannot be read or has unknown contents */
export function readRules(path: string | undefined): RuleChanges {
  try {
    return parseRules(path === undefined ? {} : JSON.parse(readSettingsFile(path)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    const ofFile = error instanceof UnusableFile ? `it ${reason}` : reason;
    const problem = error instanceof SyntaxError ? 'it is not JSON' : ofFile;
    throw new PaybatchError(
      'rules_invalid',
      `The rules ${path} cannot be used: ${problem}.`,
      'correct the rules file (docs/rules.schema.json)',
    );
  }
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
  const { $schema: _, asked: __, kept: ___, ...meaning } = withoutPlace(withoutExpectations(mapping));
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

/** Stores how each newly staged batch was read, so that its failed file is read in the same way. */
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

/** The mapping that a batch's file was read with. */
export function keptMapping({ id, reading }: OriginalBatch): MappingFile {
  return parseMappingFile(reading.mapping, `of batch ${shortBatchId(id)}`);
}

export function keptRules({ reading }: OriginalBatch): RuleChanges {
  return parseRules(JSON.parse(reading.rules));
}
