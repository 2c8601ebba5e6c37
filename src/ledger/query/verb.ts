/* What a verb of the ledger says of itself: on which connections it runs, and whether it may be run again. */

/** How a verb is to be called. */
interface VerbPolicy {
  /**
   * `short`: it is over in moments, since it is about one group of rows or one record at most. It runs on connections
   * that lose patience soon. `long`: it may take as long as a whole batch does.
   */
  readonly pool: 'short' | 'long';
  /**
   * Whether it may be repeated when the database was away, even if only the reply to its COMMIT was lost: it reads, or
   * its guards find that its change was made. One that yields pages of rows goes on after the last row that came;
   * `fromRow` is the place, after the database, of its argument that says after which row to begin.
   * What only shows that a run lives is not repeated, since the next sign comes by itself.
   */
  readonly repeatable: boolean | { readonly fromRow: number };
  /** Whether it only keeps what can be found again, and may be left out on a server that takes no writes. */
  readonly savesWorkOnly?: boolean;
}

type VerbFunction = (database: never, ...rest: never[]) => unknown;

/** A function on the ledger that says how it is to be called. */
export type Verb<Act extends VerbFunction = VerbFunction> = Act & { readonly policy: VerbPolicy };

/**
 * Declares a verb of the ledger.
 * @param act its first parameter is the database; called by another verb, it runs in that one's transaction
 */
export function verb<Act extends VerbFunction>(policy: VerbPolicy, act: Act): Verb<Act> {
  return Object.assign(act, { policy });
}
