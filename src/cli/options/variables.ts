/* The environment variables of the settings that no option gives. */

import {
  type MachineSettingName,
  type MachineSettings,
  machineSettingNames,
} from '../../domain/settings/setting.ts';

/** The environment variable that gives each of these settings. */
export const variableOf: Readonly<Record<MachineSettingName, string>> = {
  apiKey: 'PAYBATCH_API_KEY',
  apiKeyFile: 'PAYBATCH_API_KEY_FILE',
  databaseUrl: 'DATABASE_URL',
  httpsProxy: 'HTTPS_PROXY',
  liveApiKey: 'PAYBATCH_LIVE_API_KEY',
  liveApiKeyFile: 'PAYBATCH_LIVE_API_KEY_FILE',
  noProxy: 'NO_PROXY',
  sandboxApiKey: 'PAYBATCH_SANDBOX_API_KEY',
  sandboxApiKeyFile: 'PAYBATCH_SANDBOX_API_KEY_FILE',
  userKeyFile: 'PAYBATCH_USER_KEY_FILE',
  userPassphrase: 'PAYBATCH_USER_PASSPHRASE',
  userPassphraseFile: 'PAYBATCH_USER_PASSPHRASE_FILE',
};

export function isMachineSetting(name: string): name is MachineSettingName {
  return Object.hasOwn(variableOf, name);
}

/** A sentence with the variables that give these settings: `the setting databaseUrl` is `DATABASE_URL`. */
export function inVariables(text: string): string {
  return text.replace(/\b[Tt]he setting ([a-z][A-Za-z]*)\b/g, (whole, name: string) =>
    isMachineSetting(name) ? variableOf[name] : whole,
  );
}

/** The settings that stand in environment variables. Those of a proxy are in small letters as well, and these win. */
export function machineSettingsIn(environment: NodeJS.ProcessEnv): MachineSettings {
  return Object.fromEntries(
    machineSettingNames.map((name) => {
      const variable = variableOf[name];
      const isOfProxy = variable.endsWith('_PROXY');
      return [name, (isOfProxy ? environment[variable.toLowerCase()] : undefined) ?? environment[variable]];
    }),
  );
}
