/*
 * The options of the command line that all commands share: the settings of the engine, how the command line speaks, and what
 * is stated on the command line, in the environment and in the config file.
 */

import {
  type GivenValues,
  readSettings,
  readSettingsFile,
  UnusableFile,
  UnusableSetting,
} from '../../call/settings.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import {
  allSettings,
  type SettingGroup,
  type SettingName,
  type Settings,
} from '../../domain/settings/definitions.ts';
import { type Adjustable, inWords, type Message } from '../../domain/settings/message.ts';
import {
  type MachineSettingName,
  type MachineSettings,
  machineSettingNames,
} from '../../domain/settings/setting.ts';
import { editDistance } from '../../domain/text/characters.ts';

/* The environment variables of settings without an option. */

/** The environment variable of each of these settings. */
const variableOf: Readonly<Record<MachineSettingName, string>> = {
  apiKey: 'PAYBATCH_API_KEY',
  apiKeyFile: 'PAYBATCH_API_KEY_FILE',
  databaseUrl: 'DATABASE_URL',
  httpsProxy: 'HTTPS_PROXY',
  ledgerId: 'PAYBATCH_LEDGER_ID',
  liveApiKey: 'PAYBATCH_LIVE_API_KEY',
  liveApiKeyFile: 'PAYBATCH_LIVE_API_KEY_FILE',
  liveKeyFingerprint: 'PAYBATCH_LIVE_KEY_FINGERPRINT',
  noProxy: 'NO_PROXY',
  policyHash: 'PAYBATCH_POLICY_HASH',
  sandboxApiKey: 'PAYBATCH_SANDBOX_API_KEY',
  sandboxApiKeyFile: 'PAYBATCH_SANDBOX_API_KEY_FILE',
  userKeyFile: 'PAYBATCH_USER_KEY_FILE',
  userPassphrase: 'PAYBATCH_USER_PASSPHRASE',
  userPassphraseFile: 'PAYBATCH_USER_PASSPHRASE_FILE',
};

export function isMachineSetting(name: string): name is MachineSettingName {
  return Object.hasOwn(variableOf, name);
}

/** How a person at a terminal gives a setting: `--max-invalid`, `DATABASE_URL`. */
export function settingWord(name: Adjustable): string {
  return isMachineSetting(name) ? variableOf[name] : `--${optionName(name)}`;
}

/** A message as a terminal says it, with options and variables in place of settings. */
export function terminalText(message: Message): string {
  return inWords(message, { setting: settingWord, origin: (origin) => origin });
}

/** The settings from environment variables. Those of a proxy may also be in lower case, which takes precedence. */
export function machineSettingsIn(environment: NodeJS.ProcessEnv): MachineSettings {
  return Object.fromEntries(
    machineSettingNames.map((name) => {
      const variable = variableOf[name];
      const isOfProxy = variable.endsWith('_PROXY');
      return [name, (isOfProxy ? environment[variable.toLowerCase()] : undefined) ?? environment[variable]];
    }),
  );
}

/** One option: its form, and its help text. */
export interface OptionDefinition {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'list';
  readonly description: string;
  /** The placeholder of the value: `DIR`. */
  readonly valueName?: string;
  /** The allowed values: a list, or a function that loads a list which not every start needs. */
  readonly choices?: readonly string[] | (() => Promise<readonly string[]>);
  /** Shown in help; the value itself comes from the setting. */
  readonly shownDefault?: string;
  readonly isRequired?: boolean;
}

/** An option of all commands, in the group under which help lists it. */
interface SharedOptionDefinition extends OptionDefinition {
  readonly group: 'API' | 'Input' | 'Sending' | 'Output';
  /** The engine's setting; null for an option about the command line's output. */
  readonly setting: SettingName | null;
}

const helpGroups: Readonly<Record<SettingGroup, SharedOptionDefinition['group']>> = {
  api: 'API',
  reading: 'Input',
  controls: 'Input',
  ledger: 'Sending',
  sending: 'Sending',
  keys: 'Sending',
  output: 'Output',
};

const types = { text: 'string', flag: 'boolean', list: 'list' } as const;

/** An option's effect on the exit code, which the engine does not know. */
const exits: Readonly<Partial<Record<SettingName, string>>> = {
  skipRefused: 'exit 3 all the same',
  allowNone: 'exit 0',
};

const optionsOfSettings = allSettings.map(({ group, name, setting }): SharedOptionDefinition => {
  const { shape, valueName, defaultValue } = setting;
  const exit = exits[name];
  const about = terminalText(setting.description);
  const description = exit === undefined ? about : `${about} (${exit})`;
  const choices = name === 'kind' ? kindsOfRegistry : setting.choices;
  const shownDefault = setting.shownDefault ?? setting.write(defaultValue).join(', ');
  return {
    name: optionName(name),
    type: types[shape],
    group: helpGroups[group],
    setting: name,
    description,
    ...(valueName === undefined ? {} : { valueName }),
    ...(choices === undefined ? {} : { choices }),
    ...(shownDefault === '' ? {} : { shownDefault }),
  };
});

/** Loaded only when the kinds are needed; help of most commands does not need them. */
async function kindsOfRegistry(): Promise<readonly string[]> {
  return (await import('../../engine/choices.ts')).kinds;
}

/** How the command line speaks. */
const speech = [
  { name: 'json', description: 'Print one JSON object at the end, and nothing else' },
  { name: 'quiet', description: 'Say less on standard error' },
  { name: 'verbose', description: 'Say more on standard error' },
].map((option): SharedOptionDefinition => ({ ...option, type: 'boolean', group: 'Output', setting: null }));

/**
 * Every option that all commands share, in the order of the help text. Each may be set on the command line, in the
 * environment (`PAYBATCH_BASE_URL`) or in a config file (`"base-url"`, `"baseUrl"`).
 */
export const sharedOptions: readonly SharedOptionDefinition[] = [...optionsOfSettings, ...speech];

/** Options from a JSON file: the only one that cannot be set in that file itself. */
export const configOption: SharedOptionDefinition = {
  name: 'config',
  type: 'string',
  valueName: 'FILE',
  group: 'Input',
  setting: null,
  description: 'Options from a JSON file',
};

/** A setting, or an option about the command line's output. */
export type SharedOptionName = SettingName | 'json' | 'quiet' | 'verbose';

/** The option of a setting: `baseUrl` is `base-url`. */
export function optionName(setting: SharedOptionName | Adjustable): string {
  return setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The name of an option's environment variable: `base-url` is `PAYBATCH_BASE_URL`. */
export function environmentName(option: string): string {
  return `PAYBATCH_${option.toUpperCase().replaceAll('-', '_')}`;
}

/** The allowed values of an option, loaded if necessary; empty where any value is allowed. */
export async function choicesOf({ choices = [] }: OptionDefinition): Promise<readonly string[]> {
  return typeof choices === 'function' ? choices() : choices;
}

/* Merges options from the command line, the environment and the config file. */

/** The stated option values, by option name; absent where not stated. */
export type GivenOptions = Readonly<Record<string, unknown>>;

/**
 * Merges the three sources: the command line takes precedence over the environment, and that over the config file.
 * @param commandLine the command line's values, by option name
 * @throws PaybatchError (`usage`) for a config file that is missing, is not JSON, or names an unknown option, and for
 * a variable whose name is nearly an option's
 */
function layerOptions(commandLine: GivenOptions, environment: NodeJS.ProcessEnv): GivenOptions {
  requireKnownVariables(environment);
  const configPath = commandLine['config'] ?? environment['PAYBATCH_CONFIG'];
  if (Array.isArray(configPath)) {
    throw new PaybatchError('config_invalid', '--config is given twice.', 'give it once');
  }
  const config = typeof configPath === 'string' && configPath !== '' ? readConfig(configPath) : {};
  const given: Record<string, unknown> = {};
  for (const option of sharedOptions) {
    const fromEnvironment = environment[environmentName(option.name)] ?? '';
    given[option.name] =
      commandLine[option.name] ??
      // An empty variable counts as not set, since compose files and CI systems create such variables.
      (fromEnvironment === '' ? undefined : textValue(option, fromEnvironment)) ??
      config[option.name];
  }
  return given;
}

const prefix = 'PAYBATCH_';

/** Variables that belong to no option. */
const otherVariables = [
  'PAYBATCH_CONFIG',
  ...Object.values(variableOf).filter((name) => name.startsWith(prefix)),
];

/**
 * Refuses mistyped variables, since a run would silently continue without them. A variable that resembles none of
 * paybatch's belongs to another program.
 */
function requireKnownVariables(environment: NodeJS.ProcessEnv): void {
  const known = [...sharedOptions.map(({ name }) => environmentName(name)), ...otherVariables];
  const candidates = [...known.map((name) => name.slice(prefix.length)), variableOf.databaseUrl];
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(prefix) || known.includes(name) || value === undefined || value === '') continue;
    const nearest = nearestTo(name.slice(prefix.length), candidates);
    if (nearest === undefined) continue;
    const meant = nearest === variableOf.databaseUrl ? nearest : `${prefix}${nearest}`;
    throw new PaybatchError(
      'option_invalid',
      `There is no variable ${name}. Did you mean ${meant}?`,
      'paybatch --help-all',
    );
  }
}

function readConfig(path: string): GivenOptions {
  const refuse = (problem: string): PaybatchError =>
    new PaybatchError('config_invalid', `The config file ${path} ${problem}.`, 'paybatch --help-all');
  let config: unknown;
  try {
    config = JSON.parse(readSettingsFile(path));
  } catch (error) {
    if (error instanceof UnusableFile) throw refuse(error.message);
    throw refuse(error instanceof SyntaxError ? 'is not JSON' : 'cannot be read');
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw refuse('is not a JSON object');
  const names = new Map<string, string>(
    sharedOptions.flatMap(({ name }) => [
      [name, name],
      [camelCase(name), name],
    ]),
  );
  const known: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(config)) {
    const name = names.get(key);
    if (name === undefined) {
      const nearest = nearestTo(key, [...names.keys()]);
      throw refuse(
        `has an unknown option "${key}"${nearest === undefined ? '' : `; did you mean "${nearest}"`}`,
      );
    }
    known[name] = value;
  }
  return known;
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** An environment variable is text; a flag may be yes or no in the usual ways. */
function textValue(option: OptionDefinition, text: string): unknown {
  if (option.type === 'list') return text.split(',').map((part) => part.trim());
  if (option.type === 'string') return text;
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  throw new PaybatchError(
    'option_invalid',
    `${environmentName(option.name)} is "${text}"; it can be true or false.`,
    'paybatch --help-all',
  );
}

/* Proposes the word that was probably meant by a mistyped one. */

/**
 * The word that was probably meant by a mistyped one: the candidate with the fewest changed letters (inserted,
 * omitted, replaced, two swapped), if these are few for its length; undefined for none.
 */
function nearestTo(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const changes = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (changes < fewest && changes <= mostChanges(candidate)) {
      best = candidate;
      fewest = changes;
    }
  }
  return best;
}

/** The most changes for a word's length, since a short word easily becomes another one. */
function mostChanges({ length }: string): number {
  return Math.max(1, Math.floor(length / 3));
}

/** `Did you mean import?`, to follow a sentence about an unknown word; empty if no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[], prefix = ''): string {
  const nearest = nearestTo(word, candidates);
  return nearest === undefined ? '' : ` Did you mean ${prefix}${nearest}?`;
}

/** How the command line speaks. */
export interface Speech {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** The options of one call: the settings of its use case, and how the command line speaks. */
interface CallOptions {
  readonly settings: Settings;
  /** The stated values, by the names of the settings. */
  readonly given: GivenValues;
  readonly speech: Speech;
}

/** @throws PaybatchError (`usage`) that names the option and its value */
export function callOptionsOf(commandLine: GivenOptions, environment: NodeJS.ProcessEnv): CallOptions {
  const given = layerOptions(commandLine, environment);
  const named = sharedOptions.flatMap(({ name, setting }) =>
    setting === null ? [] : [[setting, given[name]]],
  );
  const values: GivenValues = Object.fromEntries(named);
  return {
    settings: settingsOf(values),
    given: values,
    speech: { json: isOn(given, 'json'), quiet: isOn(given, 'quiet'), verbose: isOn(given, 'verbose') },
  };
}

function isOn(given: GivenOptions, name: keyof Speech): boolean {
  const value = given[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw unusable(name, 'can be true or false');
}

function settingsOf(given: GivenValues): Settings {
  try {
    return readSettings(given);
  } catch (error) {
    throw error instanceof UnusableSetting ? unusable(optionName(error.setting), error.problem) : error;
  }
}

function unusable(option: string, problem: string): PaybatchError {
  return new PaybatchError('option_invalid', `--${option} ${problem}.`, 'paybatch --help-all');
}
