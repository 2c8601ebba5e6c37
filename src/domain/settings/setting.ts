/* The parts of a setting, and the values that an engine gets in addition to its settings. */

/**
 * The address of a ledger's server, API keys, a proxy, and the acting user. Most of them are secrets, so no option or config
 * file sets them. Each one is a text; an empty text counts as not set.
 */
export const machineSettingNames = [
  'apiKey',
  'apiKeyFile',
  'databaseUrl',
  'httpsProxy',
  'ledgerId',
  'liveApiKey',
  'liveApiKeyFile',
  'liveKeyFingerprint',
  'noProxy',
  'policyHash',
  'sandboxApiKey',
  'sandboxApiKeyFile',
  'userKeyFile',
  'userPassphrase',
  'userPassphraseFile',
] as const;

export type MachineSettingName = (typeof machineSettingNames)[number];

/**
 * The values of these settings. `databaseUrl` names a PostgreSQL server. `apiKey` is the key for the mode in force;
 * `sandboxApiKey` and `liveApiKey` are the keys for their modes. Names that end in `ApiKeyFile` are paths of files that
 * contain a key. `liveKeyFingerprint` is the required fingerprint of the live key, `ledgerId` is the name of the ledger with
 * which the key is used, and `policyHash` is the hash of the policy in force there. `httpsProxy` is the address of a proxy,
 * and `noProxy` is a list of hosts that are reached without it. `userKeyFile` is the path of the acting user's key file,
 * `userPassphrase` is its passphrase, and `userPassphraseFile` is the path of a file with the passphrase.
 */
export type MachineSettings = Readonly<Partial<Record<MachineSettingName, string | undefined>>>;

/** The meaning of a setting: a text, or a message with parts (`Message`) that names machine settings. */
type SettingDescription =
  | string
  | { readonly parts: readonly (string | { readonly setting: MachineSettingName })[] };

/**
 * One setting: its meaning, its accepted values, and its default. Command-line options, variables, config files, help, the
 * library's types and its documentation are generated from it.
 */
export interface Setting<Raw, Value> {
  /** A `flag` takes no value; a `list` may be repeated. */
  readonly shape: 'text' | 'flag' | 'list';
  readonly description: SettingDescription;
  /** The placeholder of the value: `DIR`. */
  readonly valueName?: string;
  readonly choices?: readonly string[];
  /** The default that help shows, if `write` does not return it. */
  readonly shownDefault?: string;
  /** The unit of a number; absent for numbers of things. */
  readonly unit?: 'ms' | 's';
  readonly defaultValue: Value;
  /** @throws UnusableValue */
  read(raw: Raw): Value;
  /** The value in the form of an option: empty for no value, several texts for a list. */
  write(value: Value): readonly string[];
}

/** A value that a setting does not accept. The message is the end of a sentence that begins with the setting. */
export class UnusableValue extends Error {
  override readonly name = 'UnusableValue';
}

/** The common properties of all shapes. */
type About = Pick<Setting<never, never>, 'description' | 'valueName' | 'shownDefault'>;

/** The same properties for a setting whose value is a text, in the order of its help. */
type AboutText = [valueName: string, description: SettingDescription, shownDefault?: string];

function aboutText(...[valueName, description, shownDefault]: AboutText): About {
  return { valueName, description, ...(shownDefault === undefined ? {} : { shownDefault }) };
}

function written(value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [String(value)];
}

/** Any text. An empty text is accepted only if there is no default that it would hide. */
export function optionalText(...about: AboutText): Setting<string, string | undefined> {
  return { ...aboutText(...about), shape: 'text', defaultValue: undefined, read: textIn, write: written };
}

export function textWithDefault(defaultValue: string, ...about: AboutText): Setting<string, string> {
  const read = (raw: string): string => {
    if (textIn(raw) === '') throw new UnusableValue('is empty');
    return raw;
  };
  return { ...aboutText(...about), shape: 'text', defaultValue, read, write: written };
}

function textIn(raw: unknown): string {
  if (typeof raw !== 'string') throw new UnusableValue('is no text');
  return raw;
}

export function flag(description: SettingDescription): Setting<boolean, boolean> {
  const read = (raw: boolean): boolean => {
    if (typeof raw !== 'boolean') throw new UnusableValue('can be true or false');
    return raw;
  };
  return { description, shape: 'flag', defaultValue: false, read, write: () => [] };
}

/** One word of a small set. */
export function choice<const Word extends string>(
  choices: readonly Word[],
  about: About,
): Setting<Word, Word | undefined> {
  const read = (raw: Word): Word => {
    const chosen = choices.find((each) => each === raw);
    if (chosen !== undefined) return chosen;
    throw new UnusableValue(`is "${String(raw)}"; it can be ${choices.join(' or ')}`);
  };
  return { ...about, shape: 'text', choices, defaultValue: undefined, read, write: written };
}

/** @param defaultValue of type `number`, or undefined for no default */
export function wholeNumber<Default extends number | undefined>(
  range: { readonly least: number; readonly most: number; readonly defaultValue: Default },
  about: About,
): Setting<number | string, number | Default> {
  const { least, most, defaultValue } = range;
  const read = (raw: number | string): number => {
    const value = numberIn(raw);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new UnusableValue(`is "${raw}"; it has to be a whole number from ${least} to ${grouped(most)}`);
  };
  return { ...about, shape: 'text', defaultValue, read, write: written };
}

/** A number above zero, with or without a fraction. */
export function positiveNumber<Default extends number | undefined>(
  range: { readonly most: number; readonly defaultValue: Default },
  about: About & { readonly unit?: 's' },
): Setting<number | string, number | Default> {
  const { most, defaultValue } = range;
  const read = (raw: number | string): number => {
    const value = numberIn(raw);
    if (value > 0 && value <= most) return value;
    throw new UnusableValue(`is "${raw}"; it has to be a number above 0, and ${grouped(most)} at most`);
  };
  return { ...about, shape: 'text', defaultValue, read, write: written };
}

/** NaN for unreadable input. An empty text is not zero. */
function numberIn(raw: unknown): number {
  if (typeof raw === 'number') return raw;
  return typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : Number.NaN;
}

function grouped(value: number): string {
  return value.toLocaleString('en');
}

const unitsInMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * A duration in the form of an option, in the largest unit that needs no fraction: `36h`, but `7d` for 168 hours.
 * @param durationInMs a whole number
 */
export function durationOption(durationInMs: number): string {
  const units = Object.entries(unitsInMs).sort(([, left], [, right]) => right - left);
  const [unit, unitInMs] = units.find(([, each]) => durationInMs % each === 0) ?? ['ms', 1];
  return `${durationInMs / unitInMs}${unit}`;
}

/**
 * Reads a duration as people write it in options: a whole number and one of `ms`, `s`, `m`, `h`, `d`.
 * @returns milliseconds; null if the text is no duration, or too long to count exactly
 */
export function parseDuration(text: string): number | null {
  const match = /^(\d+)(ms|s|m|h|d)$/.exec(text.trim());
  const unitInMs = unitsInMs[match?.[2] ?? ''];
  if (match === null || unitInMs === undefined) return null;
  const durationInMs = Number(match[1]) * unitInMs;
  return Number.isSafeInteger(durationInMs) ? durationInMs : null;
}

/** `30s`, `15m`, `24h`, `7d`; read as milliseconds. */
export function duration<Default extends number | undefined>(
  defaultInMs: Default,
  ...about: AboutText
): Setting<string, number | Default> {
  const read = (raw: string): number => {
    const durationInMs = typeof raw === 'string' ? parseDuration(raw) : null;
    if (durationInMs !== null && durationInMs > 0) return durationInMs;
    throw new UnusableValue(`is "${raw}", which is no duration such as 30s, 15m, 24h or 7d`);
  };
  const write = (value: number | Default): readonly string[] =>
    value === undefined ? [] : [durationOption(value)];
  return { ...aboutText(...about), unit: 'ms', shape: 'text', defaultValue: defaultInMs, read, write };
}

/** Texts that are passed one by one. */
export function list(
  defaultValue: readonly string[],
  about: About,
): Setting<string | readonly string[], readonly string[]> {
  return { ...about, shape: 'list', defaultValue, read: textsIn, write: (values) => values };
}

/** Words that are passed one by one, or in one text separated by commas. */
export function words(
  defaultValue: readonly string[],
  about: About,
): Setting<string | readonly string[], readonly string[]> {
  const read = (raw: string | readonly string[]): readonly string[] =>
    separatedByCommas(raw).filter((word) => word !== '');
  return { ...about, shape: 'list', defaultValue, read, write: (values) => [values.join(',')] };
}

function textsIn(raw: unknown): readonly string[] {
  return [raw].flat().map(textIn);
}

/** Splits each passed text at its commas. */
export function separatedByCommas(raw: string | readonly string[]): readonly string[] {
  return textsIn(raw)
    .flatMap((each) => each.split(','))
    .map((word) => word.trim());
}
