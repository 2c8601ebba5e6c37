/* Remedies for a person at a terminal: the command to type, with the options of the call, quoted for the shell. */

import { commandStepNames, rowRemedyText } from '../../account/words/row-words.ts';
import type { CallContext } from '../../call/context.ts';
import { isElsewhere } from '../../call/opened-api.ts';
import { type Environment, localSandboxPrefix } from '../../domain/batches/batch.ts';
import {
  type Adjustment,
  type CallRemedy,
  FilesRefused,
  type PaybatchError,
  type Phrasebook,
  type Remedy,
} from '../../domain/failures/paybatch-error.ts';
import { allSettings, type SettingName, type Settings } from '../../domain/settings/definitions.ts';
import { type Adjustable, listOf } from '../../domain/settings/message.ts';
import { isMachineSetting, optionName, settingWord, terminalText } from '../options/options.ts';

const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * Quotes an argument as one word for a POSIX shell. Control characters are escaped as bash, ksh and zsh read them.
 */
export function shellWord(text: string): string {
  if (unprintable.test(text)) {
    const escaped = text.replace(/['\\]/g, '\\$&').replace(new RegExp(unprintable, 'gu'), escapedByte);
    return `$'${escaped}'`;
  }
  return /^[\p{L}\p{N}_./:=@%+,-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Escapes a character byte by byte, which all these shells understand in any locale. */
function escapedByte(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

/** A paybatch command line, from words with any characters. */
export function commandLine(words: readonly string[]): string {
  return ['paybatch', ...words].map(shellWord).join(' ');
}

/**
 * Options that the next command has to repeat; otherwise it would use another API or ledger, or assume another environment
 * of the API.
 * @param environment the environment of the batch, if the command is about one, so that the address does not have to be
 *   stated. A plan that was made without an address has no environment
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
 * Repeated settings: the folders, and stated settings about details that the specification leaves open. For example, with a
 * key lifetime that is longer than at the API, a row in doubt would be sent again under a key that the API has forgotten.
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

/** Options for the settings that differ from their defaults. */
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

/** Options that the next command has to repeat; otherwise it would read the files differently. */
export function readingOptions({ settings }: { readonly settings: Pick<Settings, 'reading'> }): string[] {
  return optionsOf(settings.reading, Object.keys(settings.reading) as SettingName[]);
}

type WithSettings = Pick<CallContext, 'settings'>;

/** The placeholder of a file with an unknown path. */
const someFile = 'FILE';

/** The phrases of the command line for calls with these settings, including the options to repeat. */
export function commandLineWords(app: WithSettings): Phrasebook {
  return {
    remedy: (remedy) => remedyText(remedy, app),
    rowRemedy: (remedy) => rowRemedyText(remedy, commandStepNames),
    message: terminalText,
  };
}

/** The remedy for an error, in one line; null if a person can only wait. */
export function nextOf(error: PaybatchError, words: Phrasebook): string | null {
  if (error instanceof FilesRefused && error.each.length > 1) {
    const each = new Set(error.each.flatMap((refused) => nextOf(refused, words) ?? []));
    return each.size === 0 ? null : [...each].join('; ');
  }
  return nextOfRemedies(error.remedies, words);
}

/** The text of alternative remedies; null for none. */
export function nextOfRemedies(remedies: readonly Remedy[], words: Phrasebook): string | null {
  return remedies.length === 0 ? null : remedies.map(words.remedy).join('; or ');
}

function remedyText(remedy: Remedy, app: WithSettings): string {
  const { purpose, effect, remark, next } = remedy;
  const text = `${purpose === undefined ? '' : `${purpose}: `}${ownText(remedy, app)}`;
  const said = `${text}${effect === undefined ? '' : ` ${effect}`}${remark === undefined ? '' : ` (${remark})`}`;
  if (next === undefined) return said;
  const isTyped = !['advice', 'again', 'check', 'leave_out', 'set'].includes(next.action);
  return `${said}, then${isTyped ? ':' : ''} ${remedyText(next, app)}`;
}

function ownText(remedy: Remedy, app: WithSettings): string {
  switch (remedy.action) {
    case 'advice':
      return terminalText(remedy.text);
    case 'again':
      return 'run the same command again';
    case 'set': {
      const isSaid = remedy.purpose !== undefined || remedy.effect !== undefined;
      const verb = remedy.oneOf.some(({ setting }) => isMachineSetting(setting)) ? 'set' : 'give';
      return `${isSaid ? '' : `${verb} `}${listOf(remedy.oneOf.map(optionText), 'or')}`;
    }
    case 'leave_out':
      return `leave out ${listOf(remedy.settings.map(optionText), 'or')}`;
    case 'check':
      return `check ${listOf(remedy.settings.map(nameOfChecked), 'and')}`;
    default:
      return commandLine(wordsOf(remedy, app));
  }
}

/** The words of a command to type, with the options that have to be repeated. */
function wordsOf(remedy: CallRemedy, app: WithSettings): readonly string[] {
  const { action } = remedy;
  const again = repeatedOptions(app, 'environment' in remedy ? remedy.environment : undefined);
  switch (action) {
    case 'migrate':
      return ['migrate'];
    case 'help':
      return [remedy.of, '--help'];
    case 'template':
      return ['template', remedy.kind];
    case 'doctor':
      return ['doctor', ...again];
    case 'verify_audit':
      // These are needed even for a command without an API: otherwise it would use another ledger or result folder.
      return [
        'audit',
        'verify',
        ...optionsOf({ ...app.settings.ledger, ...app.settings.output }, ['ledgerDir', 'out']),
      ];
    case 'lift_halt': {
      const { policy } = remedy;
      const words = policy === null ? ['halt', '--lift'] : ['policy', 'approve', String(policy)];
      return [...words, ...optionsOf(app.settings.ledger, ['ledgerDir'])];
    }
    case 'remembered_mappings':
      return ['mapping', '--show', ...again];
    case 'institutions':
      return ['institutions', remedy.country, ...again];
    case 'mapping':
      return [
        'mapping',
        remedy.file ?? someFile,
        ...optionsOf(app.settings.reading, ['kind', 'sheet', 'delimiter', 'encoding']),
        ...again,
      ];
    case 'edit_mapping': {
      const { file, about, sheet } = remedy;
      const which = [...optionWithValue('about', about), ...optionWithValue('sheet', sheet)];
      return ['mapping', file ?? someFile, '--edit', ...which, ...again];
    }
    case 'import':
    case 'plan':
    case 'validate':
    case 'recover': {
      const logs = action === 'recover' ? remedy.logs.flatMap((log) => ['--log', log]) : [];
      const files = remedy.files.length === 0 ? [someFile] : remedy.files;
      return [action, ...logs, ...files, ...(remedy.asRead ? readingOptions(app) : []), ...again];
    }
    case 'resume':
      return [
        action,
        remedy.batch,
        ...optionWithValue('refused-alike', remedy.refusedAlike ?? null),
        ...again,
      ];
    case 'reconcile':
      return [
        ...[action, remedy.batch],
        ...(remedy.replay === true ? ['--replay'] : []),
        ...(remedy.isAgreed === true ? ['--yes'] : []),
        ...again,
      ];
    case 'resolve':
      return [action, remedy.batch, '--file', remedy.file, ...again];
    case 'approve':
      return [action, remedy.batch, ...optionWithValue('plan-hash', remedy.planHash), ...again];
    case 'submit':
      return [action, remedy.batch, '--plan-hash', remedy.planHash ?? 'HASH', ...again];
    case 'corrections':
      return ['serve', ...again];
    case 'close':
      return [action, remedy.batch, '--note', 'TEXT', ...again];
    case 'status':
      return [action, ...(remedy.batch === undefined ? [] : [remedy.batch]), ...again];
    default:
      return [action, remedy.batch, ...again];
  }
}

function optionWithValue(name: string, value: string | null): readonly string[] {
  return value === null ? [] : [`--${name}`, value];
}

/** The placeholders for values of options that are not settings; the others are flags. */
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
  const name = settingWord(setting);
  if (isMachineSetting(setting) && value !== undefined) return `${name}=${shellWord(value)}`;
  if (!name.startsWith('--')) return name;
  const shown = value === undefined ? valueNames[setting] : shellWord(value);
  return shown === undefined ? name : `${name} ${shown}`;
}

/** The name of a checked setting. A key has no single name, since it may be in one of several variables. */
function nameOfChecked(setting: Adjustable): string {
  return setting === 'apiKey' ? 'the API key' : settingWord(setting);
}
