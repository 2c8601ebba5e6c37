import { type GivenValues, readSettings, UnusableSetting } from '../../call/settings.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Settings } from '../../domain/settings/definitions.ts';
import { type GivenOptions, layerOptions } from './layered-options.ts';
import { optionName, sharedOptions } from './option-definitions.ts';

/** How the command line speaks. */
export interface Speech {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** The options of one call: the settings of its use case, and how the command line speaks. */
interface CallOptions {
  readonly settings: Settings;
  /** What somebody gave of them, by the names of the settings. */
  readonly given: GivenValues;
  readonly speech: Speech;
}

/** @throws PaybatchError (`usage`) that names the option and what it was given */
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
    if (error instanceof UnusableSetting) throw unusable(optionName(error.setting), error.problem);
    throw error;
  }
}

function unusable(option: string, problem: string): PaybatchError {
  return new PaybatchError('option_invalid', `--${option} ${problem}.`, 'paybatch --help-all');
}
