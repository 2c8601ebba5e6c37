/** What a value's check may ask of the other cells of its row. */
export interface RowValues {
  /** Another field's value in its canonical form; undefined where it is empty or refused. */
  readonly valueOf: (field: string) => string | undefined;
  /**
   * The country whose numbers are written without `+` and country code, ISO 3166-1 alpha-2; null where the mapping
   * declares none, undefined where the row's column has no country.
   */
  readonly phoneCountry: () => string | null | undefined;
}

/** A value that stands alone: nothing is declared, and nothing is known beside it. */
export const noOtherValues: RowValues = {
  valueOf: () => undefined,
  phoneCountry: () => null,
};
