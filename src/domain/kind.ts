/**
 * What a batch imports, in the order in which the kinds depend on each other: an account needs its
 * customer, a collection needs the account that receives it.
 */
export const kinds = ['customers', 'accounts', 'recipients', 'collections'] as const;

export type Kind = (typeof kinds)[number];

export function isKind(text: string): text is Kind {
  return (kinds as readonly string[]).includes(text);
}

/** Orders two kinds so that what others depend on comes first. */
export function compareKinds(left: Kind, right: Kind): number {
  return kinds.indexOf(left) - kinds.indexOf(right);
}
