import type { Conclusion } from './conclusion.ts';
import type { StopReason } from './stop-cause.ts';

/**
 * The run cannot go on, whatever the row: no further request starts. `message` is a sentence for people;
 * nothing personal and no credential stands in it.
 */
export class RunStop extends Error {
  override readonly name = 'RunStop';
  readonly reason: StopReason;
  /**
   * Where the row stands whose sending was broken off: as it was before the try that stopped the run where
   * that try's answer is conclusive, and else `unknown`. It has to be recorded. Null where no row was under way.
   */
  readonly conclusion: Conclusion | null;

  constructor(reason: StopReason, message: string, conclusion: Conclusion | null = null) {
    super(message);
    this.reason = reason;
    this.conclusion = conclusion;
  }
}
