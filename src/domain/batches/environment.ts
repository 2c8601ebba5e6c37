export type Mode = 'sandbox' | 'live';

/**
 * Mode and API origin. A ledger never mixes two: batches, natural keys and references belong to one
 * environment. The origin of the built-in sandbox is its store, since its port changes with each run.
 */
export interface Environment {
  readonly mode: Mode;
  readonly origin: string;
}
