/** Rows that contradict each other about one object. */
export interface Contradiction {
  /**
   * `natural_key`: one natural key has two ids. `unrecorded`: an object was created for a row that does not
   * have it. `id`, one id on two rows, stands in reconciliations of earlier versions only: now such a row is held.
   */
  readonly kind: 'id' | 'natural_key' | 'unrecorded';
  readonly objectIds: readonly string[];
  readonly rows: readonly { readonly batch: string; readonly row: number }[];
}
