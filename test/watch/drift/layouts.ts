/* Twelve layouts of partners' files that we made up, and the people in them, for tests of drift. */

import type { Kind } from '../../../src/domain/batches/batch.ts';
import type { MappingFile } from '../../../src/read/mapping/mapping-schema.ts';
import type { Random } from '../../simulation/random.ts';

/** What a column holds of a person. */
export type ColumnKey =
  | 'account'
  | 'amount'
  | 'bank'
  | 'born'
  | 'city'
  | 'department'
  | 'email'
  | 'first'
  | 'full'
  | 'gross'
  | 'last'
  | 'period'
  | 'phone'
  | 'reference';

/** One person or company of a partner's file, as the partner knows it. */
export interface Person {
  readonly number: number;
  readonly first: string;
  readonly last: string;
  readonly phone: string;
  readonly account: string;
  readonly bank: string;
  readonly born: readonly [year: number, month: number, day: number];
  readonly city: string;
  readonly department: string;
  /** In the smallest step in which the partner pays: hundredths, or whole units. */
  amount: number;
}

/** A country, with its people's names and numbers. */
export interface Country {
  readonly code: string;
  readonly callingCode: string;
  readonly currency: string;
  readonly firstNames: readonly string[];
  readonly lastNames: readonly string[];
  readonly cities: readonly string[];
  /** The beginnings of its mobile numbers, as they are written in the country. */
  readonly mobiles: readonly string[];
  readonly digitsBehind: number;
  readonly banks: readonly string[];
  readonly accountDigits: number;
}

const eastern = {
  firstNames:
    'Amina,Brian,Caroline,David,Esther,Faith,George,Hassan,Irene,James,Joyce,Kevin,Lydia,Mercy,Peter',
  lastNames:
    'Otieno,Kamau,Wanjiru,Mwangi,Achieng,Njoroge,Okello,Mutua,Chebet,Kiptoo,Barasa,Omondi,Were,Kilonzo',
};

const western = {
  firstNames: 'Kwame,Ama,Chinedu,Ngozi,Kofi,Abena,Emeka,Folake,Yaw,Efua,Tunde,Adaeze,Kojo,Akosua,Ifeanyi',
  lastNames: 'Mensah,Owusu,Eze,Okafor,Boateng,Asante,Adeyemi,Balogun,Ofori,Appiah,Nwosu,Danjuma,Quaye,Bello',
};

const german = {
  firstNames: 'Lukas,Anna,Jonas,Marie,Paul,Lena,Felix,Laura,Tim,Julia,Max,Sophie,Jan,Katrin,Uwe',
  lastNames: 'Schneider,Fischer,Weber,Wagner,Becker,Hoffmann,Koch,Richter,Klein,Wolf,Neumann,Braun,Krause',
};

const split = ({ firstNames, lastNames }: typeof eastern) => ({
  firstNames: firstNames.split(','),
  lastNames: lastNames.split(','),
});

export const countries = {
  KE: {
    ...{ code: 'KE', callingCode: '254', currency: 'KES', ...split(eastern), digitsBehind: 6 },
    cities: ['Nairobi', 'Mombasa', 'Kisumu', 'Nakuru'],
    mobiles: ['0701', '0712', '0722', '0723', '0790', '0115', '0742'],
    banks: ['KCB Bank Kenya', 'Equity Bank', 'Cooperative Bank', 'Absa Bank Kenya', 'Family Bank'],
    accountDigits: 10,
  },
  UG: {
    ...{ code: 'UG', callingCode: '256', currency: 'UGX', ...split(eastern), digitsBehind: 6 },
    cities: ['Kampala', 'Gulu', 'Jinja', 'Mbarara'],
    mobiles: ['0772', '0782', '0701', '0752', '0755'],
    banks: ['Centenary Bank', 'Stanbic Bank Uganda', 'Bank of Africa Uganda', 'Equity Bank Uganda'],
    accountDigits: 10,
  },
  TZ: {
    ...{ code: 'TZ', callingCode: '255', currency: 'TZS', ...split(eastern), digitsBehind: 6 },
    cities: ['Arusha', 'Dodoma', 'Mwanza', 'Tanga'],
    mobiles: ['0754', '0655', '0713', '0765', '0784'],
    banks: ['CRDB Bank', 'NMB Bank', 'NBC Bank', 'Exim Bank Tanzania'],
    accountDigits: 13,
  },
  NG: {
    ...{ code: 'NG', callingCode: '234', currency: 'NGN', ...split(western), digitsBehind: 7 },
    cities: ['Lagos', 'Abuja', 'Kano', 'Ibadan'],
    mobiles: ['0803', '0806', '0703', '0813', '0905'],
    banks: [
      'Guaranty Trust Bank',
      'Access Bank',
      'Zenith Bank',
      'First Bank of Nigeria',
      'United Bank for Africa',
    ],
    accountDigits: 10,
  },
  GH: {
    ...{ code: 'GH', callingCode: '233', currency: 'GHS', ...split(western), digitsBehind: 7 },
    cities: ['Accra', 'Kumasi', 'Tamale', 'Takoradi'],
    mobiles: ['024', '054', '020', '050', '027'],
    banks: ['GCB Bank', 'Ecobank Ghana', 'Fidelity Bank Ghana', 'Absa Bank Ghana'],
    accountDigits: 13,
  },
  DE: {
    ...{ code: 'DE', callingCode: '49', currency: 'EUR', ...split(german), digitsBehind: 7 },
    cities: ['Berlin', 'Hamburg', 'Bremen', 'Leipzig'],
    mobiles: ['0151', '0160', '0171', '0176'],
    banks: ['Deutsche Bank', 'Commerzbank', 'Sparkasse Bremen', 'Volksbank Leipzig'],
    accountDigits: 10,
  },
} as const satisfies Readonly<Record<string, Country>>;

export type CountryCode = keyof typeof countries;

/** How a partner writes amounts, days, phones and references. */
export interface Habits {
  /** How many decimals are written; an amount of a person is counted in the last of them. */
  readonly decimals: 0 | 2;
  readonly point: '.' | ',';
  readonly group: '' | ',' | '.' | ' ';
  readonly days: 'dmy' | 'mdy' | 'ymd';
  readonly phones: 'local' | 'international';
  readonly prefix: string;
}

/** A partner's file: its columns in order, and the mapping that a person has agreed to. */
export interface Layout {
  readonly name: string;
  readonly country: CountryCode;
  readonly kind: Kind;
  readonly columns: readonly (readonly [title: string, key: ColumnKey])[];
  readonly mapping: MappingFile;
  readonly habits: Habits;
  /** The amounts: their usual size in units, and whether a person has the same one each month. */
  readonly usual: number;
  readonly areSteady: boolean;
  /** Whether each month has other references, as invoices have. */
  readonly areReferencesNew: boolean;
}

const usualHabits: Habits = { decimals: 2, point: '.', group: '', days: 'dmy', phones: 'local', prefix: 'E' };
const customer = '3f2b6c1e-8a57-4d0b-9c36-5b1f0e7a2d94';
const mobile = { payee_type: 'mobile_money', customer_id: customer };
const bank = { payee_type: 'bank_account', customer_id: customer };

type Own = Pick<Layout, 'name' | 'country' | 'kind' | 'columns' | 'mapping'> & {
  readonly habits?: Partial<Habits>;
  readonly usual?: number;
  readonly areSteady?: boolean;
  readonly areReferencesNew?: boolean;
};

function layout({ habits, mapping, ...own }: Own): Layout {
  const all = { ...usualHabits, ...habits };
  const formats: MappingFile = {
    kind: own.kind,
    decimal: all.point,
    ...(all.group === '' ? {} : { thousands: all.group }),
    ...(all.days === 'ymd' ? {} : { dateFormat: all.days === 'dmy' ? 'DD/MM/YYYY' : 'MM/DD/YYYY' }),
    ...(all.phones === 'local' ? { phoneCountry: own.country } : {}),
  };
  return {
    ...{ usual: 45_000, areSteady: true, areReferencesNew: false },
    ...own,
    habits: all,
    mapping: { ...formats, ...mapping },
  };
}

/** In the manner of payrolls, lists of suppliers and members, and collections. */
export const layouts: readonly Layout[] = [
  layout({
    name: 'payroll to phones',
    country: 'KE',
    kind: 'recipients',
    columns: [
      ['Staff No', 'reference'],
      ['Employee', 'full'],
      ['Dept', 'department'],
      ['Phone', 'phone'],
      ['Net Pay', 'amount'],
    ],
    mapping: {
      columns: { Employee: 'account_name', Phone: 'phone_number', 'Net Pay': 'amount' },
      constants: { ...mobile, currency: 'KES', institution_name: 'M-PESA', institution_country: 'KE' },
      ignore: ['Staff No', 'Dept'],
    },
  }),
  layout({
    name: 'payroll to banks, gross and net',
    country: 'NG',
    kind: 'recipients',
    columns: [
      ['S/N', 'reference'],
      ['Surname', 'last'],
      ['Other Names', 'first'],
      ['Bank', 'bank'],
      ['Account No', 'account'],
      ['Gross', 'gross'],
      ['Net', 'amount'],
    ],
    mapping: {
      columns: { Bank: 'institution_name', 'Account No': 'account_number', Net: 'amount' },
      join: { account_name: ['Other Names', 'Surname'] },
      constants: { ...bank, currency: 'NGN', institution_country: 'NG' },
      ignore: ['S/N', 'Gross'],
    },
    habits: { prefix: 'ABJ/', group: ',' },
    usual: 210_000,
  }),
  layout({
    name: 'payroll in whole shillings',
    country: 'UG',
    kind: 'recipients',
    columns: [
      ['Payroll number', 'reference'],
      ['Names', 'full'],
      ['Bank name', 'bank'],
      ['A/C number', 'account'],
      ['Amount UGX', 'amount'],
      ['Month', 'period'],
    ],
    mapping: {
      columns: {
        Names: 'account_name',
        'Bank name': 'institution_name',
        'A/C number': 'account_number',
        'Amount UGX': 'amount',
      },
      constants: { ...bank, currency: 'UGX', institution_country: 'UG' },
      ignore: ['Payroll number', 'Month'],
    },
    habits: { decimals: 0, prefix: 'UG-' },
    usual: 473_000,
  }),
  layout({
    name: 'salaries in euros',
    country: 'DE',
    kind: 'recipients',
    columns: [
      ['Personalnummer', 'reference'],
      ['Name', 'full'],
      ['Bank', 'bank'],
      ['IBAN', 'account'],
      ['Betrag', 'amount'],
      ['Ort', 'city'],
    ],
    mapping: {
      columns: { Name: 'account_name', Bank: 'bank_name', IBAN: 'iban', Betrag: 'amount', Ort: 'city' },
      constants: {
        ...{ payee_type: 'sepa', customer_id: customer, currency: 'EUR', country: 'DE' },
        ...{ address_line1: 'Am Markt 1', postal_code: '10115', account_owner_type: 'individual' },
      },
      ignore: ['Personalnummer'],
    },
    habits: { point: ',', group: '.', prefix: '' },
    usual: 2_600,
  }),
  layout({
    name: 'suppliers by bank',
    country: 'GH',
    kind: 'recipients',
    columns: [
      ['Invoice', 'reference'],
      ['Supplier', 'full'],
      ['Beneficiary bank', 'bank'],
      ['Account', 'account'],
      ['Total due', 'amount'],
    ],
    mapping: {
      columns: {
        Supplier: 'account_name',
        'Beneficiary bank': 'institution_name',
        Account: 'account_number',
        'Total due': 'amount',
      },
      constants: { ...bank, currency: 'GHS', institution_country: 'GH' },
      ignore: ['Invoice'],
    },
    habits: { prefix: 'INV-', group: ',' },
    usual: 3_200,
    areSteady: false,
    areReferencesNew: true,
  }),
  layout({
    name: 'farmers by phone',
    country: 'TZ',
    kind: 'recipients',
    columns: [
      ['Farmer ID', 'reference'],
      ['Jina', 'full'],
      ['Simu', 'phone'],
      ['Kijiji', 'city'],
      ['Kiasi', 'amount'],
    ],
    mapping: {
      columns: { Jina: 'account_name', Simu: 'phone_number', Kiasi: 'amount' },
      constants: { ...mobile, currency: 'TZS', institution_name: 'M-PESA', institution_country: 'TZ' },
      ignore: ['Farmer ID', 'Kijiji'],
    },
    habits: { decimals: 0, prefix: 'MK' },
    usual: 86_000,
    areSteady: false,
  }),
  layout({
    name: 'members with birthdays',
    country: 'KE',
    kind: 'customers',
    columns: [
      ['Member No', 'reference'],
      ['First name', 'first'],
      ['Surname', 'last'],
      ['DOB', 'born'],
      ['Mobile', 'phone'],
      ['Town', 'city'],
    ],
    mapping: {
      columns: {
        ...{ 'Member No': 'external_id', 'First name': 'first_name', Surname: 'last_name' },
        ...{ DOB: 'date_of_birth', Mobile: 'phone', Town: 'city' },
      },
      constants: { country: 'KE', type: 'individual' },
    },
    habits: { prefix: 'M-' },
  }),
  layout({
    name: 'members of a society',
    country: 'NG',
    kind: 'customers',
    columns: [
      ['ID', 'reference'],
      ['Full name', 'full'],
      ['Email', 'email'],
      ['Telephone', 'phone'],
      ['Date of birth', 'born'],
    ],
    mapping: {
      columns: { ID: 'external_id', Email: 'email', Telephone: 'phone', 'Date of birth': 'date_of_birth' },
      split: { 'Full name': { into: ['first_name', 'last_name'], order: 'first_last' } },
      constants: { country: 'NG', type: 'individual' },
    },
    habits: { prefix: 'COOP', days: 'mdy' },
  }),
  layout({
    name: 'new customers, with phones as abroad',
    country: 'GH',
    kind: 'customers',
    columns: [
      ['Client code', 'reference'],
      ['Last name', 'last'],
      ['Given name', 'first'],
      ['E-mail', 'email'],
      ['Cell', 'phone'],
      ['Branch', 'department'],
    ],
    mapping: {
      columns: {
        ...{ 'Client code': 'external_id', 'Last name': 'last_name', 'Given name': 'first_name' },
        ...{ 'E-mail': 'email', Cell: 'phone' },
      },
      constants: { country: 'GH', type: 'individual' },
      ignore: ['Branch'],
    },
    habits: { phones: 'international', prefix: 'CL' },
  }),
  layout({
    name: 'school fees',
    country: 'KE',
    kind: 'collections',
    columns: [
      ['Bill', 'reference'],
      ['Payer', 'full'],
      ['Fee', 'amount'],
      ['Term', 'period'],
    ],
    mapping: {
      columns: { Bill: 'client_reference', Fee: 'amount' },
      constants: {
        ...{ currency: 'KES', country: 'KE', customer_id: customer, destination_id: customer },
        ...{ destination_type: 'internal_account', institution_name: 'M-PESA' },
      },
      ignore: ['Payer', 'Term'],
    },
    habits: { prefix: 'FEE-', group: ',' },
    usual: 18_500,
    areReferencesNew: true,
  }),
  layout({
    name: 'monthly dues',
    country: 'UG',
    kind: 'collections',
    columns: [
      ['Ref', 'reference'],
      ['Member', 'full'],
      ['Tel', 'phone'],
      ['Dues', 'amount'],
    ],
    mapping: {
      columns: { Ref: 'client_reference', Member: 'client_customer_id', Dues: 'amount' },
      constants: {
        ...{ currency: 'UGX', country: 'UG', customer_id: customer, destination_id: customer },
        ...{ destination_type: 'internal_account', institution_name: 'MTN Mobile Money' },
      },
      ignore: ['Tel'],
    },
    habits: { decimals: 0, prefix: 'D' },
    usual: 25_000,
    areReferencesNew: true,
  }),
  layout({
    name: 'casual workers',
    country: 'NG',
    kind: 'recipients',
    columns: [
      ['Worker', 'reference'],
      ['First', 'first'],
      ['Last', 'last'],
      ['Bank', 'bank'],
      ['NUBAN', 'account'],
      ['Days', 'department'],
      ['Pay', 'amount'],
    ],
    mapping: {
      columns: { Bank: 'institution_name', NUBAN: 'account_number', Pay: 'amount' },
      join: { account_name: ['First', 'Last'] },
      constants: { ...bank, currency: 'NGN', institution_country: 'NG' },
      ignore: ['Worker', 'Days'],
    },
    habits: { decimals: 0, prefix: 'W', group: ',' },
    usual: 62_000,
    areSteady: false,
  }),
];

/** A new person of a layout. */
export function newPerson({ country, habits, usual }: Layout, number: number, random: Random): Person {
  const own: Country = countries[country];
  const digits = (count: number): string =>
    Array.from({ length: count }, () => String(random.whole(0, 9))).join('');
  const account = `${random.whole(1, 9)}${digits(own.accountDigits - 1)}`;
  const step = usual * 10 ** habits.decimals;
  // Gross pay and dues are round; what is left after taxes is not.
  const round = Math.round((step * (0.4 + 1.8 * random.fraction())) / 500) * 500;
  return {
    number,
    first: random.pick(own.firstNames),
    last: random.pick(own.lastNames),
    phone: `${random.pick(own.mobiles)}${digits(own.digitsBehind)}`,
    account: country === 'DE' ? ibanOf(`370400440${account}`.slice(0, 18)) : account,
    bank: random.pick(own.banks),
    born: [random.whole(1960, 2004), random.whole(1, 12), random.whole(1, 28)],
    city: random.pick(own.cities),
    department: random.pick(['Works', 'Office', 'Store', 'Transport']),
    amount: Math.max(round, 500),
  };
}

/** A German IBAN with its check digits. */
function ibanOf(digits: string): string {
  const number = digits.padEnd(18, '7');
  const check = 98n - (BigInt(`${number}131400`) % 97n);
  return `DE${String(check).padStart(2, '0')}${number}`;
}
