/* The context of a call: its caller, its settings, how it is stopped, where its progress is reported. */

import { userInfo } from 'node:os';
import type { Phrasebook } from '../domain/failures/paybatch-error.ts';
import type { Settings } from '../domain/settings/definitions.ts';
import type { MachineSettings } from '../domain/settings/setting.ts';
import type { Connections } from './connections.ts';
import type { AnswerOfPerson, CallEvent, Question } from './events.ts';

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
