/* How each file of a call is read: as the settings say for all of them, and as was said of that file alone. */

import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { ReadingProfile } from '../../domain/settings/definitions.ts';
import { kinds } from '../../kinds/registry.ts';
import type { RuleChanges } from '../../kinds/rule-changes.ts';
import type { MappingFile } from '../mapping/mapping-file.ts';
import { type InputReading, readMapping } from './readings.ts';

/** What may be said of one file alone; it counts more than the settings of the call. */
export type FileReading = Partial<
  Pick<ReadingProfile, 'kind' | 'sheet' | 'hidden' | 'leaveOutNonRows' | 'encoding'>
>;

/** By path, as the call names the files. */
export type FileReadings = Readonly<Record<string, FileReading>>;

/** How one file is read, as far as somebody has said. */
export interface StatedReading {
  readonly profile: ReadingProfile;
  readonly stated: Omit<InputReading, 'corrects'>;
}

/** How the files of a call are read, as far as somebody has said. */
export class StatedReadings {
  /** What the settings say of all files. */
  readonly ofCall: StatedReading;
  readonly #ofFile = new Map<string, StatedReading>();

  /**
   * @param rules they may change which columns are required
   * @throws PaybatchError (`usage`) for a mapping that cannot be used, or a kind that there is not
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

/** A mapping, and what is left out beside what it says. */
function statedIn(profile: ReadingProfile, mapping: MappingFile, rules: RuleChanges): StatedReading {
  const whole = profile.leaveOutNonRows ? { ...mapping, leaveOut: true } : mapping;
  return { profile, stated: { kind: profile.kind ?? null, mapping: whole, rules } };
}
