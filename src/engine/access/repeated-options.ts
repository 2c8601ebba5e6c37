import type { Environment } from '../../domain/batches/batch.ts';
import type { Failure, NextCommand } from '../../domain/failures/failure.ts';
import { durationOption } from '../../domain/sending/key-age.ts';
import type { CallContext } from '../running/context.ts';
import type { CallResult } from '../running/result.ts';
import { type CallSettings, callSettingsSchema } from '../running/settings.ts';
import { isElsewhere, localSandboxPrefix } from './api-target.ts';

type WithSettings = Pick<CallContext, 'settings'>;

/**
 * Options without which the next command would look at another API or another ledger, or take the API for another
 * one than somebody has said it is.
 * @param environment the batch's own, where it is about one: a command that needs no API is not told which one.
 *   A plan that was made without an address has none
 */
export function repeatedOptions({ settings }: WithSettings, environment?: Environment): string[] {
  const mode = environment?.mode ?? settings.mode;
  const isLocal = environment?.origin.startsWith(localSandboxPrefix) ?? settings['local-sandbox'];
  const address = environment === undefined ? settings['base-url'] : environment.origin;
  const options: string[] = [];
  const isModeKnown = environment !== undefined || settings.isModeStated;
  const isStated = mode === 'live' || (isModeKnown && !isLocal && isElsewhere(address));
  if (isStated) options.push('--mode', mode);
  if (isLocal) options.push('--local-sandbox');
  else if (address !== undefined && /^https?:/.test(address)) options.push('--base-url', address);
  if (settings['sandbox-dir'] !== undefined) options.push('--sandbox-dir', settings['sandbox-dir']);
  if (settings['ledger-dir'] !== '.paybatch') options.push('--ledger-dir', settings['ledger-dir']);
  if (settings.out !== 'results') options.push('--out', settings.out);
  return [...options, ...statedOfApi(settings)];
}

const unstated = callSettingsSchema.parse({});

/**
 * What the specification leaves open, as far as somebody has stated it. With a longer lifetime of keys than the API's
 * own, a row in doubt would be sent again under a key that the API has forgotten.
 */
function statedOfApi(settings: CallSettings): string[] {
  const given: readonly (readonly [keyof typeof unstated & keyof CallSettings, readonly string[]])[] = [
    ['customer-id-path', settings['customer-id-path']],
    ['institutions-page-parameter', [settings['institutions-page-parameter'] ?? '']],
    ['institutions-first-page', [String(settings['institutions-first-page'] ?? '')]],
    ['key-lifetime', [durationOption(settings['key-lifetime'] ?? 0)]],
    ['waiting-codes', [settings['waiting-codes'].join(',')]],
    ['waiting-delay', [durationOption(settings['waiting-delay'])]],
  ];
  return given
    .filter(([name]) => JSON.stringify(settings[name]) !== JSON.stringify(unstated[name]))
    .flatMap(([name, values]) => values.flatMap((value) => [`--${name}`, value]));
}

/** Options without which the next command would read the files in another way. */
export function readingOptions({ settings }: WithSettings): string[] {
  return [...valuesOf(settings, readingValues), ...flagsOf(settings)];
}

const readingValues = ['kind', 'sheet', 'hidden', 'delimiter', 'encoding', 'mapping', 'rules'] as const;

function valuesOf(settings: CallSettings, names: readonly (typeof readingValues)[number][]): string[] {
  return names.flatMap((name) => {
    const value = settings[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
}

function flagsOf(settings: CallSettings): string[] {
  const flags = ['no-remembered-mapping', 'leave-out-non-rows'] as const;
  return flags.flatMap((name) => (settings[name] ? [`--${name}`] : []));
}

/** The options that a command needs besides its own words, so that it works as it is printed. */
function optionsFor(app: WithSettings, { words, needs, environment }: NextCommand): string[] {
  if (needs === 'no_options') return [];
  const place = repeatedOptions(app, environment);
  if (needs === 'place') return place;
  // A mapping is what that command proposes.
  const reading =
    words[0] === 'mapping'
      ? valuesOf(app.settings, ['kind', 'sheet', 'delimiter', 'encoding'])
      : readingOptions(app);
  return [...reading, ...place];
}

/** A failure whose next command works as it is printed. */
export function withNextCommand<Refusal extends Failure>(app: WithSettings, failure: Refusal): Failure {
  return failure.withOptions((command) => optionsFor(app, command));
}

/** A result whose failure, if there is one, has a next command that works as it is printed. */
export function resultWithNextCommand<Result>(app: WithSettings, result: Result): Result {
  if (!hasFailure(result)) return result;
  return { ...result, failure: withNextCommand(app, result.failure) };
}

function hasFailure<Result>(result: Result): result is Result & { readonly failure: Failure } & CallResult {
  return typeof result === 'object' && result !== null && 'failure' in result && result.failure !== null;
}
