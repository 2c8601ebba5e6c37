import type { DoorWords } from '../../domain/failures/remedy.ts';
import type { CallResult } from '../../engine/running/result.ts';
import { inOptions, nextOf } from '../remedies/remedy-text.ts';
import { jsonSummary } from './summary.ts';

/** What a command came to: the result of its use case, and what `--json` prints of it. */
export interface CommandEnd extends CallResult {
  /** Printed in place of the account of batches, by a command whose result is something else. */
  readonly document?: unknown;
}

/** The one object that `--json` prints. */
export function documentOf({ outcome, batches, failure, document }: CommandEnd, words: DoorWords): unknown {
  const error =
    failure === null
      ? null
      : { code: failure.code, message: inOptions(failure.message), next: nextOf(failure, words) };
  return document ?? jsonSummary({ outcome, batches, error });
}
