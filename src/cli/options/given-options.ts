/* Merges the values from the command line, the environment and the config file into the options of a call. */

import {
  type GivenValues,
  readSettings,
  readSettingsFile,
  UnusableFile,
  UnusableSetting,
} from '../../call/settings.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Settings } from '../../domain/settings/definitions.ts';
import { type MachineSettings, machineSettingNames } from '../../domain/settings/setting.ts';
import { editDistance } from '../../domain/text/characters.ts';
import { environmentName, type OptionDefinition, optionName, settingWord, sharedOptions } from './options.ts';

/** The stated option values, by option name; absent if not stated. */
export type GivenOptions = Readonly<Record<string, unknown>>;

/**
 * Merges the three sources: the command line takes precedence over the environment, and the environment over the config
 * file.
 * @param commandLine the command line's values, by option name
 * @throws PaybatchError (`usage`) for a config file that is missing, is not JSON, or names an unknown option, and for a
 *   variable whose name resembles that of an option
 */
function layerOptions(commandLine: GivenOptions, environment: NodeJS.ProcessEnv): GivenOptions {
  requireKnownVariables(environment);
  const configPath = commandLine['config'] ?? environment['PAYBATCH_CONFIG'];
  if (Array.isArray(configPath)) {
    throw new PaybatchError('config_invalid', '--config is given twice.', 'give it once');
  }
  const config = typeof configPath === 'string' && configPath !== '' ? readConfig(configPath) : {};
  const options: Record<string, unknown> = {};
  for (const option of sharedOptions) {
    const fromEnvironment = environment[environmentName(option.name)] ?? '';
    options[option.name] =
      commandLine[option.name] ??
      // An empty variable counts as not set, since compose files and CI systems create such variables.
      (fromEnvironment === '' ? undefined : textValue(option, fromEnvironment)) ??
      config[option.name];
  }
  return options;
}

const prefix = 'PAYBATCH_';

const databaseVariable = settingWord('databaseUrl');

/** Variables that belong to no option. */
const otherVariables = [
  'PAYBATCH_CONFIG',
  ...machineSettingNames.map(settingWord).filter((name) => name.startsWith(prefix)),
];

/**
 * Refuses mistyped variables, since a run would silently continue without them. A variable that resembles none of
 * paybatch's variables belongs to another program.
 */
function requireKnownVariables(environment: NodeJS.ProcessEnv): void {
  const known = [...sharedOptions.map(({ name }) => environmentName(name)), ...otherVariables];
  const candidates = [...known.map((name) => name.slice(prefix.length)), databaseVariable];
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(prefix) || known.includes(name) || value === undefined || value === '') continue;
    const nearest = nearestTo(name.slice(prefix.length), candidates);
    if (nearest === undefined) continue;
    const meant = nearest === databaseVariable ? nearest : `${prefix}${nearest}`;
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

/**
 * Converts the text of an environment variable to the type of the option. A flag accepts the usual words for yes and no.
 */
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
 * The word that was probably meant by a mistyped one: the candidate with the fewest changed letters (inserted, omitted,
 * replaced, two swapped), if these are few for its length; undefined if no candidate is near.
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

/** Maximum number of changes for a word's length. The maximum is low for short words, which easily become other words. */
function mostChanges({ length }: string): number {
  return Math.max(1, Math.floor(length / 3));
}

/** `Did you mean import?`, to follow a sentence about an unknown word; empty if no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[], prefix = ''): string {
  const nearest = nearestTo(word, candidates);
  return nearest === undefined ? '' : ` Did you mean ${prefix}${nearest}?`;
}

/** The options for the output of the command line. */
export interface Speech {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** The options of one call: the settings of its use case, and the options for the output. */
interface CallOptions {
  readonly settings: Settings;
  /** The stated values, by the names of the settings. */
  readonly values: GivenValues;
  readonly speech: Speech;
}

/** @throws PaybatchError (`usage`) that names the option and its value */
export function callOptionsOf(commandLine: GivenOptions, environment: NodeJS.ProcessEnv): CallOptions {
  const options = layerOptions(commandLine, environment);
  const named = sharedOptions.flatMap(({ name, setting }) =>
    setting === null ? [] : [[setting, options[name]]],
  );
  const values: GivenValues = Object.fromEntries(named);
  return {
    settings: settingsOf(values),
    values,
    speech: { json: isOn(options, 'json'), quiet: isOn(options, 'quiet'), verbose: isOn(options, 'verbose') },
  };
}

function isOn(options: GivenOptions, name: keyof Speech): boolean {
  const value = options[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw unusable(name, 'can be true or false');
}

function settingsOf(values: GivenValues): Settings {
  try {
    return readSettings(values);
  } catch (error) {
    throw error instanceof UnusableSetting ? unusable(optionName(error.setting), error.problem) : error;
  }
}

function unusable(option: string, problem: string): PaybatchError {
  return new PaybatchError('option_invalid', `--${option} ${problem}.`, 'paybatch --help-all');
}

/** The settings from environment variables. Proxy variables may also be in lower case, which takes precedence. */
export function machineSettingsIn(environment: NodeJS.ProcessEnv): MachineSettings {
  return Object.fromEntries(
    machineSettingNames.map((name) => {
      const variable = settingWord(name);
      const isOfProxy = variable.endsWith('_PROXY');
      return [name, (isOfProxy ? environment[variable.toLowerCase()] : undefined) ?? environment[variable]];
    }),
  );
}
