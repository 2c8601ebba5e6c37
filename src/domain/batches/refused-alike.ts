/**
 * Why no fresh row of a batch is sent any more: the API refused so many for one reason, and none was created. The
 * file is then read wrongly as a whole, and each further request would be refused as well.
 */
export interface RefusedAlike {
  readonly code: string;
  /** What the API said, where this is known. */
  readonly message: string | null;
  /** So many rows had been refused for it when the sending stopped. */
  readonly rows: number;
}

/** Thrown by a run that stops for this reason; it concerns one batch, and the others of the call go on. */
export class RefusedAlikeStop extends Error {
  override readonly name = 'RefusedAlikeStop';
  readonly refused: RefusedAlike;

  constructor(refused: RefusedAlike) {
    super('the API refused the rows of a file for one reason');
    this.refused = refused;
  }
}

/** What tells the reasons of refusals apart: the API's code, and its words without numbers and hidden values. */
export function reasonOfRefusal(code: string | null, message: string | null): string {
  const words = (message ?? '').replace(/\*{3}[^\s"'`”’»,;.)]*/gu, '…').replace(/\p{Nd}+/gu, '#');
  return `${code ?? ''} ${words}`;
}
