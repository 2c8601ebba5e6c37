/* The context of a call: its caller, its settings, how it is stopped, and the progress that it reports. */

import { userInfo } from 'node:os';
import type { CheckedAccount, ShownPlan } from '../domain/batches/account.ts';
import type { BatchRecord, Environment } from '../domain/batches/batch.ts';
import type { Note } from '../domain/batches/note.ts';
import type { Selection } from '../domain/batches/open-rows.ts';
import type { Disowning } from '../domain/controls/controls.ts';
import type { Phrasebook } from '../domain/failures/paybatch-error.ts';
import type { RowConclusion } from '../domain/rows/ledger-row.ts';
import type { Settings } from '../domain/settings/definitions.ts';
import type { MachineSettings } from '../domain/settings/setting.ts';
import type { Connections } from './connections.ts';

/** The person who gives a verdict or makes a reconciliation: the user of the operating system. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under an id that has no name.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Work under way, for a person who asks the program to stop. */
export interface Activity {
  /** Requests in flight. */
  requests: number;
}

/** The caller, and the channel of the call. */
export interface Actor {
  readonly name: string;
  /** Such as `command line`, `library`, `console`. */
  readonly door: string;
}

/** A request without parameters. */
export type EmptyRequest = Readonly<Record<never, never>>;

/** How a use case is called. Every part is optional. */
export interface Call {
  /** The caller; the user of the operating system when absent. */
  readonly actor?: Actor;
  /** Aborted to stop: nothing new is begun, requests in flight finish, the files are written. */
  readonly signal?: AbortSignal;
  /** Called with each event as it happens. */
  readonly report?: (event: CallEvent) => void;
  /** Called before requests are sent that a person has to agree to; without it, every such question counts as unanswered. */
  readonly confirm?: (question: Question) => boolean | AnswerOfPerson | Promise<boolean | AnswerOfPerson>;
  /** How the channel names what can be done, in written reports; as calls of the library when absent. */
  readonly words?: Phrasebook;
  /** Counts the requests in flight while the call is under way. */
  readonly activity?: Activity;
  /** Whether details of every request are reported. */
  readonly wantsDetails?: boolean;
}

/** What every use case works with: its settings, and its connections to other systems and to a person. */
export interface CallContext {
  readonly settings: Settings;
  readonly machine: MachineSettings;
  /** The ledger and the API, open for all calls of the engine. */
  readonly connections: Connections;
  /** The caller: recorded with every verdict and every reconciliation. */
  readonly actor: Actor;
  readonly clock: ClockPort;
  /** Aborted to stop: nothing new is begun, and requests in flight finish. */
  readonly interrupted: AbortSignal;
  readonly activity: Activity;
  /** Whether details of every request are reported; false when absent. */
  readonly wantsDetails?: boolean;
  /** Paths of the files that this call reads; absent where it reads none. */
  readonly files?: readonly string[];
  /** Called with each event. */
  readonly report: (event: CallEvent) => void;
  /** How the channel names what can be done, for files that are written. */
  readonly words: Phrasebook;
  /** Called before requests are sent that a person has to agree to. */
  readonly ask: (question: Question) => Promise<AnswerOfPerson>;
}

/** Time and randomness are passed in, so that tests can control them. */
export interface ClockPort {
  /** The date of the current UTC day and the time of events. */
  readonly now: () => Date;
  /** Never goes back; only differences are meaningful. */
  readonly monotonicInMs: () => number;
}

export const systemClock: ClockPort = {
  now: () => new Date(),
  monotonicInMs: () => performance.now(),
};

/** The long steps of a use case; `asking` sends created rows again for the facts of their objects. */
export type Step = 'reading' | 'checking' | 'planning' | 'sending' | 'asking' | 'comparing';

/** The results of rows that were sent. */
export interface SentOutcomes {
  readonly created: number;
  readonly refused: number;
  /** Refused for a temporary reason. */
  readonly waiting: number;
  readonly inDoubt: number;
}

export const noOutcomes: SentOutcomes = { created: 0, refused: 0, waiting: 0, inDoubt: 0 };

/** The sum of both outcomes. */
export function addOutcomes(one: SentOutcomes, other: SentOutcomes): SentOutcomes {
  return {
    created: one.created + other.created,
    refused: one.refused + other.refused,
    waiting: one.waiting + other.waiting,
    inDoubt: one.inDoubt + other.inDoubt,
  };
}

/** The results of rows whose sending ended. */
export function outcomesOf(conclusions: readonly RowConclusion[]): SentOutcomes {
  const count = (...states: readonly RowConclusion['conclusion']['state'][]): number =>
    conclusions.filter(({ conclusion }) => states.includes(conclusion.state)).length;
  return {
    created: count('created'),
    refused: count('rejected'),
    waiting: count('waiting'),
    inDoubt: count('unknown', 'held'),
  };
}

/** What happens during a call, for display. Only one step is under way at a time: the next one ends it. */
export type CallEvent =
  | {
      readonly kind: 'step.started';
      readonly step: Step;
      /** The file that is read or checked, with its sheet, unescaped; the kind of the rows that are sent; else null. */
      readonly about: string | null;
      /** Null while the number of rows is unknown. */
      readonly rows: number | null;
      /** Rows of it that earlier runs have done; none when absent. */
      readonly done?: number;
    }
  | {
      readonly kind: 'step.advanced';
      /** Rows since the last event of the step. */
      readonly rows: number;
      /** The part of its input that the step has read, from 0 to 1, where its rows are not counted beforehand. */
      readonly share?: number;
      /** Their results, where they were sent. */
      readonly outcomes?: SentOutcomes;
    }
  | { readonly kind: 'step.ended' }
  | {
      /** The API asked to wait this long before the next request. */
      readonly kind: 'api.paused';
      readonly waitInMs: number;
    }
  | {
      readonly kind: 'note';
      readonly note: Note;
    }
  | {
      readonly kind: 'detail';
      /** For people who search for a cause. */
      readonly text: string;
      /** Without personal data. */
      readonly fields?: Readonly<Record<string, string | number | null>>;
    }
  | {
      /** A file was read to its end by `validate`, and its findings are written. */
      readonly kind: 'file.checked';
      readonly checked: CheckedAccount;
    }
  | {
      /** The rows of a verdict are found, and nothing is recorded yet. */
      readonly kind: 'rows.selected';
      readonly selection: Selection;
    };

/** What a person has to agree to before requests are sent, or before a verdict applies to many rows. */
export type Question =
  | {
      readonly kind: 'send_live';
      readonly batches: readonly LiveBatch[];
      /** The fingerprint of the live key where nothing proves that it is one; else null. */
      readonly unprovenKey: string | null;
    }
  | {
      readonly kind: 'replay';
      readonly batch: BatchRecord;
      /** Rows whose outcome is unknown, and which are sent again under their own keys. */
      readonly rows: number;
      /** Created rows that are sent again for the facts of their objects, which the ledger lacks. */
      readonly missingResponses: number;
      /** The same as of `send_live`. */
      readonly unprovenKey: string | null;
    }
  | {
      readonly kind: 'resolve';
      readonly batch: BatchRecord;
      readonly selection: Selection;
      /** The same as of `send_live`, of the key that the batch was sent with. */
      readonly unprovenKey: string | null;
    }
  | DisownQuestion
  | SandboxAtLiveQuestion
  | NewAddressQuestion
  | PassphraseQuestion
  | EncodingQuestion;

/** Whether what was created live with an API key is taken back, since it was a sandbox key. */
interface DisownQuestion {
  readonly kind: 'disown';
  /** The fingerprint of the key. */
  readonly key: string;
  readonly disowning: Disowning;
}

/** Whether an API key is a sandbox key, at an address that the ledger knows as live. */
export interface SandboxAtLiveQuestion {
  readonly kind: 'sandbox_at_live';
  readonly environment: Environment;
  /** Of the key. */
  readonly fingerprint: string;
}

/** Whether an API has moved: its key is used at an address where it never was. */
export interface NewAddressQuestion {
  readonly kind: 'new_address';
  readonly environment: Environment;
  readonly fingerprint: string;
  /** Where the key was used before. */
  readonly origins: readonly string[];
}

/** The passphrase of a key file; the answer is its text, which is never shown or written. */
export interface PassphraseQuestion {
  readonly kind: 'passphrase';
  /** `open` a key file, `choose` the passphrase of a new one, or `repeat` what was chosen. */
  readonly purpose: 'open' | 'choose' | 'repeat';
  readonly user: string;
  /** Path of the key file. */
  readonly file: string;
}

/** The encoding of a text file that cannot be determined; the answer is its label, or yes for the first. */
export interface EncodingQuestion {
  readonly kind: 'encoding';
  /** As messages name it. */
  readonly file: string;
  /** The likeliest first, each with the same values of the file decoded in it. */
  readonly candidates: readonly { readonly encoding: string; readonly samples: readonly string[] }[];
}

/** What a live run is about to send of one batch. */
export interface LiveBatch {
  readonly batch: Pick<BatchRecord, 'fileName' | 'sheet' | 'origin'>;
  readonly plan: ShownPlan;
}

/**
 * `nobody` when there is no person to ask, `stop` when the person wants no more questions. Where a question needs more
 * than yes or no, the text of the answer: the name of a field or file, or a value.
 */
export type AnswerOfPerson = 'yes' | 'no' | 'nobody' | 'stop' | { readonly text: string };
