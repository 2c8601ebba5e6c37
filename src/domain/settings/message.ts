/* A message for people: words, and parts that each channel words in its own way, such as the name of a setting. */

import type { SettingName } from './definitions.ts';
import type { MachineSettingName } from './setting.ts';

/** What a request takes beside the settings, where a remedy or a message names it. */
export const requestParts = [
  'attempts',
  'compare',
  'coversFrom',
  'coversTo',
  'dialogue',
  'force',
  'graceDays',
  'holdRest',
  'interactive',
  'join',
  'left',
  'note',
  'passphraseFile',
  'payeeType',
  'planHash',
  'right',
  'selection',
  'source',
  'sourceMapping',
  'tolerance',
  'toleranceDays',
] as const;

/** Whatever a remedy or a message may name: a setting, or another part of a request. */
export type Adjustable = SettingName | MachineSettingName | (typeof requestParts)[number];

/** A part of a message that each channel words in its own way, so that none has to look for it in a text. */
type NamedPart =
  | {
      /** A terminal shows how it is typed there, a page shows "the limit on invalid rows". */
      readonly setting: Adjustable;
      /** Whether a sentence begins with it. */
      readonly begins?: true;
    }
  /** The address of an API, or the name of the built-in sandbox among such addresses. */
  | { readonly origin: string }
  /** A field that the file has no column for, by paybatch's own name. */
  | FieldPart
  | ValuePart;

/** A field of a row, by paybatch's own name. */
export interface FieldPart {
  readonly field: string;
}

/** The name of a field in words: `customer external id`. */
export function fieldName(field: string): string {
  return field.replaceAll('_', ' ');
}

/** The value of the cell that a message is about. */
export interface ValuePart {
  /** In quotation marks, shortened or masked. */
  readonly value: string;
  /** Whether it is hidden but for its end. Where the whole cell may be shown, it replaces this. */
  readonly isMasked: boolean;
}

type MessagePart = string | NamedPart;

/** A message; a text is one without named parts. Values from outside are unescaped in it. */
export type Message = string | { readonly parts: readonly MessagePart[] };

/** How a channel words the parts of messages. */
interface PartWords {
  /** A setting in a sentence. */
  readonly setting: (name: Adjustable) => string;
  readonly origin: (origin: string) => string;
  /** A field without a column; its name when absent. */
  readonly field?: (name: string) => string;
  /** The value that the message is about; as it is in the message when absent. */
  readonly value?: (value: ValuePart) => string;
}

/**
 * A message as a template: say`${place}: ${{ setting: 'maxInvalid' }} allows ${count}.` Texts and numbers become words;
 * a message within it keeps its parts.
 */
export function say(words: readonly string[], ...parts: readonly (number | NamedPart | Message)[]): Message {
  const all = words.flatMap((text, at): readonly MessagePart[] => {
    const part = parts[at] ?? '';
    if (typeof part !== 'object') return [`${text}${part}`];
    if ('parts' in part) return [text, ...part.parts];
    const begins = at === 0 ? text === '' : /[.!?] $/.test(text);
    return [text, 'setting' in part && begins ? { ...part, begins } : part];
  });
  const merged: MessagePart[] = [];
  for (const part of all) {
    const last = merged.at(-1);
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part;
    else if (part !== '') merged.push(part);
  }
  const [first = '', ...others] = merged;
  return typeof first === 'string' && others.length === 0 ? first : { parts: merged };
}

/** Messages, or parts of one, in one message with the same text between them. */
export function joined(messages: readonly (Message | NamedPart)[], between: string): Message {
  return messages.reduce<Message>((so, message) => say`${so}${so === '' ? '' : between}${message}`, '');
}

/** A message in the words of a channel. */
export function inWords(message: Message, words: PartWords): string {
  if (typeof message === 'string') return message;
  const texts = message.parts.map((part) => {
    if (typeof part === 'string') return part;
    if ('origin' in part) return words.origin(part.origin);
    if ('field' in part) return words.field?.(part.field) ?? part.field;
    if ('value' in part) return words.value?.(part) ?? part.value;
    const name = words.setting(part.setting);
    return part.begins === true ? capital(name) : name;
  });
  return texts.join('');
}

/** A message with other parts in place of some of its named ones. */
export function withParts(message: Message, replace: (part: NamedPart) => MessagePart): Message {
  if (typeof message === 'string') return message;
  return { parts: message.parts.map((part) => (typeof part === 'string' ? part : replace(part))) };
}

/** The words of the library and of files: settings are "the setting maxInvalid". */
export const plainWords: PartWords = {
  setting: (name) => `the setting ${name}`,
  origin: (origin) => origin,
};

/** A message as the library says it, and as it is written into files. */
export function plainText(message: Message): string {
  return inWords(message, plainWords);
}

/** A sentence without its full stop, for one that goes on. */
export function withoutStop<Said extends Message>(sentence: Said): Said;
export function withoutStop(sentence: Message): Message {
  if (typeof sentence !== 'string') {
    const [last = '', ...before] = [...sentence.parts].reverse();
    return typeof last === 'string' ? { parts: [...before.reverse(), withoutStop(last)] } : sentence;
  }
  return sentence.endsWith('.') ? sentence.slice(0, -1) : sentence;
}

/** `ada`, `ada or ben`, `ada, ben or cleo`. */
export function listOf(texts: readonly string[], word: 'and' | 'or'): string {
  if (texts.length < 3) return texts.join(` ${word} `);
  return `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`;
}

/** A text with a capital letter at its beginning. */
export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
