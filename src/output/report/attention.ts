import { answerDiffers } from '../../domain/conclusion.ts';
import type { ResultRow } from '../../domain/result-row.ts';
import type { ResultStatus } from '../../domain/row-state.ts';

const LISTED_ROWS = 200;
const LISTED_GROUPS = 50;
const FIRST_ROWS = 5;
/** The API's codes come from outside: should every row have its own, they share a group without a code. */
const KEPT_GROUPS = 1000;

/** Rows that need attention for the same reason. */
export interface AttentionGroup {
  readonly status: ResultStatus;
  readonly code: string | null;
  /** The column as the file calls it. */
  readonly column: string | null;
  readonly rows: number;
  /** The numbers of the first of them, at most five. */
  readonly firstRows: readonly number[];
  /** What the first of them has to say. */
  readonly message: string | null;
}

/**
 * The rows that are neither created nor existing, as a report shows them, and before them those whose answer
 * contradicts what was sent.
 */
export interface Attention {
  readonly rows: number;
  /** Created rows whose answer contradicts what was sent. */
  readonly contradicted: number;
  /** Contradictions first, then the largest groups, at most 50. */
  readonly groups: readonly AttentionGroup[];
  readonly groupsLeftOut: number;
  /** Contradictions first, else in input order, at most 200. */
  readonly listed: readonly ResultRow[];
}

/** Whether the answer that created a row contradicts what was sent for it. */
function isContradicted({ status, code }: Pick<ResultRow, 'status' | 'code'>): boolean {
  return status === 'created' && code === answerDiffers;
}

type GrowingGroup = { -readonly [Key in keyof AttentionGroup]: AttentionGroup[Key] } & {
  firstRows: number[];
};

/**
 * Picks out the rows that need attention while all rows pass by on their way into the result files. What is
 * kept grows with the number of different reasons, not with the number of rows.
 */
export class AttentionCollector {
  readonly #groups = new Map<string, GrowingGroup>();
  readonly #listed: ResultRow[] = [];
  readonly #listedContradictions: ResultRow[] = [];
  #rows = 0;
  #contradicted = 0;

  /** Passes the rows on as they are. */
  async *watch(groups: AsyncIterable<readonly ResultRow[]>): AsyncGenerator<readonly ResultRow[]> {
    for await (const rows of groups) {
      for (const row of rows) this.#add(row);
      yield rows;
    }
  }

  result(): Attention {
    const groups = [...this.#groups.values()].sort(
      (left, right) => Number(isContradicted(right)) - Number(isContradicted(left)) || right.rows - left.rows,
    );
    return {
      rows: this.#rows,
      contradicted: this.#contradicted,
      groups: groups.slice(0, LISTED_GROUPS),
      groupsLeftOut: Math.max(groups.length - LISTED_GROUPS, 0),
      listed: [...this.#listedContradictions, ...this.#listed].slice(0, LISTED_ROWS),
    };
  }

  #add(row: ResultRow): void {
    const contradicted = isContradicted(row);
    if (!contradicted && (row.status === 'created' || row.status === 'existing')) return;
    this.#rows += 1;
    if (contradicted) this.#contradicted += 1;
    const listed = contradicted ? this.#listedContradictions : this.#listed;
    if (listed.length < LISTED_ROWS) listed.push(row);
    const { status, code, field: column, message } = row;
    const own = JSON.stringify([status, code, column]);
    const isKept = this.#groups.has(own) || this.#groups.size < KEPT_GROUPS;
    const key = isKept ? own : JSON.stringify([status]);
    const group = this.#groups.get(key);
    if (group === undefined) {
      const reason = isKept ? { code, column } : { code: null, column: null };
      this.#groups.set(key, { status, ...reason, rows: 1, firstRows: [row.row], message });
      return;
    }
    group.rows += 1;
    if (group.firstRows.length < FIRST_ROWS) group.firstRows.push(row.row);
  }
}
