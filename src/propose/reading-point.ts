/* A question about how the file is read, with the parts that most of them share. */

import type { QuestionReason } from './decisions.ts';
import type { Point } from './point.ts';

/** A question with options, one of which is proposed; of the first stage unless another is stated. */
export function reading(
  id: string,
  {
    about,
    rows,
    proposal,
    options,
    why,
    freeText = false,
    isNeeded = false,
    stage = 1,
    samples = [],
  }: {
    readonly about: string;
    readonly rows: number;
    readonly proposal: string | null;
    readonly options: Point['options'];
    readonly why: QuestionReason;
    readonly freeText?: boolean;
    readonly isNeeded?: boolean;
    readonly stage?: Point['stage'];
    readonly samples?: readonly string[];
  },
): Point {
  return {
    id: `reading:${id}`,
    about,
    rows,
    samples,
    why,
    options,
    freeText,
    isNeeded,
    stage,
    subject: { kind: 'reading', proposal },
  };
}
