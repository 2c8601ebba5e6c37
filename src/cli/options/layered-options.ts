import { readSettingsFile, UnusableFile } from '../../call/credentials.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { nearestTo } from './nearest.ts';
import { environmentName, type OptionDefinition, sharedOptions } from './option-definitions.ts';
import { variableOf } from './variables.ts';

/** Option values as they were given, by option name; absent where nobody gave one. */
export type GivenOptions = Readonly<Record<string, unknown>>;

/**
 * Puts the three sources together: the command line wins over the environment, the environment over the
 * config file.
 * @param commandLine what the command line gave, by option name
 * @throws PaybatchError (`usage`) for a config file that is not there, not JSON, or names an unknown option, and for a
 *   variable whose name is nearly an option's
 */
export function layerOptions(commandLine: GivenOptions, environment: NodeJS.ProcessEnv): GivenOptions {
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
      // An empty variable is one that nobody gave a value: compose files and CI systems make such.
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
 * A mistyped variable would do nothing, and nobody would notice what the run then does without it. One that is like
 * none of ours is somebody else's.
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

/** An environment variable is text; a flag may say yes or no in the usual ways. */
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
