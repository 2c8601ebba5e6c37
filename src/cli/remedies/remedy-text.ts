/*
 * Remedies as a person at a terminal carries them out: the command to type, with the options that the call had,
 * quoted for the shell.
 */

import { commandStepNames, rowRemedyText } from '../../account/words/row-remedy-words.ts';
import type { CallContext } from '../../call/context.ts';
import { isElsewhere, localSandboxPrefix } from '../../call/opened-api.ts';
import type { Environment } from '../../domain/batches/batch.ts';
import {
  type Adjustable,
  type Adjustment,
  type CallRemedy,
  FilesRefused,
  type PaybatchError,
  type Phrasebook,
  type Remedy,
  requestParts,
} from '../../domain/failures/paybatch-error.ts';
import { allSettings, type SettingName, type Settings } from '../../domain/settings/definitions.ts';
import { inVariables, isMachineSetting, optionName, variableOf } from '../options/option-definitions.ts';

const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * An argument as a POSIX shell takes it for one word. What a terminal would act on is escaped in the way that
 * bash, ksh and zsh read.
 */
export function shellWord(text: string): string {
  if (unprintable.test(text)) {
    const escaped = text.replace(/['\\]/g, '\\$&').replace(new RegExp(unprintable, 'gu'), escapedByte);
    return `$'${escaped}'`;
  }
  return /^[\p{L}\p{N}_./:=@%+,-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Byte by byte, which every one of those shells understands, whatever its locale. */
function escapedByte(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

/** A command line of ours, of words that may hold anything. */
export function commandLine(words: readonly string[]): string {
  return ['paybatch', ...words].map(shellWord).join(' ');
}

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

/** Options without which a command that needs no API would look at another ledger or other results. */
function placeOptions({ settings: { ledger, output } }: WithSettings): string[] {
  return optionsOf({ ...ledger, ...output }, ['ledgerDir', 'out']);
}

/** Options without which the next command would read the files in another way. */
export function readingOptions({ settings }: { readonly settings: Pick<Settings, 'reading'> }): string[] {
  return optionsOf(settings.reading, Object.keys(settings.reading) as SettingName[]);
}

/** The same where a mapping is what the command proposes. */
function readingOptionsOfMapping({ settings }: { readonly settings: Pick<Settings, 'reading'> }): string[] {
  return optionsOf(settings.reading, ['kind', 'sheet', 'delimiter', 'encoding']);
}

type WithSettings = Pick<CallContext, 'settings'>;

/** Stands for a file whose path nobody knows. */
const someFile = 'FILE';

/** The words of the command line for calls with these settings: what has to be repeated is in them. */
export function doorWords(app: WithSettings): Phrasebook {
  return {
    remedy: (remedy) => remedyText(remedy, app),
    rowRemedy: (remedy) => rowRemedyText(remedy, commandStepNames),
  };
}

/** What helps against an error, in one line; null where nothing helps but patience. */
export function nextOf(error: PaybatchError, words: Phrasebook): string | null {
  if (error instanceof FilesRefused && error.each.length > 1) {
    const each = new Set(error.each.flatMap((refused) => nextOf(refused, words) ?? []));
    return each.size === 0 ? null : [...each].join('; ');
  }
  return nextOfRemedies(error.remedies, words);
}

/** Any one of them helps; null for none. */
export function nextOfRemedies(remedies: readonly Remedy[], words: Phrasebook): string | null {
  return remedies.length === 0 ? null : remedies.map(words.remedy).join('; or ');
}

function remedyText(remedy: Remedy, app: WithSettings): string {
  const { purpose, effect, next } = remedy;
  const text = `${purpose === undefined ? '' : `${purpose}: `}${ownText(remedy, app)}`;
  const said = effect === undefined ? text : `${text} ${effect}`;
  if (next === undefined) return said;
  const isTyped = !['advice', 'again', 'check', 'leave_out', 'set'].includes(next.action);
  return `${said}, then${isTyped ? ':' : ''} ${remedyText(next, app)}`;
}

function ownText(remedy: Remedy, app: WithSettings): string {
  switch (remedy.action) {
    case 'advice':
      return inOptions(remedy.text);
    case 'again':
      return 'run the same command again';
    case 'set': {
      const isSaid = remedy.purpose !== undefined || remedy.effect !== undefined;
      const verb = remedy.oneOf.some(({ setting }) => isMachineSetting(setting)) ? 'set' : 'give';
      return `${isSaid ? '' : `${verb} `}${listed(remedy.oneOf.map(optionText), 'or')}`;
    }
    case 'leave_out':
      return `leave out ${listed(remedy.settings.map(optionText), 'or')}`;
    case 'check':
      return `check ${listed(remedy.settings.map(nameOfChecked), 'and')}`;
    default:
      return commandOf(remedy, app);
  }
}

/** The command to type for a call that helps. */
function commandOf(remedy: CallRemedy, app: WithSettings): string {
  switch (remedy.action) {
    case 'migrate':
      return commandLine(['migrate']);
    case 'help':
      return commandLine([remedy.of, '--help']);
    case 'template':
      return commandLine(['template', remedy.kind]);
    case 'doctor':
      return commandLine(['doctor', ...repeatedOptions(app)]);
    case 'verify_audit':
      return commandLine(['audit', 'verify', ...placeOptions(app)]);
    case 'remembered_mappings':
      return commandLine(['mapping', '--show', ...repeatedOptions(app)]);
    case 'institutions':
      return commandLine(['institutions', remedy.country, ...repeatedOptions(app)]);
    default:
      return commandLine([...wordsOf(remedy, app), ...repeatedOptions(app, remedy.environment)]);
  }
}

type CallOfBatchOrFiles = Exclude<
  CallRemedy,
  {
    action:
      | 'migrate'
      | 'help'
      | 'template'
      | 'doctor'
      | 'remembered_mappings'
      | 'institutions'
      | 'verify_audit';
  }
>;

/** The words of a command before the options that it needs again. */
function wordsOf(remedy: CallOfBatchOrFiles, app: WithSettings): readonly string[] {
  const { action } = remedy;
  switch (action) {
    case 'mapping':
      return ['mapping', remedy.file ?? someFile, ...readingOptionsOfMapping(app)];
    case 'edit_mapping': {
      const { file, about, sheet } = remedy;
      const which = [...optionWithValue('about', about), ...optionWithValue('sheet', sheet)];
      return ['mapping', file ?? someFile, '--edit', ...which];
    }
    case 'import':
    case 'plan':
    case 'validate':
    case 'recover': {
      const logs = action === 'recover' ? remedy.logs.flatMap((log) => ['--log', log]) : [];
      const files = remedy.files.length === 0 ? [someFile] : remedy.files;
      return [action, ...logs, ...files, ...(remedy.asRead ? readingOptions(app) : [])];
    }
    case 'resume':
      return [action, remedy.batch, ...optionWithValue('refused-alike', remedy.refusedAlike ?? null)];
    case 'reconcile':
      return [
        ...[action, remedy.batch],
        ...(remedy.replay === true ? ['--replay'] : []),
        ...(remedy.isAgreed === true ? ['--yes'] : []),
      ];
    case 'resolve':
      return [action, remedy.batch, '--file', remedy.file];
    case 'approve':
      return [action, remedy.batch, ...optionWithValue('plan-hash', remedy.planHash)];
    case 'submit':
      return [action, remedy.batch, '--plan-hash', remedy.planHash ?? 'HASH'];
    case 'close':
      return [action, remedy.batch, '--note', 'TEXT'];
    case 'status':
      return [action, ...(remedy.batch === undefined ? [] : [remedy.batch])];
    default:
      return [action, remedy.batch];
  }
}

function optionWithValue(name: string, value: string | null): readonly string[] {
  return value === null ? [] : [`--${name}`, value];
}

/** What stands for the values of options that are no settings; the others are flags. */
const valueNames: Readonly<Partial<Record<Adjustable, string>>> = {
  compare: 'FIELDS',
  coversFrom: 'DATE',
  coversTo: 'DATE',
  planHash: 'HASH',
  source: 'FILE',
  sourceMapping: 'FILE',
  ...Object.fromEntries(
    allSettings.map(({ name, setting }) => [name, setting.valueName ?? setting.choices?.join('|')]),
  ),
};

function optionText({ setting, value }: Adjustment): string {
  const name = nameOf(setting);
  if (!name.startsWith('--')) return name;
  const shown = value === undefined ? valueNames[setting] : shellWord(value);
  return shown === undefined ? name : `${name} ${shown}`;
}

/** A key may stand in any of several variables. */
function nameOfChecked(setting: Adjustable): string {
  return setting === 'apiKey' ? 'the API key' : nameOf(setting);
}

function nameOf(setting: Adjustable): string {
  return isMachineSetting(setting) ? variableOf[setting] : `--${optionName(setting)}`;
}

function listed(texts: readonly string[], word: 'and' | 'or'): string {
  if (texts.length < 3) return texts.join(` ${word} `);
  return `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`;
}

const adjustable: ReadonlySet<string> = new Set<string>([
  ...allSettings.map(({ name }) => name),
  ...requestParts,
]);

/**
 * A sentence in which settings are named as what somebody types: `the setting maxInvalid` is `--max-invalid`,
 * and `the setting databaseUrl` the variable that gives it.
 */
export function inOptions(text: string): string {
  return inVariables(text).replace(/\b[Tt]he setting ([a-z][A-Za-z]*)\b/g, (whole, name: string) =>
    adjustable.has(name) ? `--${optionName(name as Adjustable)}` : whole,
  );
}
