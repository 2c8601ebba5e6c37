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

/** The name of the operating system's user, which identifies the caller if no actor is stated. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a user id that has no name.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Current work, which is shown to a person who stops the program. */
export interface Activity {
  /** Number of requests in flight. */
  requests: number;
}

/** The caller, and the channel of the call. */
export interface Actor {
  readonly name: string;
  /** The channel, for example `command line`, `library` or `console`. */
  readonly channel: string;
}

/** A request without parameters. */
export type EmptyRequest = Readonly<Record<never, never>>;

/** Options of a call of a use case. */
export interface Call {
  /** The caller; the user of the operating system when absent. */
  readonly actor?: Actor;
  /** Abort it to stop the call: no new request begins, requests in flight finish, and the files are written. */
  readonly signal?: AbortSignal;
  /** Called with each event as it happens. */
  readonly report?: (event: CallEvent) => void;
  /**
   * Called for questions that a person has to answer, for example before requests are sent. When absent, these questions
   * count as unanswered.
   */
  readonly confirm?: (question: Question) => boolean | AnswerOfPerson | Promise<boolean | AnswerOfPerson>;
  /** The words of the channel for actions in written reports; calls of the library when absent. */
  readonly words?: Phrasebook;
  /** Counts the requests in flight while the call is running. */
  readonly activity?: Activity;
  /** Whether details of every request are reported. */
  readonly wantsDetails?: boolean;
}

/** The context of a use case: its settings, and its connections to other systems and to a person. */
export interface CallContext {
  readonly settings: Settings;
  readonly machine: MachineSettings;
  /** The ledger and the API, which all calls of the engine share. */
  readonly connections: Connections;
  /** The caller, who is recorded with every verdict and every reconciliation. */
  readonly actor: Actor;
  readonly clock: ClockPort;
  /** Aborted to stop the call: no new request begins, and requests in flight finish. */
  readonly interrupted: AbortSignal;
  readonly activity: Activity;
  /** Whether details of every request are reported; false when absent. */
  readonly wantsDetails?: boolean;
  /** Paths of the files that this call reads; absent where it reads none. */
  readonly files?: readonly string[];
  /** Called with each event. */
  readonly report: (event: CallEvent) => void;
  /** The words of the channel for actions, in files that are written. */
  readonly words: Phrasebook;
  /** Called for questions that a person has to answer, for example before requests are sent. */
  readonly ask: (question: Question) => Promise<AnswerOfPerson>;
}

/** Time and randomness are passed in, so that tests can control them. */
export interface ClockPort {
  /** The calendar time, used for the current UTC day and the time of events. */
  readonly now: () => Date;
  /** Monotonic time in milliseconds. Only differences are meaningful. */
  readonly monotonicInMs: () => number;
}

export const systemClock: ClockPort = {
  now: () => new Date(),
  monotonicInMs: () => performance.now(),
};

/** The long steps of a use case; `asking` sends created rows again for the facts of their objects. */
export type Step = 'reading' | 'checking' | 'planning' | 'sending' | 'asking' | 'comparing';

/** Numbers of sent rows by their result. */
export interface SentOutcomes {
  readonly created: number;
  readonly refused: number;
  /** Rows that were refused for a temporary reason. */
  readonly waiting: number;
  readonly inDoubt: number;
}

export const noOutcomes: SentOutcomes = { created: 0, refused: 0, waiting: 0, inDoubt: 0 };

/** The sum of two counts. */
export function addOutcomes(one: SentOutcomes, other: SentOutcomes): SentOutcomes {
  return {
    created: one.created + other.created,
    refused: one.refused + other.refused,
    waiting: one.waiting + other.waiting,
    inDoubt: one.inDoubt + other.inDoubt,
  };
}

/** Counts the results of rows whose sending has ended. */
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

/** Events during a call, for display. Only one step runs at a time: the start of the next step ends it. */
export type CallEvent =
  | {
      readonly kind: 'step.started';
      readonly step: Step;
      /**
       * The file that is read or checked, with its sheet, unescaped; or the kind of the rows that are sent; otherwise null.
       */
      readonly about: string | null;
      /** Null while the number of rows is unknown. */
      readonly rows: number | null;
      /** Number of rows of the step that earlier runs have finished; 0 when absent. */
      readonly done?: number;
    }
  | {
      readonly kind: 'step.advanced';
      /** Number of rows since the last event of the step. */
      readonly rows: number;
      /** The part of its input that the step has read, from 0 to 1, if its rows are not counted beforehand. */
      readonly share?: number;
      /** The results of the rows, if they were sent. */
      readonly outcomes?: SentOutcomes;
    }
  | { readonly kind: 'step.ended' }
  | {
      /** The API requested a pause of this length before the next request. */
      readonly kind: 'api.paused';
      readonly waitInMs: number;
    }
  | {
      readonly kind: 'note';
      readonly note: Note;
    }
  | {
      readonly kind: 'detail';
      /** Details for people who search for a cause. */
      readonly text: string;
      /** They contain no personal data. */
      readonly fields?: Readonly<Record<string, string | number | null>>;
    }
  | {
      /** A file was read to its end by `validate`, and its findings are written. */
      readonly kind: 'file.checked';
      readonly checked: CheckedAccount;
    }
  | {
      /** The rows of a verdict were selected. Nothing is recorded yet. */
      readonly kind: 'rows.selected';
      readonly selection: Selection;
    };

/** Questions to a person, mostly for agreement before requests are sent, or before a verdict applies to many rows. */
export type Question =
  | {
      readonly kind: 'send_live';
      readonly batches: readonly LiveBatch[];
      /** The fingerprint of the live key if nothing proves that it is a live key; otherwise null. */
      readonly unprovenKey: string | null;
    }
  | {
      readonly kind: 'replay';
      readonly batch: BatchRecord;
      /** Number of rows with an unknown outcome, which are sent again under their own keys. */
      readonly rows: number;
      /** Number of created rows that are sent again, because the ledger lacks the facts of their objects. */
      readonly missingResponses: number;
      /** As in `send_live`. */
      readonly unprovenKey: string | null;
    }
  | {
      readonly kind: 'resolve';
      readonly batch: BatchRecord;
      readonly selection: Selection;
      /** As in `send_live`, for the key with which the batch was sent. */
      readonly unprovenKey: string | null;
    }
  | DisownQuestion
  | SandboxAtLiveQuestion
  | NewAddressQuestion
  | PassphraseQuestion
  | EncodingQuestion;

/** Whether objects that were created live with an API key are taken back, because it was a sandbox key. */
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
  /** The fingerprint of the key. */
  readonly fingerprint: string;
}

/** Whether an API has moved, because its key is used at an address where it was never used before. */
export interface NewAddressQuestion {
  readonly kind: 'new_address';
  readonly environment: Environment;
  readonly fingerprint: string;
  /** Where the key was used before. */
  readonly origins: readonly string[];
}

/** Asks for the passphrase of a key file. The answer is its text, which is never shown or written. */
export interface PassphraseQuestion {
  readonly kind: 'passphrase';
  /** `open` a key file, `choose` the passphrase of a new key file, or `repeat` the chosen passphrase. */
  readonly purpose: 'open' | 'choose' | 'repeat';
  readonly user: string;
  /** Path of the key file. */
  readonly file: string;
}

/**
 * Asks for the encoding of a text file if it cannot be determined. The answer is its label, or yes for the first candidate.
 */
export interface EncodingQuestion {
  readonly kind: 'encoding';
  /** The file as messages name it. */
  readonly file: string;
  /** The most likely encoding first. Each has samples: the same values of the file, decoded with this encoding. */
  readonly candidates: readonly { readonly encoding: string; readonly samples: readonly string[] }[];
}

/** The content of one batch that a live run is about to send. */
export interface LiveBatch {
  readonly batch: Pick<BatchRecord, 'fileName' | 'sheet' | 'origin'>;
  readonly plan: ShownPlan;
}

/**
 * `nobody` if no person can be asked, `stop` if the person wants no more questions. If a question needs more than yes or
 * no, the text of the answer: the name of a field or file, or a value.
 */
export type AnswerOfPerson = 'yes' | 'no' | 'nobody' | 'stop' | { readonly text: string };
