/*
 * What helps, as data: a call of ours with its arguments, a setting, or what a person does outside of the program. Each way
 * in says it in its own form: the command line as what to type, a page as a button, the library as this value.
 */

import type { RowRemedy } from '../rows/row-remedy.ts';
import type { SettingName } from '../settings/definitions.ts';
import type { MachineSettingName } from '../settings/setting.ts';

/** What is said around a remedy, and what comes after it. None of it names a setting or a command. */
interface Around {
  /** Before it: what it is for, as a request. */
  readonly purpose?: string;
  /** Behind it: what it brings about, or when it is due. */
  readonly effect?: string;
  /** What is to be done once this is done. */
  readonly next?: Remedy;
}

/** What a request takes beside the settings, as far as a remedy or a sentence names it. */
export const requestParts = [
  'attempts',
  'compare',
  'coversFrom',
  'coversTo',
  'dialogue',
  'force',
  'graceDays',
  'holdRest',
  'interactive',
  'join',
  'left',
  'note',
  'note',
  'passphraseFile',
  'payeeType',
  'planHash',
  'right',
  'selection',
  'source',
  'sourceMapping',
  'tolerance',
  'toleranceDays',
] as const;

type RequestPart = (typeof requestParts)[number];

export type Adjustable = SettingName | MachineSettingName | RequestPart;

/** A setting and what it is to be; without a value it is for a person to fill in. A flag is set by its name alone. */
export interface Adjustment {
  readonly setting: Adjustable;
  readonly value?: string;
}

/** Where a batch belongs, for a call about it. */
interface OfBatch {
  readonly environment?: { readonly mode: 'sandbox' | 'live'; readonly origin: string };
}

/** A call that reads files. */
interface OfFiles extends OfBatch {
  /** Paths; empty where nobody knows them. */
  readonly files: readonly string[];
  /** Whether they are to be read as this call reads its files. */
  readonly asRead: boolean;
}

/** A call of ours that helps, by the name of its use case. Batches are named by the beginning of their ids. */
export type CallRemedy = Around &
  (
    | ({ readonly action: 'resume'; readonly batch: string; readonly refusedAlike?: 'off' } & OfBatch)
    | ({ readonly action: 'retry' | 'results' | 'close'; readonly batch: string } & OfBatch)
    | ({
        readonly action: 'reconcile';
        readonly batch: string;
        readonly replay?: boolean;
        readonly isAgreed?: boolean;
      } & OfBatch)
    | ({ readonly action: 'resolve'; readonly batch: string; readonly file: string } & OfBatch)
    | ({
        readonly action: 'submit' | 'approve';
        readonly batch: string;
        readonly planHash: string | null;
      } & OfBatch)
    | ({ readonly action: 'status'; readonly batch?: string } & OfBatch)
    | ({ readonly action: 'import' | 'plan' | 'validate' } & OfFiles)
    | ({ readonly action: 'recover'; readonly logs: readonly string[] } & OfFiles)
    | ({ readonly action: 'mapping'; readonly file: string | null } & OfBatch)
    | ({
        readonly action: 'edit_mapping';
        readonly file: string | null;
        /** The one column that is asked about; all of the file when null. */
        readonly about: string | null;
        readonly sheet: string | null;
      } & OfBatch)
    | { readonly action: 'remembered_mappings' | 'doctor' | 'migrate' | 'verify_audit' }
    | { readonly action: 'institutions'; readonly country: string }
    | { readonly action: 'template'; readonly kind: string }
    | { readonly action: 'help'; readonly of: string }
  );

/** One thing that helps. */
export type Remedy =
  | CallRemedy
  /** Something outside of the program. */
  | (Around & { readonly action: 'advice'; readonly text: string })
  /** The same call once more. */
  | (Around & { readonly action: 'again' })
  /** The same call with one of these settings. */
  | (Around & { readonly action: 'set'; readonly oneOf: readonly [Adjustment, ...Adjustment[]] })
  /** The same call without these settings. */
  | (Around & { readonly action: 'leave_out'; readonly settings: readonly [Adjustment, ...Adjustment[]] })
  /** A look at what these settings are. */
  | (Around & { readonly action: 'check'; readonly settings: readonly [Adjustable, ...Adjustable[]] });

/** What helps, as it is written where something fails: a text is advice. */
export type Remedies = string | Remedy | readonly (string | Remedy)[] | null;

export function remediesOf(given: Remedies): readonly Remedy[] {
  if (given === null) return [];
  if (typeof given === 'string' || 'action' in given) return [remedyOf(given)];
  return given.map(remedyOf);
}

function remedyOf(given: string | Remedy): Remedy {
  return typeof given === 'string' ? { action: 'advice', text: given } : given;
}

/** How a way in names what can be done. */
export interface DoorWords {
  /** What helps, in one line: what to type, or where to go. */
  readonly remedy: (remedy: Remedy) => string;
  /** What can be done about a row, in half a sentence. */
  readonly rowRemedy: (remedy: RowRemedy) => string;
  /** Whether it is done on pages: then sentences do not speak of files to save and commands to type. */
  readonly isOnPages?: boolean;
}
