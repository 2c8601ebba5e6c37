/* Reads the XML of workbooks and statements piece by piece, without document types or entities. */

import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import {
  damagedFile,
  InputError,
  type InputErrorDetails,
  type InputLimits,
  limitExceeded,
} from './input-error.ts';

export type XmlAttributes = Readonly<Record<string, string>>;

/** The events that a reader of one kind of part handles. Names have no namespace prefix. */
export interface XmlHandler {
  open(name: string, attributes: XmlAttributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Deeper nesting than any workbook part has. */
const DEPTH = 64;
/** At least one tag has to end within these bytes. A cell's text is shorter, even if all of it is escaped. */
const BYTES_WITHOUT_TAG = 1024 * 1024;

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** @returns the attribute whose name has a namespace prefix (`r:id`), whatever its prefix is */
export function prefixedAttribute(attributes: XmlAttributes, name: string): string | undefined {
  return Object.entries(attributes).find(([key]) => key.includes(':') && localName(key) === name)?.[1];
}

/** @returns whether an attribute of the type `xsd:boolean` is true */
export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

/** The errors with which a kind of document is refused. */
export interface XmlDocument {
  readonly damaged: (what: string, details?: InputErrorDetails) => InputError;
  /** The error of a document that begins with a document type, which could define entities. */
  readonly documentType: () => InputError;
}

const aWorkbook: XmlDocument = {
  damaged: damagedFile,
  documentType: () =>
    new InputError(
      'document_type',
      'There is a document type in the workbook, which no spreadsheet program writes.',
      'open it in a spreadsheet program and save it again as .xlsx',
    ),
};

/** Reads XML piece by piece. There is no document type and no entity beyond the five of XML itself. */
export class XmlReader {
  readonly #parser = new SaxesParser({ position: false, xmlns: false });
  readonly #limits: InputLimits;
  readonly #document: XmlDocument;
  #decoder: TextDecoder | null = null;
  #depth = 0;
  #bytesSinceTag = 0;

  constructor(handler: XmlHandler, limits: InputLimits, document: XmlDocument = aWorkbook) {
    this.#limits = limits;
    this.#document = document;
    const parser = this.#parser;
    parser.on('error', (error) => {
      throw document.damaged('one of its parts is not valid XML', { cause: error });
    });
    parser.on('doctype', () => {
      throw document.documentType();
    });
    parser.on('xmldecl', ({ encoding }) => {
      if (encoding !== undefined && !/^utf-?(?:8|16)$/i.test(encoding)) {
        throw document.damaged('one of its parts is neither UTF-8 nor UTF-16');
      }
    });
    parser.on('opentag', (tag) => {
      this.#bytesSinceTag = 0;
      this.#depth += 1;
      if (this.#depth > DEPTH) throw document.damaged('one of its parts is nested too deeply');
      handler.open(localName(tag.name), tag.attributes);
    });
    parser.on('closetag', (tag) => {
      this.#bytesSinceTag = 0;
      this.#depth -= 1;
      handler.close?.(localName(tag.name));
    });
    parser.on('text', (text) => handler.text?.(text));
    parser.on('cdata', (text) => handler.text?.(text));
  }

  write(chunk: Buffer): void {
    this.#decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true });
    this.#bytesSinceTag += chunk.length;
    this.#parser.write(this.#decode(chunk, true));
    if (this.#bytesSinceTag > BYTES_WITHOUT_TAG) throw cellTooLong(this.#limits);
  }

  end(): void {
    const rest = this.#decode(Buffer.alloc(0), false);
    if (rest !== '') this.#parser.write(rest);
    this.#parser.close();
  }

  #decode(chunk: Buffer, stream: boolean): string {
    try {
      return this.#decoder?.decode(chunk, { stream }) ?? '';
    } catch (error) {
      throw this.#document.damaged('there are bytes in it that are no text', { cause: error });
    }
  }
}

function encodingOf(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

/** The error of a text that is longer than any spreadsheet program's cell can be. */
export function cellTooLong(limits: InputLimits, row?: number): InputError {
  return limitExceeded(
    `a text is longer than ${limits.cellCharacters} characters${row === undefined ? '' : ` in row ${row}`}`,
    'shorten it, or remove its column',
    row === undefined ? {} : { row },
  );
}

/** Reads a whole part. */
export async function readXml(
  chunks: AsyncIterable<Buffer>,
  handler: XmlHandler,
  limits: InputLimits,
): Promise<void> {
  const reader = new XmlReader(handler, limits);
  for await (const chunk of chunks) reader.write(chunk);
  reader.end();
}
