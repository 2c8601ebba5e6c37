/* Every setting of the engine, defined once, in groups of related settings. */

import {
  choice,
  duration,
  flag,
  list,
  optionalText,
  positiveNumber,
  type Setting,
  separatedByCommas,
  textWithDefault,
  UnusableValue,
  wholeNumber,
  words,
} from './setting.ts';

const apiTarget = {
  mode: choice(['sandbox', 'live'], {
    shownDefault: 'sandbox on loopback',
    description: { parts: ['Which environment and key; live needs ', { setting: 'databaseUrl' }] },
  }),
  baseUrl: optionalText('URL', "The API's base address; https, or http on loopback"),
  localSandbox: flag('Start the built-in sandbox for this command and use it'),
  sandboxDir: optionalText(
    'DIR',
    'Where the built-in sandbox keeps what it holds',
    'the ledger folder with -sandbox added',
  ),
  sandboxFaults: optionalText('PLAN', 'Let the built-in sandbox misbehave (docs/sandbox.md)'),
  customerIdPath: list(['data.id', 'id', 'customer.id', 'data.customer.id'], {
    valueName: 'PATH',
    description: "Where a customer's id is in the API's answer",
  }),
  institutionsPageParameter: optionalText(
    'NAME',
    'Query parameter that chooses a page of institutions',
    'found by itself',
  ),
  institutionsFirstPage: wholeNumber(
    { least: 0, most: 1_000, defaultValue: undefined },
    {
      valueName: 'N',
      shownDefault: 'found by itself',
      description: 'Number of the first page of institutions',
    },
  ),
  institutionsMaxAge: duration(
    24 * 3_600_000,
    'DURATION',
    'How old a stored list of institutions may be',
    '24h',
  ),
};

const readingProfile = {
  kind: optionalText('KIND', 'What the rows are', 'from the header or the sheet'),
  sheet: optionalText('NAME', "The workbook's sheet", 'every sheet of a known kind'),
  hidden: choice(['include', 'skip'], {
    shownDefault: 'none: a file with hidden rows is refused',
    description: 'What to do with hidden rows and sheets',
  }),
  leaveOutNonRows: flag('Leave out headings, subtotals and totals among the rows'),
  delimiter: optionalText('C', 'What separates the values of a CSV file', 'found by itself'),
  encoding: optionalText('NAME', 'Character encoding of a CSV file', 'found by itself'),
  mapping: optionalText('FILE', 'How to read the file (JSON)'),
  noRememberedMapping: flag('Read the file without the mapping that is remembered for its header'),
  acceptDrift: optionalText('CODE', 'Take a file that differs from last time, by the code of its refusal'),
  rules: optionalText('FILE', 'Changes to the validation rules (JSON)'),
};

/** A limit on findings: `{ rows: 20 }`, or a percentage, which becomes a number of rows once the file is read. */
export type InvalidLimit = { readonly rows: number } | { readonly percent: number };

const maxInvalid: Setting<number | string, InvalidLimit | undefined> = {
  shape: 'text',
  valueName: 'N|P%',
  description: 'Refuse the file when more rows than this are invalid',
  defaultValue: undefined,
  read: (raw) => {
    const match = /^(\d{1,9}(?:\.\d{1,4})?)(%?)$/.exec(String(raw).trim());
    const amount = Number(match?.[1]);
    if (match?.[2] === '%' && amount <= 100) return { percent: amount };
    if (match?.[2] === '' && Number.isInteger(amount)) return { rows: amount };
    throw new UnusableValue(`is "${raw}", which is no number of rows (20) or share of them (5%)`);
  },
  write: (limit) => {
    if (limit === undefined) return [];
    return ['rows' in limit ? String(limit.rows) : `${limit.percent}%`];
  },
};

const expectTotal: Setting<string | readonly string[], Readonly<Record<string, string>> | undefined> = {
  shape: 'list',
  valueName: 'CUR=AMOUNT',
  description: 'Send nothing unless the amounts add up to this',
  defaultValue: undefined,
  read: (raw) => {
    const totals: Record<string, string> = {};
    for (const each of separatedByCommas(raw)) {
      const [, currency = '', amount = ''] = /^([A-Z]{3,10})=(\d{1,31}(?:\.\d{1,18})?)$/i.exec(each) ?? [];
      const name = currency.toUpperCase();
      const plain = amount.replace(/^0+(?=\d)/, '');
      if (plain === '')
        throw new UnusableValue(`is "${each}", which is no currency and amount such as KES=1234567.00`);
      if (totals[name] !== undefined) throw new UnusableValue(`is given twice for ${name}`);
      totals[name] = plain;
    }
    return totals;
  },
  write: (totals) => Object.entries(totals ?? {}).map(([currency, amount]) => `${currency}=${amount}`),
};

const controlTotals = {
  skipRefused: flag('Go on with the other files when some are refused'),
  allowNone: flag('A pattern that matches no file is nothing to do'),
  requireComplete: flag('Refuse a CSV file whose last line has no line end'),
  changes: choice(['tell', 'hold'], {
    shownDefault: 'tell',
    description: "What to do with rows whose payee's details changed",
  }),
  maxInvalid,
  expectRows: wholeNumber(
    { least: 0, most: 100_000_000, defaultValue: undefined },
    { valueName: 'N', description: 'Send nothing unless there are exactly this many rows' },
  ),
  expectTotal,
};

const ledgerTarget = {
  ledgerDir: textWithDefault('.paybatch', 'DIR', {
    parts: ['The embedded ledger, used when ', { setting: 'databaseUrl' }, ' is not set'],
  }),
};

const refusedAlike: Setting<number | string, number | 'off'> = {
  shape: 'text',
  valueName: 'N|off',
  description: 'Stop when this many rows are refused for one reason and none is created',
  defaultValue: 50,
  read: (raw) => {
    const word = String(raw).trim();
    if (word === 'off') return 'off';
    if (/^\d{1,9}$/.test(word) && Number(word) > 0) return Number(word);
    throw new UnusableValue(`is "${raw}", which is no number of rows such as 50, and not off`);
  },
  write: (limit) => [String(limit)],
};

const sendingLimits = {
  concurrency: wholeNumber(
    { least: 1, most: 1_000, defaultValue: 16 },
    { valueName: 'N', description: 'Requests in flight at most' },
  ),
  rate: positiveNumber(
    { most: 100_000, defaultValue: undefined },
    { valueName: 'N', description: 'Requests a second at most, evenly spaced' },
  ),
  maxAttempts: wholeNumber(
    { least: 1, most: 100, defaultValue: 5 },
    { valueName: 'N', description: 'Tries for one row in one run' },
  ),
  timeout: positiveNumber(
    { most: 3_600, defaultValue: 30 },
    { unit: 's', valueName: 'SECONDS', description: "For one request, the answer's body included" },
  ),
  waitingCodes: words(['kyc_required'], {
    valueName: 'LIST',
    description: 'Codes of refusals that time mends: such rows wait',
  }),
  waitingDelay: duration(15 * 60_000, 'DURATION', 'How long such a row waits before it is tried again'),
  refusedAlike,
  yes: flag('Do not ask before a live run'),
};

const keyPolicy = {
  keyLifetime: duration(
    undefined,
    'DURATION',
    'How long a row may be sent again under its key',
    '24h; live: 10m',
  ),
};

const outputFolder = {
  out: textWithDefault('results', 'DIR', 'Where the result files go'),
  notice: optionalText('FILE', 'Write there what a person has to do after a run, as text for a mail'),
};

/** All settings by group. A setting has the same name everywhere, and its name is unique over all groups. */
export const settingGroups = {
  api: apiTarget,
  reading: readingProfile,
  controls: controlTotals,
  ledger: ledgerTarget,
  sending: sendingLimits,
  keys: keyPolicy,
  output: outputFolder,
};

export type SettingGroup = keyof typeof settingGroups;

/** `baseUrl`, `keyLifetime`, ... */
export type SettingName = { [Group in SettingGroup]: keyof (typeof settingGroups)[Group] }[SettingGroup] &
  string;

/** The values of a group, by name. */
export type ValuesOf<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends Setting<infer _, infer Value> ? Value : never;
};

type GivenOf<Group> = {
  readonly [Name in keyof Group]?:
    | (Group[Name] extends Setting<infer Raw, infer _> ? Raw : never)
    | undefined;
};

/** The API, and what its specification does not define. `institutionsMaxAge` is in ms. */
export interface ApiTarget extends Omit<ValuesOf<typeof apiTarget>, 'mode'> {
  readonly mode: 'sandbox' | 'live';
  /** Whether the mode was set explicitly. Only then an address of another machine is used. */
  readonly isModeStated: boolean;
}

/** How files are read. */
export interface ReadingProfile extends ValuesOf<typeof readingProfile> {}

/** Conditions for the files of a call. They must be met before the call continues. */
export interface ControlTotals extends ValuesOf<typeof controlTotals> {}

/** Where the embedded ledger is. */
export interface LedgerTarget extends ValuesOf<typeof ledgerTarget> {}

/** Amount, speed and repetition of the sending. `timeout` is in seconds, `waitingDelay` in ms. */
export interface SendingLimits extends ValuesOf<typeof sendingLimits> {}

/** How long the API keeps idempotency keys. `keyLifetime` is in ms, and undefined if it is not stated. */
export interface KeyPolicy extends ValuesOf<typeof keyPolicy> {}

/** Where files are written. */
export interface OutputFolder extends ValuesOf<typeof outputFolder> {}

/** The settings of one call, checked and complete. */
export interface Settings {
  readonly api: ApiTarget;
  readonly reading: ReadingProfile;
  readonly controls: ControlTotals;
  readonly ledger: LedgerTarget;
  readonly sending: SendingLimits;
  readonly keys: KeyPolicy;
  readonly output: OutputFolder;
}

/** Settings as a caller passes them. All are optional; durations are texts such as `24h`. */
export type GivenSettings = { readonly [Group in SettingGroup]?: GivenOf<(typeof settingGroups)[Group]> };

/** A group of settings whose types do not matter. */
export type AnyGroup = Readonly<Record<string, Setting<unknown, unknown>>>;

/** A setting with its group and its name. */
export interface NamedSetting {
  readonly group: SettingGroup;
  readonly name: SettingName;
  readonly setting: Setting<unknown, unknown>;
}

/** All settings, in the order of their groups. */
export const allSettings: readonly NamedSetting[] = (Object.keys(settingGroups) as SettingGroup[]).flatMap(
  (group) => {
    const settings: AnyGroup = settingGroups[group];
    return Object.entries(settings).map(([name, setting]) => ({ group, name: name as SettingName, setting }));
  },
);
