/** In which of them every record of either side stands, exactly once. */
export const matchStates = [
  'matched',
  'matched_within_tolerance',
  'mismatched',
  'missing_there',
  'expected',
  'not_covered',
  'unknown_here',
  'duplicate_here',
  'duplicate_there',
  'ambiguous',
  'proposed',
] as const;

export type MatchState = (typeof matchStates)[number];

/** States that need nobody: everything else is a difference. */
export const agreeingStates: ReadonlySet<MatchState> = new Set<MatchState>([
  'matched',
  'matched_within_tolerance',
  'expected',
  'not_covered',
]);

/** What counts as the same, and what a side may leave out. */
export interface MatchRules {
  /** How far two amounts of one currency may be apart: decimals, the greater of both counts. */
  readonly tolerance: { readonly absolute: string; readonly percent: string; readonly days: number };
  /** The UTC days, both included, of which the other side claims to hold everything; null where undeclared. */
  readonly coversFrom: string | null;
  readonly coversTo: string | null;
  /** So many of the covered days, counted from the last, may still be on their way. */
  readonly graceInDays: number;
  /** What both sides have, and is therefore compared. */
  readonly compares: { readonly amount: boolean; readonly currency: boolean; readonly day: boolean };
}

/** Everything equal, nothing covered. */
export const strictRules: MatchRules = {
  tolerance: { absolute: '0', percent: '0', days: 0 },
  coversFrom: null,
  coversTo: null,
  graceInDays: 0,
  compares: { amount: true, currency: true, day: true },
};

/** Written into SQL as it is, so it has to be a plain decimal. */
function decimal(text: string): string {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error('a tolerance is no plain decimal');
  return `${text}::numeric`;
}

/** SQL: two amounts, of one currency, are equal within the tolerance. */
export function amountsAgree(left: string, right: string, { tolerance }: MatchRules): string {
  const allowed = `greatest(${decimal(tolerance.absolute)}, abs(${left}) * ${decimal(tolerance.percent)} / 100)`;
  return `abs(${left} - ${right}) <= ${allowed}`;
}

/** SQL: whether tolerances say anything at all. */
function hasTolerance({ tolerance }: MatchRules): boolean {
  return [tolerance.absolute, tolerance.percent, String(tolerance.days)].some((text) => /[1-9]/.test(text));
}

/**
 * SQL: the state of a pair, of which `h` and `t` are the records. An id or a reference that only one side
 * has says nothing; one that both have has to be the same.
 * @param key the column by which they were paired, which needs no comparing
 */
export function pairState(rules: MatchRules, key: 'id' | 'reference' | 'natural_key'): string {
  const { compares, tolerance } = rules;
  const exact = [
    ...(key === 'id' ? [] : ['(h.id = t.id) IS NOT FALSE']),
    ...(key === 'reference' ? [] : ['(h.reference = t.reference) IS NOT FALSE']),
    'h.fields = t.fields',
    ...(compares.currency ? ['h.currency IS NOT DISTINCT FROM t.currency'] : []),
  ];
  const equal = [
    ...(compares.amount ? ['h.amount IS NOT DISTINCT FROM t.amount'] : []),
    ...(compares.day ? ['h.day IS NOT DISTINCT FROM t.day'] : []),
  ];
  const near = [
    ...(compares.amount
      ? [`(h.amount IS NOT DISTINCT FROM t.amount OR ${amountsAgree('h.amount', 't.amount', rules)})`]
      : []),
    ...(compares.day
      ? [
          `(h.day IS NOT DISTINCT FROM t.day OR abs(h.day - t.day) <= ${Math.max(0, Math.trunc(tolerance.days))})`,
        ]
      : []),
  ];
  const within = hasTolerance(rules)
    ? `WHEN ${[...exact, ...near].join(' AND ')} THEN 'matched_within_tolerance'`
    : '';
  return `CASE WHEN ${[...exact, ...equal].join(' AND ')} THEN 'matched' ${within} ELSE 'mismatched' END`;
}

/** SQL: one text out of everything compared that tells two records of one key apart. */
export function signature({ compares }: MatchRules): string {
  const parts = [
    ...(compares.currency ? ["coalesce(currency, '')"] : []),
    ...(compares.amount ? ["coalesce(trim_scale(amount)::text, '')"] : []),
    ...(compares.day ? ["coalesce(day::text, '')"] : []),
    'fields',
  ];
  return `concat_ws('|', ${parts.join(', ')})`;
}
