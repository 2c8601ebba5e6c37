/** Lowest and highest amount in the country's currency. */
export type Limits = readonly [min: number, max: number];

/** A name, or a name whose limits differ from its country's. */
export type SeededName = string | readonly [name: string, ...limits: Limits];

export interface CountrySeed {
  readonly country: string;
  readonly currency: string;
  /** International calling code with its plus. */
  readonly callingCode: string;
  /** What a payer dials to start a mobile money payment; absent where there is no mobile money. */
  readonly dialCode?: string;
  readonly bankLimits: Limits;
  readonly mobileLimits: Limits;
  readonly banks: readonly SeededName[];
  readonly mobileMoney: readonly SeededName[];
}
