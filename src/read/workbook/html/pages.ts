/*
 * The web pages in a file: the file itself, or the parts of a web archive (`.mht`), which is a MIME message. A page of
 * Excel lists its sheets.
 */

import {
  cutFile,
  damagedFile,
  describeBytes,
  type InputLimits,
  limitExceeded,
} from '../../file/input-error.ts';

/** What a part of a file says of itself. */
interface PartStart {
  readonly kind: 'page' | 'style';
  /** The address that it was saved from; empty where none is stated. */
  readonly location: string;
  /** As the header of the part states it; null where it does not. */
  readonly charset: string | null;
}

/** A page or a style sheet, whose bytes are read before the next one. */
interface PagePart extends PartStart {
  readonly bytes: AsyncIterable<Buffer>;
}

type Piece = PartStart | Buffer;

const TAB = 0x09;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const CHUNK_BYTES = 64 * 1024;
const HEADER_BYTES = 64 * 1024;
const BOUNDARIES = 16;

const damagedArchive = (what: string) => damagedFile(`it is a web archive, and ${what}`);

/** A line without its end. */
type Line = Buffer;

async function* linesOf(bytes: AsyncIterable<Buffer>, limits: InputLimits): AsyncGenerator<Line> {
  let begun = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const text = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
    let at = 0;
    for (let end = text.indexOf(LINE_FEED); end !== -1; end = text.indexOf(LINE_FEED, at)) {
      yield text.subarray(at, text[end - 1] === CARRIAGE_RETURN && end > at ? end - 1 : end);
      at = end + 1;
    }
    begun = Buffer.from(text.subarray(at));
    if (begun.length > limits.recordBytes) {
      throw limitExceeded(
        `one of its lines is longer than ${describeBytes(limits.recordBytes)}`,
        'open it in a spreadsheet program and save it as .xlsx or as CSV UTF-8',
      );
    }
  }
  if (begun.length > 0) yield begun;
}

/** The headers of a message or of a part, with names in lower case. */
class Headers {
  #text = '';

  add(line: Line): void {
    const text = line.toString('latin1');
    this.#text += /^[ \t]/.test(text) ? ` ${text.trim()}` : `\n${text}`;
    if (this.#text.length > HEADER_BYTES) throw damagedArchive('its headers do not end');
  }

  value(name: string): string {
    return new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(this.#text)?.[1]?.trim() ?? '';
  }

  /** A parameter of the content type, without its quotes. */
  parameter(name: string): string | null {
    const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^;\\s]+))`, 'i').exec(
      this.value('content-type'),
    );
    return found?.[1] ?? found?.[2] ?? null;
  }

  get type(): string {
    return this.value('content-type').split(';')[0]?.trim().toLowerCase() ?? '';
  }
}

/** Turns the lines of a part back into its bytes. */
type Decoder = (line: Line) => Buffer;

const NEW_LINE = Buffer.from('\n');

function quotedPrintable(line: Line): Buffer {
  let end = line.length;
  while (end > 0 && (line[end - 1] === SPACE || line[end - 1] === TAB)) end -= 1;
  const text = line.toString('latin1', 0, end);
  const isSoft = text.endsWith('=');
  const bytes = (isSoft ? text.slice(0, -1) : text).replace(/=([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return Buffer.from(isSoft ? bytes : `${bytes}\n`, 'latin1');
}

/** Characters are taken in groups of four, which may be split across lines. */
function base64(): Decoder {
  let rest = '';
  return (line) => {
    const text = rest + line.toString('latin1').replace(/\s+/g, '');
    if (/[^A-Za-z0-9+/=]/.test(text)) throw damagedArchive('one of its parts is not in base64, as it says');
    const whole = text.length - (text.length % 4);
    rest = text.slice(whole);
    return Buffer.from(text.slice(0, whole), 'base64');
  };
}

function decoderOf(headers: Headers): Decoder {
  switch (headers.value('content-transfer-encoding').toLowerCase()) {
    case 'quoted-printable':
      return quotedPrintable;
    case 'base64':
      return base64();
    case '':
    case '7bit':
    case '8bit':
    case 'binary':
      return (line) => Buffer.concat([line, NEW_LINE]);
    default:
      throw damagedArchive('one of its parts is encoded in an unknown way');
  }
}

/** Excel saves the tabs of the sheets as a page of their own, with the names of the sheets in a table. */
const TABS_OF_SHEETS = /(?:^|[\\/])tabstrip\.html?$/i;

function partOf(headers: Headers): PartStart | null {
  const location = headers.value('content-location');
  const charset = headers.parameter('charset');
  if (headers.type === 'text/css') return { kind: 'style', location, charset };
  const isPage = headers.type === 'text/html' || headers.type === 'application/xhtml+xml';
  return isPage && !TABS_OF_SHEETS.test(location) ? { kind: 'page', location, charset } : null;
}

/** The pages and style sheets of a web archive; all other parts are passed over. */
async function* partsOfArchive(bytes: AsyncIterable<Buffer>, limits: InputLimits): AsyncGenerator<Piece> {
  const boundaries: string[] = [];
  let headers: Headers | null = new Headers();
  let decoder: Decoder | null = null;
  let parts = 0;
  let isClosed = false;
  let chunk: Buffer[] = [];
  let chunkBytes = 0;
  for await (const line of linesOf(bytes, limits)) {
    const mark = boundaries.length > 0 ? boundaryMark(line, boundaries) : null;
    if (mark !== null) {
      if (chunk.length > 0) yield Buffer.concat(chunk);
      [chunk, chunkBytes, decoder] = [[], 0, null];
      isClosed = mark === 'end';
      headers = mark === 'end' ? null : new Headers();
    } else if (headers !== null && line.length > 0) {
      headers.add(line);
    } else if (headers !== null) {
      parts += 1;
      if (parts > limits.archiveEntries) throw damagedArchive('there are too many parts in it');
      const boundary = headers.parameter('boundary');
      if (headers.type.startsWith('multipart/') && boundary !== null) boundaries.push(boundary);
      if (boundaries.length > BOUNDARIES) throw damagedArchive('its parts are nested too deeply');
      const part = partOf(headers);
      decoder = part === null ? null : decoderOf(headers);
      headers = null;
      if (part !== null) yield part;
    } else if (decoder !== null) {
      const decoded = decoder(line);
      chunk.push(decoded);
      chunkBytes += decoded.length;
      if (chunkBytes >= CHUNK_BYTES) {
        yield Buffer.concat(chunk);
        [chunk, chunkBytes] = [[], 0];
      }
    }
  }
  if (boundaries.length > 0 && !isClosed) throw cutFile('the end of the web archive is missing');
  if (chunk.length > 0) yield Buffer.concat(chunk);
}

/** Whether a line is between two parts, or behind the last one; null for any other line. */
function boundaryMark(line: Line, boundaries: readonly string[]): 'next' | 'end' | null {
  if (line[0] !== 0x2d || line[1] !== 0x2d) return null;
  const text = line.toString('latin1').trimEnd();
  if (boundaries.some((boundary) => text === `--${boundary}`)) return 'next';
  return boundaries.some((boundary) => text === `--${boundary}--`) ? 'end' : null;
}

async function* onePage(bytes: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  yield { kind: 'page', location: '', charset: null };
  yield* bytes;
}

/**
 * The pages and style sheets of a file, in its order.
 *
 * @throws InputError when a web archive is damaged or ends too early
 */
export async function* pagesIn(
  bytes: AsyncIterable<Buffer>,
  format: 'html' | 'mht',
  limits: InputLimits,
): AsyncGenerator<PagePart> {
  const pieces = format === 'mht' ? partsOfArchive(bytes, limits) : onePage(bytes);
  try {
    let next = await pieces.next();
    const rest = async function* (): AsyncGenerator<Buffer> {
      for (next = await pieces.next(); next.done !== true && Buffer.isBuffer(next.value); ) {
        yield next.value;
        next = await pieces.next();
      }
    };
    while (next.done !== true) {
      if (Buffer.isBuffer(next.value)) throw new Error('bytes that belong to no part');
      const content = rest();
      yield { ...next.value, bytes: content };
      // What was not read has to be passed over before the next part begins.
      for await (const _ of content);
    }
  } finally {
    await pieces.return(undefined);
  }
}

/* The sheets that Excel lists in a page. */

/** A sheet as Excel lists it in the head of a page. */
export interface ListedSheet {
  readonly name: string;
  readonly isHidden: boolean;
}

/** Further tables are refused, and further sheets of a list are left out. */
export const MOST_SHEETS = 1000;

/** The sheets in the part of a page that only Office programs read. */
export function listedSheets(comment: string): ListedSheet[] {
  const sheets: ListedSheet[] = [];
  for (const sheet of comment.split(/<x:ExcelWorksheet>/i, MOST_SHEETS + 1).slice(1)) {
    const name = /<x:Name>([^<]{1,255})<\/x:Name>/i.exec(sheet)?.[1];
    if (name === undefined) continue;
    sheets.push({ name: decoded(name).trim(), isHidden: /<x:Visible>\s*Sheet(?:Very)?Hidden/i.test(sheet) });
  }
  return sheets;
}

function decoded(text: string): string {
  const letters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
  return text.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => letters[name] ?? '');
}
