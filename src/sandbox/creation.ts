import { RequestRefusal } from './fields.ts';
import type { SandboxDirectory } from './institutions/directory.ts';
import type { KycStatus, ObjectKind } from './journal.ts';
import type { ModeState } from './state.ts';

export type CustomerAnswer = 'enveloped' | 'bare' | 'nested';

/** The data that a resource may use for deciding on a request. */
export interface Circumstances {
  readonly mode: ModeState;
  readonly directory: SandboxDirectory;
  readonly now: Date;
  readonly kyc: 'automatic' | 'required';
  /** How long verification takes; null when it never ends by itself. */
  readonly kycAfterInMs: number | null;
  readonly customerAnswer: CustomerAnswer;
}

/** A new object that is not stored yet. */
export interface Creation {
  readonly id: string;
  /** Its natural key; two objects with the same one are duplicates. */
  readonly natural: readonly (string | undefined)[];
  /** The answer's body: JSON on one line. */
  readonly answer: string;
  /** The object as JSON, if the answer does not show all of it. */
  readonly object?: string;
  readonly customer?: string;
  readonly kyc?: KycStatus;
}

export interface Resource {
  readonly kind: ObjectKind;
  readonly path: string;
  /** The body's field in which magic phrases work. */
  readonly magicField: string;
  /** @throws Refusal when the sandbox does not accept the request */
  readonly create: (body: unknown, circumstances: Circumstances) => Creation;
}

/** @throws Refusal 404 unless the customer exists in this mode */
export function knownCustomer({ mode, now, kycAfterInMs }: Circumstances, id: string): KycStatus {
  const kyc = mode.kycOf(id, now, kycAfterInMs);
  if (kyc === undefined) {
    throw new RequestRefusal(
      404,
      'customer_not_found',
      'there is no customer with this customer_id',
      'customer_id',
    );
  }
  return kyc;
}
