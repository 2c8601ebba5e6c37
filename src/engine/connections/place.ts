import type { ApiTarget, LedgerTarget } from '../../domain/settings/definitions.ts';
import type { MachineSettings } from '../../domain/settings/machine-settings.ts';

/** Where an engine works: which API and which ledger, the same for all of its calls. */
export interface Place {
  readonly api: ApiTarget;
  readonly ledger: LedgerTarget;
  readonly machine: MachineSettings;
}

/** A variable on which Node.js itself acts in this process, whatever the settings say; empty where it is not set. */
export function nodeVariable(name: 'NODE_EXTRA_CA_CERTS' | 'NODE_TLS_REJECT_UNAUTHORIZED'): string {
  return process.env[name] ?? '';
}
