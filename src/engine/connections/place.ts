import type { ApiTarget, LedgerTarget } from '../../domain/settings/definitions.ts';

/** Environment variables by name: API keys, proxies and the database's address come from there. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Where an engine works: which API and which ledger, the same for all of its calls. */
export interface Place {
  readonly api: ApiTarget;
  readonly ledger: LedgerTarget;
  readonly environment: Variables;
}
