/* A message for people: text, and parts that each interface words in its own way, such as the name of a setting. */

import type { SettingName } from './definitions.ts';
import type { MachineSettingName } from './setting.ts';

/** The parts of a request, besides the settings, that a remedy or a message may name. */
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

/** The name of anything that a remedy or a message may refer to: a setting, or another part of a request. */
export type Adjustable = SettingName | MachineSettingName | (typeof requestParts)[number];

/** A part of a message that each interface words in its own way. So no interface has to search for it in a text. */
type NamedPart =
  | {
      /** A terminal shows how the setting is typed, and a page shows "the limit on invalid rows". */
      readonly setting: Adjustable;
      /** Whether it is at the beginning of a sentence. */
      readonly begins?: true;
    }
  /** The address of an API, or the name of the built-in sandbox instead of an address. */
  | { readonly origin: string }
  /** A field for which the file has no column, by paybatch's own name. */
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
  /** The value in quotation marks, shortened or masked. */
  readonly value: string;
  /** Whether all but its end is hidden. If the whole cell may be shown, it replaces this value. */
  readonly isMasked: boolean;
}

type MessagePart = string | NamedPart;

/** A message. A text is a message without named parts. Values from outside are unescaped in it. */
export type Message = string | { readonly parts: readonly MessagePart[] };

/** The words of an interface for the parts of messages. */
interface PartWords {
  /** The words for a setting within a sentence. */
  readonly setting: (name: Adjustable) => string;
  readonly origin: (origin: string) => string;
  /** The words for a field without a column; absent for the field's own name. */
  readonly field?: (name: string) => string;
  /** The words for the value that the message is about; absent to leave the value as it is. */
  readonly value?: (value: ValuePart) => string;
}

/**
 * A message as a template: say`${place}: ${{ setting: 'maxInvalid' }} allows ${count}.` Texts and numbers become text; an
 * inner message keeps its parts.
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

/** Joins messages, or parts of one, into one message, with a text between them. */
export function joined(messages: readonly (Message | NamedPart)[], between: string): Message {
  return messages.reduce<Message>((so, message) => say`${so}${so === '' ? '' : between}${message}`, '');
}

/** A message in the words of an interface. */
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

/** A message in which some named parts are replaced. */
export function withParts(message: Message, replace: (part: NamedPart) => MessagePart): Message {
  if (typeof message === 'string') return message;
  return { parts: message.parts.map((part) => (typeof part === 'string' ? part : replace(part))) };
}

/** The words of the library and of files, in which a setting is "the setting maxInvalid". */
export const plainWords: PartWords = {
  setting: (name) => `the setting ${name}`,
  origin: (origin) => origin,
};

/** A message as plain text, as the library shows it and as it is written into files. */
export function plainText(message: Message): string {
  return inWords(message, plainWords);
}

/** A sentence without its full stop, to be continued. */
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
