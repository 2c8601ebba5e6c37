import type { Settings } from '../../domain/settings/definitions.ts';
import type { ClockPort } from '../../pipeline/ports.ts';
import type { AnswerOfPerson, CallEvent, Question } from './events.ts';

/** What is under way, for a person who asks the program to stop. */
export interface Activity {
  /** Requests in flight. */
  requests: number;
}

/** Environment variables by name: API keys and the database's address come from there. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** What every use case works with: its settings, and the ways out to the world and to a person. */
export interface CallContext {
  readonly settings: Settings;
  readonly environment: Variables;
  readonly clock: ClockPort;
  /** Aborted to stop: nothing new is begun, and what is in flight comes to its end. */
  readonly interrupted: AbortSignal;
  readonly activity: Activity;
  /** Whether details of every request are reported; not when absent. */
  readonly wantsDetails?: boolean;
  /** Paths of the files that this call reads; absent where it reads none. */
  readonly files?: readonly string[];
  /** Told what happens on the way. */
  readonly report: (event: CallEvent) => void;
  /** Asked before requests leave that a person has to agree to. */
  readonly ask: (question: Question) => Promise<AnswerOfPerson>;
}

export const systemClock: ClockPort = {
  now: () => new Date(),
  monotonicInMs: () => performance.now(),
};
