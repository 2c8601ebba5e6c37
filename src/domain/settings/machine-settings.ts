/*
 * What an engine is given beside its settings: the address of a ledger's server, API keys, and a proxy. Most of them hold a
 * secret, so no option and no config file gives them.
 */

/** Each is a text; one that is empty counts as not given. */
export const machineSettingNames = [
  'apiKey',
  'apiKeyFile',
  'databaseUrl',
  'httpsProxy',
  'liveApiKey',
  'liveApiKeyFile',
  'noProxy',
  'sandboxApiKey',
  'sandboxApiKeyFile',
] as const;

export type MachineSettingName = (typeof machineSettingNames)[number];

/**
 * Values of these settings. `databaseUrl` names a PostgreSQL server. `apiKey` is the key of whatever mode is in force,
 * `sandboxApiKey` and `liveApiKey` that of their mode; the settings that end in `File` are paths of files that hold a
 * key. `httpsProxy` is the address of a proxy, `noProxy` a list of hosts that are reached without it.
 */
export type MachineSettings = Readonly<Partial<Record<MachineSettingName, string | undefined>>>;
