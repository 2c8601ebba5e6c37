/* The options that a command to type needs besides its own words, so that it works as it is printed. */

import type { Environment } from '../../domain/batches/batch.ts';
import { allSettings, type SettingName, type Settings } from '../../domain/settings/definitions.ts';
import { isElsewhere, localSandboxPrefix } from '../../engine/connections/opened-api.ts';
import type { CallContext } from '../../engine/running/context.ts';
import { optionName } from '../options/option-definitions.ts';

type WithSettings = Pick<CallContext, 'settings'>;

/**
 * Options without which the next command would look at another API or another ledger, or take the API for another
 * one than somebody has said it is.
 * @param environment the batch's own, where it is about one: a command that needs no API is not told which one.
 *   A plan that was made without an address has none
 */
export function repeatedOptions({ settings }: WithSettings, environment?: Environment): string[] {
  const { api, ledger, output } = settings;
  const mode = environment?.mode ?? api.mode;
  const isLocal = environment?.origin.startsWith(localSandboxPrefix) ?? api.localSandbox;
  const address = environment === undefined ? api.baseUrl : environment.origin;
  const options: string[] = [];
  const isModeKnown = environment !== undefined || api.isModeStated;
  const isStated = mode === 'live' || (isModeKnown && !isLocal && isElsewhere(address));
  if (isStated) options.push('--mode', mode);
  if (isLocal) options.push('--local-sandbox');
  else if (address !== undefined && /^https?:/.test(address)) options.push('--base-url', address);
  return [
    ...options,
    ...optionsOf({ ...api, ...ledger, ...output, ...settings.sending, ...settings.keys }, repeated),
  ];
}

/**
 * The folders, and what the specification leaves open, as far as somebody has stated it. With a longer lifetime of keys
 * than the API's own, a row in doubt would be sent again under a key that the API has forgotten.
 */
const repeated: readonly SettingName[] = [
  'sandboxDir',
  'ledgerDir',
  'out',
  'customerIdPath',
  'institutionsPageParameter',
  'institutionsFirstPage',
  'keyLifetime',
  'waitingCodes',
  'waitingDelay',
];

/** Options for the settings that differ from what they are when nobody gives them. */
function optionsOf(
  values: Readonly<Partial<Record<SettingName, unknown>>>,
  names: readonly SettingName[],
): string[] {
  return allSettings
    .filter(({ name }) => names.includes(name))
    .flatMap(({ name, setting }) => {
      const option = `--${optionName(name)}`;
      const [now, unstated] = [values[name], setting.defaultValue].map((value) => JSON.stringify(value));
      if (now === unstated) return [];
      return setting.shape === 'flag'
        ? [option]
        : setting.write(values[name]).flatMap((value) => [option, value]);
    });
}

/** Options without which the next command would read the files in another way. */
export function readingOptions({ settings }: { readonly settings: Pick<Settings, 'reading'> }): string[] {
  return optionsOf(settings.reading, Object.keys(settings.reading) as SettingName[]);
}

/** The same where a mapping is what the command proposes. */
export function readingOptionsOfMapping({
  settings,
}: {
  readonly settings: Pick<Settings, 'reading'>;
}): string[] {
  return optionsOf(settings.reading, ['kind', 'sheet', 'delimiter', 'encoding']);
}
