import type { Environment } from '../../domain/batches/batch.ts';
import type { NextCommand } from '../../domain/failures/next-command.ts';
import type { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { allSettings, type SettingName, type Settings } from '../../domain/settings/definitions.ts';
import { isElsewhere, localSandboxPrefix } from '../connections/opened-api.ts';
import type { CallContext } from '../running/context.ts';
import type { CallResult } from '../running/result.ts';

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
      const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
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

/** The options that a command needs besides its own words, so that it works as it is printed. */
function optionsFor(app: WithSettings, { words, needs, environment }: NextCommand): string[] {
  if (needs === 'no_options') return [];
  const place = repeatedOptions(app, environment);
  if (needs === 'place') return place;
  // A mapping is what that command proposes.
  const reading =
    words[0] === 'mapping'
      ? optionsOf(app.settings.reading, ['kind', 'sheet', 'delimiter', 'encoding'])
      : readingOptions(app);
  return [...reading, ...place];
}

/** A failure whose next command works as it is printed. */
export function withNextCommand<Refusal extends PaybatchError>(
  app: WithSettings,
  failure: Refusal,
): PaybatchError {
  return failure.withOptions((command) => optionsFor(app, command));
}

/** A result whose failure, if there is one, has a next command that works as it is printed. */
export function resultWithNextCommand<Result>(app: WithSettings, result: Result): Result {
  if (!hasFailure(result)) return result;
  return { ...result, failure: withNextCommand(app, result.failure) };
}

function hasFailure<Result>(
  result: Result,
): result is Result & { readonly failure: PaybatchError } & CallResult {
  return typeof result === 'object' && result !== null && 'failure' in result && result.failure !== null;
}
