import type { Random } from '../../simulation/random.ts';

/** The kinds whose reconciliation is modelled. */
export const modelKinds = ['customers', 'accounts', 'recipients', 'collections'] as const;

export type ModelKind = (typeof modelKinds)[number];

/** Something that exists in the truth, known or not. */
export interface Thing {
  readonly label: string;
  readonly id: string;
  /** Our reference; null for kinds that have none. */
  readonly reference: string | null;
  readonly values: Readonly<Record<string, string>>;
  /** UTC day of its sending. */
  readonly day: string;
}

/** What becomes of a thing on the two sides. */
export const fates = [
  'both',
  'missing',
  'extra',
  'doubled',
  'doubled_otherwise',
  'changed',
  'left_out',
  'parts',
  'wrong_parts',
] as const;

export type Fate = (typeof fates)[number];

/** The fields that identify a thing of a kind or payee type where it has neither id nor reference. */
export function naturalFields(kind: ModelKind, values: Readonly<Record<string, string>>): readonly string[] {
  switch (kind) {
    case 'customers':
      return ['email'];
    case 'accounts':
      return ['customer_id', 'currency', 'blockchain_network', 'type', 'label'];
    case 'collections':
      return ['client_customer_id', 'currency', 'amount'];
    case 'recipients':
      return ['customer_id', 'payee_type', ...(payeeFields[values['payee_type'] ?? ''] ?? []), 'currency'];
  }
}

const payeeFields: Readonly<Record<string, readonly string[]>> = {
  bank_account_us: ['account_number', 'routing_number'],
  bank_account: ['account_number', 'institution_id'],
  mobile_money: ['phone_number', 'institution_id'],
  sepa: ['iban'],
};

/** A field of each kind that is compared and identifies nothing. */
export const describingField: Readonly<Record<ModelKind, string>> = {
  customers: 'last_name',
  accounts: 'label',
  recipients: 'account_name',
  collections: 'country',
};

/** Digits behind the point that every amount of a world can be written with. */
const scale = 2;

/** An amount, exactly, in hundredths: the worlds have no finer ones. */
export function unitsIn(amount: string): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(amount) ?? [];
  if (whole === undefined) throw new Error('an amount of the model has two digits behind its point at most');
  const units = BigInt(whole + fraction.padEnd(scale, '0'));
  return sign === '-' ? -units : units;
}

/** Hundredths as an amount with two digits behind its point. */
export function amountOf(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

const amounts = ['10.00', '20.00', '1250', '12.50', '0.10', '10000.5', '1234567.89'];

export function makeThing(kind: ModelKind, number: number, random: Random): Thing {
  const day = `2026-11-${String(random.whole(1, 28)).padStart(2, '0')}`;
  const reference =
    kind === 'collections' || kind === 'customers' ? `R-${1000 + number * 7}-${number}` : null;
  return {
    label: `thing ${number}`,
    id: random.uuid(),
    reference,
    values: valuesOf(kind, number, reference ?? '', random),
    day,
  };
}

function digits(count: number, random: Random): string {
  return Array.from({ length: count }, () => random.whole(1, 9)).join('');
}

function valuesOf(
  kind: ModelKind,
  number: number,
  reference: string,
  random: Random,
): Record<string, string> {
  const customer_id = random.uuid();
  switch (kind) {
    case 'customers':
      return {
        external_id: reference,
        first_name: 'Amina',
        last_name: `Otieno ${number}`,
        email: `a${number}@example.test`,
      };
    case 'accounts':
      return {
        customer_id,
        currency: random.pick(['USD', 'EUR']),
        type: 'regular',
        blockchain_network: 'polygon',
        label: `Account ${number}`,
      };
    case 'collections':
      return {
        client_reference: reference,
        amount: random.pick(amounts),
        currency: 'KES',
        country: 'KE',
        client_customer_id: `C-${random.whole(1, 40)}`,
      };
    case 'recipients':
      return { customer_id, account_name: `Otieno ${number}`, ...payeeValues(random) };
  }
}

function payeeValues(random: Random): Record<string, string> {
  switch (random.pick(['bank_account_us', 'bank_account', 'mobile_money', 'sepa'] as const)) {
    case 'bank_account_us':
      return {
        payee_type: 'bank_account_us',
        currency: 'USD',
        account_number: digits(10, random),
        routing_number: digits(9, random),
      };
    case 'bank_account':
      return {
        payee_type: 'bank_account',
        currency: 'KES',
        account_number: digits(12, random),
        institution_id: random.uuid(),
      };
    case 'mobile_money':
      return {
        payee_type: 'mobile_money',
        currency: 'KES',
        phone_number: `+2547${digits(8, random)}`,
        institution_id: random.uuid(),
      };
    case 'sepa':
      return { payee_type: 'sepa', currency: 'EUR', iban: `DE${digits(20, random)}` };
  }
}
