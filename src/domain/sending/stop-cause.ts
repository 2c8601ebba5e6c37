/** Why the whole run has to stop: the fault lies in credentials or configuration, not in a row. */
export type StopReason = 'credentials' | 'redirect' | 'not_the_api' | 'wrong_path' | 'no_id' | 'unavailable';

/** Why a run stops by itself; the message is a sentence for people, with nothing personal in it. */
export interface StopCause {
  readonly reason: StopReason;
  readonly message: string;
}
