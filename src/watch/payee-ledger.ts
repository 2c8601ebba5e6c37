/* What is asked about the payees that the ledger knows. */

import type { PayeeKeys } from '../domain/rows/payee-change.ts';
import type { NameMarks } from '../domain/text/name-marks.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/** A known payee that a row's payee is compared with; `n` names that row. */
interface ComparedPayee {
  readonly n: number;
  readonly batch: string;
  readonly row: number;
  readonly isSameCustomer: boolean;
  readonly isSameName: boolean;
  readonly isSameDetails: boolean;
}

/** The known payees of a customer, by its place among those that were asked for. */
export interface KnownNames {
  readonly n: number;
  /** Name key and marks of each; null for a customer of very many. */
  readonly names: readonly KnownName[] | null;
}

export interface KnownName {
  /** As in `PayeeSigns`. */
  readonly name: string;
  readonly marks: NameMarks;
}

/** What may be asked about the payees of one environment; `n` names a row of a group, or what is asked. */
export interface PayeePort {
  /** Of these customers, those that have known payees. The look-ups below are for what is known at all. */
  readonly findKnownNames: (customers: readonly string[]) => Promise<readonly KnownNames[]>;
  /** Of these accounts, those that known payees have. */
  readonly findKnownAccounts: (accounts: readonly string[]) => Promise<ReadonlySet<number>>;
  /** The batches of the file's own family, with those whose rows it corrects: their payees do not count. */
  readonly familyOf: (corrected: readonly string[]) => Promise<readonly string[]>;
  readonly findPayees: (
    asked: readonly (PayeeKeys & { readonly n: number })[],
    without: readonly string[],
  ) => Promise<readonly ComparedPayee[]>;
  /** The known payees of such customers and name keys, with their names as they were written; the newest first. */
  readonly findNamedPayees: (
    asked: readonly { readonly n: number; readonly customer: string; readonly name: string }[],
    without: readonly string[],
  ) => Promise<
    readonly { readonly n: number; readonly batch: string; readonly row: number; readonly name: string }[]
  >;
  readonly findDecisions: (
    asked: readonly (PayeeKeys & { readonly n: number })[],
  ) => Promise<
    readonly { readonly n: number; readonly verdict: 'send' | 'existing'; readonly objectId: string | null }[]
  >;
}

/** The payees that those of a file are compared with. */
export type PayeesOf = (file: { readonly contentHash: string }) => PayeePort;

/** The payees that those of a file are compared with, within one environment. */
export function payeesIn(verbs: LedgerVerbs, environmentId: number): PayeesOf {
  return ({ contentHash }) => {
    const families = new Map<string, Promise<string[]>>();
    return {
      familyOf: (corrected) => {
        const name = [...corrected].sort().join(' ');
        const known = families.get(name) ?? verbs.listPayeeFamily(contentHash, corrected);
        families.set(name, known);
        return known;
      },
      findKnownNames: (customers) => verbs.findKnownNames(environmentId, customers),
      findKnownAccounts: (accounts) => verbs.findKnownAccounts(environmentId, accounts),
      findPayees: (asked, without) => verbs.findPayees(environmentId, asked, without),
      findNamedPayees: (asked, without) => verbs.findNamedPayees(environmentId, asked, without),
      findDecisions: (asked) => verbs.findPayeeDecisions(environmentId, asked),
    };
  };
}
