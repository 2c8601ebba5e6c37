/* The options that all commands share: the settings of the engine, and the options for the output. */

import { allSettings, type SettingGroup, type SettingName } from '../../domain/settings/definitions.ts';
import { type Adjustable, inWords, type Message } from '../../domain/settings/message.ts';
import type { MachineSettingName } from '../../domain/settings/setting.ts';

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

/** The option or variable with which a person at a terminal states a setting: `--max-invalid`, `DATABASE_URL`. */
export function settingWord(name: Adjustable): string {
  return isMachineSetting(name) ? variableOf[name] : `--${optionName(name)}`;
}

/** The text of a message for a terminal, with options and variables in place of settings. */
export function terminalText(message: Message): string {
  return inWords(message, { setting: settingWord, origin: (origin) => origin });
}

/** One option: its form, and its help text. */
export interface OptionDefinition {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'list';
  readonly description: string;
  /** The placeholder of the value: `DIR`. */
  readonly valueName?: string;
  /** The allowed values: a list, or a function that loads the list, if not every start needs it. */
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

/** Effects of options on the exit code, which the engine does not know. */
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

/** The options for the output of the command line. */
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

/** The allowed values of an option, loaded if necessary; empty if any value is allowed. */
export async function choicesOf({ choices = [] }: OptionDefinition): Promise<readonly string[]> {
  return typeof choices === 'function' ? choices() : choices;
}
