/* The styles of a web page that matter for its tables, with the number formats of Office programs. */

import { type InputLimits, limitExceeded } from '../../file/input-error.ts';
import { type NumberFormat, parseNumberFormat } from '../sheet/number-format.ts';

/** What a rule of a style sheet, or the `style` of an element, says. */
export interface Style {
  readonly format?: NumberFormat;
  readonly isHidden?: boolean;
  /** Six hexadecimal digits, empty for none. */
  readonly fill?: string;
  readonly isStruck?: boolean;
}

/** The attributes of an element, with names in lower case. */
export type HtmlAttributes = Readonly<Record<string, string>>;

/** More than spreadsheet programs can keep. */
const STYLE_LIMIT = 100_000;
const NO_STYLE: Style = {};

/** A selector of one class, of one element, or of a class of an element. */
const SELECTOR = /^([a-z][a-z0-9]*)?(?:\.([\w-]+))?$/i;
/** Longer selectors, and longer number formats, are not those of spreadsheet programs. */
const NAME_LENGTH = 255;

/** The position behind a text in quotes that begins there. */
function endOfQuoted(css: string, from: number): number {
  const quote = css[from];
  let at = from + 1;
  while (at < css.length && css[at] !== quote) at += css[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** The position of the first of those characters outside quotes; the end where there is none. */
function findOutsideQuotes(css: string, characters: string, from: number): number {
  let at = from;
  while (at < css.length) {
    const character = css[at] ?? '';
    if (characters.includes(character)) return at;
    if (character === '"' || character === "'") at = endOfQuoted(css, at);
    else at += character === '\\' ? 2 : 1;
  }
  return css.length;
}

function withoutComments(css: string): string {
  const kept: string[] = [];
  let at = 0;
  for (let open = css.indexOf('/*'); open !== -1; open = css.indexOf('/*', at)) {
    kept.push(css.slice(at, open));
    const close = css.indexOf('*/', open + 2);
    at = close === -1 ? css.length : close + 2;
  }
  return [...kept, css.slice(at)].join(' ');
}

/** The declarations of a rule or of a `style`, one by one: property in lower case, and value. */
function* declarationsIn(body: string): Generator<readonly [property: string, value: string]> {
  for (let at = 0; at < body.length; ) {
    const end = findOutsideQuotes(body, ';', at);
    const colon = body.indexOf(':', at);
    if (colon !== -1 && colon < end) {
      yield [body.slice(at, colon).trim().toLowerCase(), body.slice(colon + 1, end).trim()];
    }
    at = end + 1;
  }
}

/** A value without its quotes and escapes: `"\@"` is `@`, `\0022` a quote. Office programs write four digits always. */
function unescaped(value: string): string {
  const inQuotes = /^(["'])(.*)\1$/s.exec(value)?.[2] ?? value;
  return inQuotes.replace(/\\(?:([0-9a-f]{4})|(.))/gis, (_, code: string | undefined, letter: string) =>
    code === undefined ? letter : characterOf(Number.parseInt(code, 16)),
  );
}

function characterOf(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** Names of formats that are no codes, by what they show. */
const namedFormats: readonly (readonly [RegExp, NumberFormat])[] = [
  [/^(?:general|short|medium|long) date$/i, { kind: 'date' }],
  [/^(?:short|medium|long) time$/i, { kind: 'time' }],
  [
    /^(?:general|fixed|standard|percent|scientific|currency|yes\/no|true\/false|on\/off)$/i,
    { kind: 'other' },
  ],
];

/** A number format as pages have it: a code of spreadsheet programs, or a name such as `Short Date`. */
export function pageNumberFormat(code: string): NumberFormat {
  if (code.length > NAME_LENGTH) return { kind: 'other' };
  return namedFormats.find(([name]) => name.test(code.trim()))?.[1] ?? parseNumberFormat(code);
}

/** The names of colours that programs write, besides those with digits. */
const namedColours: Readonly<Record<string, string>> = {
  ...{ yellow: 'FFFF00', red: 'FF0000', lime: '00FF00', green: '008000', blue: '0000FF', aqua: '00FFFF' },
  ...{ cyan: '00FFFF', fuchsia: 'FF00FF', magenta: 'FF00FF', orange: 'FFA500', pink: 'FFC0CB' },
  ...{ silver: 'C0C0C0', gray: '808080', grey: '808080', purple: '800080', maroon: '800000' },
  ...{ lightyellow: 'FFFFE0', lightgreen: '90EE90', lightblue: 'ADD8E6', gold: 'FFD700' },
};

/** A colour as six hexadecimal digits; empty for none, and for one that is not known. */
export function pageColour(value: string): string {
  const word = value.trim().toLowerCase().split(/\s+/)[0] ?? '';
  const [, digits] = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/.exec(word) ?? [];
  if (digits?.length === 3)
    return [...digits]
      .map((digit) => digit.repeat(2))
      .join('')
      .toUpperCase();
  const parts = /rgb\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*\)/i.exec(value)?.slice(1).map(Number);
  if (parts?.every((part) => part <= 255))
    return parts
      .map((part) => part.toString(16).padStart(2, '0'))
      .join('')
      .toUpperCase();
  return digits?.toUpperCase() ?? namedColours[word] ?? '';
}

function styleOf(body: string): Style {
  let style = NO_STYLE;
  for (const [property, value] of declarationsIn(body)) {
    if (property === 'mso-number-format') {
      style = { ...style, format: pageNumberFormat(unescaped(value)) };
    } else if (property === 'display') style = { ...style, isHidden: /^none\b/i.test(value) };
    else if (property === 'visibility' && /^(?:collapse|hidden)\b/i.test(value)) {
      style = { ...style, isHidden: true };
    } else if (property === 'background' || property === 'background-color') {
      style = { ...style, fill: pageColour(value) };
    } else if (property === 'text-decoration' || property === 'text-decoration-line') {
      style = { ...style, isStruck: /\bline-through\b/i.test(value) };
    }
  }
  return style;
}

/** The styles of a page: rules of its style sheets, and the `style` and `class` of its elements. */
export class PageStyles {
  readonly #limits: InputLimits;
  readonly #rules = new Map<string, Style>();
  readonly #inline = new Map<string, Style>();
  #characters = 0;

  constructor(limits: InputLimits) {
    this.#limits = limits;
  }

  /** Adds the rules of a style sheet. Rules for print and the like, and selectors of several elements, do not count. */
  addSheet(css: string): void {
    this.#characters += css.length;
    if (this.#characters > this.#limits.recordBytes) {
      throw limitExceeded(
        `its styles are longer than ${this.#limits.recordBytes} characters`,
        'open it in a spreadsheet program and save it as .xlsx or as CSV UTF-8',
      );
    }
    const text = withoutComments(css).replace(/<!--|-->/g, ' ');
    for (let at = 0; at < text.length; ) {
      const open = text.indexOf('{', at);
      if (open === -1) return;
      const end = findOutsideQuotes(text, '}', open + 1);
      this.#addRule(text.slice(at, open), text.slice(open + 1, end));
      at = end + 1;
    }
  }

  #addRule(selectors: string, body: string): void {
    const style = styleOf(body);
    if (style === NO_STYLE) return;
    // The end of a rule around others is left before the next selector.
    for (const written of selectors.split(',')) {
      const selector = written.slice(written.lastIndexOf('}') + 1).trim();
      if (selector.length > NAME_LENGTH) continue;
      const [, element = '', name = ''] = SELECTOR.exec(selector) ?? [];
      if (element === '' && name === '') continue;
      const key = `${element.toLowerCase()}.${name}`;
      if (this.#rules.size < STYLE_LIMIT) this.#rules.set(key, { ...this.#rules.get(key), ...style });
    }
  }

  /** The style of an element; what is nearer to it takes precedence. */
  of(element: string, attributes: HtmlAttributes): Style {
    const classes = attributes.class?.split(/\s+/) ?? [];
    const inline = attributes.style;
    if (this.#rules.size === 0 && inline === undefined) return NO_STYLE;
    return {
      ...this.#rules.get(`${element}.`),
      ...Object.assign({}, ...classes.map((name) => this.#rules.get(`.${name}`))),
      ...Object.assign({}, ...classes.map((name) => this.#rules.get(`${element}.${name}`))),
      ...(inline === undefined ? {} : this.#inlineStyle(inline)),
    };
  }

  #inlineStyle(body: string): Style {
    const style = this.#inline.get(body) ?? styleOf(body);
    if (this.#inline.size < 10_000) this.#inline.set(body, style);
    return style;
  }
}
