/* What helps, as somebody on a terminal types it. */

import { FilesRefused, type PaybatchError } from '../../domain/failures/paybatch-error.ts';
import {
  type Adjustable,
  type Adjustment,
  type CallRemedy,
  type DoorWords,
  type Remedy,
  requestParts,
} from '../../domain/failures/remedy.ts';
import { allSettings } from '../../domain/settings/definitions.ts';
import type { CallContext } from '../../engine/running/context.ts';
import { optionName } from '../options/option-definitions.ts';
import { inVariables, isMachineSetting, variableOf } from '../options/variables.ts';
import { readingOptions, readingOptionsOfMapping, repeatedOptions } from './repeated-options.ts';
import { commandLine, shellWord } from './shell-word.ts';

type WithSettings = Pick<CallContext, 'settings'>;

/** Stands for a file whose path nobody knows. */
const someFile = 'FILE';

/** The words of the command line for calls with these settings: what has to be repeated is in them. */
export function doorWords(app: WithSettings): DoorWords {
  return { remedy: (remedy) => remedyText(remedy, app) };
}

/** What helps against an error, in one line; null where nothing helps but patience. */
export function nextOf(error: PaybatchError, words: DoorWords): string | null {
  if (error instanceof FilesRefused && error.each.length > 1) {
    const each = new Set(error.each.flatMap((refused) => nextOf(refused, words) ?? []));
    return each.size === 0 ? null : [...each].join('; ');
  }
  return nextOfRemedies(error.remedies, words);
}

/** Any one of them helps; null for none. */
export function nextOfRemedies(remedies: readonly Remedy[], words: DoorWords): string | null {
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
  { action: 'migrate' | 'help' | 'template' | 'doctor' | 'remembered_mappings' | 'institutions' }
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
    case 'submit':
      return [action, remedy.batch, '--plan-hash', remedy.planHash ?? 'HASH'];
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
