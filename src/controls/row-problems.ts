/* What is wrong with the rows of a batch, as `audit verify` names it. */

/** A row that is not what an approver, a run log or an answer says. */
export interface RowProblem {
  readonly code: /** Its request, record or type is not what approvers have signed. */
    | 'row_not_approved'
    /** Its request is not the one whose hash was noted when it was written. */
    | 'request_changed'
    /** Its request is not made of its record, and neither an approval nor a run log has it. */
    | 'request_not_staged'
    /** Its request is not the one in a run log. */
    | 'request_not_logged'
    /** An answer, or a run log, tells of an object that the ledger does not have for it. */
    | 'object_missing'
    /** No answer, no person and no run log names its object. */
    | 'object_not_answered'
    /** Its record is missing. */
    | 'record_lost'
    /** Its cells, record, findings or notes are not those that were staged. */
    | 'row_not_staged'
    /** The same of the hashes of a group of rows; `row` is the first of them. */
    | 'rows_not_staged'
    /** An answer about it is not the one in a run log. */
    | 'answer_not_logged'
    /** Its code is not that of the answer that refused it. */
    | 'code_not_answered'
    /** Fewer answers are there than the row counts requests, and it has no object. */
    | 'answer_missing';
  readonly row: number;
}

/** At most this many rows are named with each code. */
const mostNamed = 20;

/** Problems, each row once with each code. */
export class Problems {
  readonly found: RowProblem[] = [];
  readonly #counts = new Map<RowProblem['code'], number>();

  /** Whether a row is named with any code. */
  isAbout(row: number): boolean {
    return this.found.some((each) => each.row === row);
  }

  add(code: RowProblem['code'], row: number): void {
    const count = this.#counts.get(code) ?? 0;
    const isKnown = this.found.some((each) => each.code === code && each.row === row);
    if (count >= mostNamed || isKnown) return;
    this.#counts.set(code, count + 1);
    this.found.push({ code, row });
  }
}
