/* The append-only journal of a sandbox on disk: answers and changes. */

import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, ftruncateSync, openSync, read, readSync, writeSync } from 'node:fs';

/** The stored facts about one answer or change, at the beginning of a journal line. */
export interface RecordHeader {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly mode: SandboxMode;
  readonly kind: ObjectKind | 'kyc' | 'limits';
  readonly key?: string;
  readonly fingerprint?: number;
  /** The attempt that was answered; earlier attempts had a fault. */
  readonly attempt?: number;
  readonly status?: number;
  readonly id?: string;
  readonly natural?: number;
  readonly customer?: string;
  readonly kyc?: KycStatus;
  readonly limits?: readonly [min: number, max: number];
}

/** The position of an answer's bytes in the journal. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

const OBJECT = ',"object":';
const ANSWER = ',"answer":';
const CHUNK_BYTES = 4 * 1024 * 1024;

/**
 * The sandbox's append-only journal: JSON lines. All lines of one turn of the event loop are written at once. An answer is
 * sent after its line was written, so a killed sandbox loses no sent answer. The file is not synced, so a power failure may
 * lose the last lines.
 */
export class Journal {
  readonly #file: number;
  #sizeInBytes: number;
  #waiting: { line: string; done: (error: Error | undefined) => void }[] = [];
  #failure: Error | undefined;

  /**
   * Opens the journal, passes every line's header to `replay`, and cuts off an incomplete last line.
   *
   * @throws Error when a complete line cannot be read, since another program has changed the file
   */
  constructor(path: string, replay: (header: RecordHeader, answer: Span) => void) {
    this.#file = openSync(path, 'a+', 0o600);
    this.#sizeInBytes = replayLines(this.#file, path, replay);
    if (fstatSync(this.#file).size > this.#sizeInBytes) ftruncateSync(this.#file, this.#sizeInBytes);
  }

  /**
   * Adds one line. `done` is called after it was passed to the operating system.
   *
   * @param answer the body that was answered, JSON on one line
   * @param object the object as JSON, if the answer does not show all of it
   * @returns the position that the answer will have
   */
  append(
    header: RecordHeader,
    answer: string,
    object: string | undefined,
    done: (error: Error | undefined) => void,
  ): Span {
    const start =
      JSON.stringify(header).slice(0, -1) + (object === undefined ? '' : OBJECT + object) + ANSWER;
    const span = {
      offset: this.#sizeInBytes + Buffer.byteLength(start),
      length: Buffer.byteLength(answer),
    };
    this.#sizeInBytes = span.offset + span.length + 2;
    this.#waiting.push({ line: `${start}${answer}}\n`, done });
    if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    return span;
  }

  /** Reads an answer again. */
  read(span: Span, done: (error: Error | null, answer: Buffer) => void): void {
    read(this.#file, Buffer.allocUnsafe(span.length), 0, span.length, span.offset, (error, _count, bytes) => {
      done(error, bytes);
    });
  }

  /** All complete lines written so far, a few thousand at a time. */
  async *lines(): AsyncGenerator<string[]> {
    const end = fstatSync(this.#file).size;
    let rest = Buffer.alloc(0);
    for (let position = 0; position < end; ) {
      const chunk = await this.#readChunk(position, Math.min(CHUNK_BYTES, end - position));
      position += chunk.length;
      const bytes = Buffer.concat([rest, chunk]);
      const cut = bytes.lastIndexOf(10) + 1;
      rest = bytes.subarray(cut);
      if (cut > 0) {
        yield bytes.toString('utf8', 0, cut - 1).split('\n');
      }
    }
  }

  close(): void {
    this.#flush();
    closeSync(this.#file);
  }

  #readChunk(position: number, length: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      read(this.#file, Buffer.allocUnsafe(length), 0, length, position, (error, count, bytes) => {
        if (error) reject(error);
        else resolve(bytes.subarray(0, count));
      });
    });
  }

  #flush(): void {
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    // After a failed write the file may end in an incomplete line. Nothing may follow it, so that a restart can drop
    // it.
    if (this.#failure === undefined) {
      try {
        writeWhole(this.#file, Buffer.from(group.map((entry) => entry.line).join('')));
      } catch (error) {
        this.#failure = error instanceof Error ? error : new Error(String(error));
      }
    }
    for (const entry of group) entry.done(this.#failure);
  }
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written);
  }
}

/** @returns the length of the file up to the end of its last complete line */
function replayLines(
  file: number,
  path: string,
  replay: (header: RecordHeader, answer: Span) => void,
): number {
  let rest: Buffer = Buffer.alloc(0);
  let offset = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const count = readSync(file, chunk, 0, CHUNK_BYTES, offset + rest.length);
    if (count === 0) return offset;
    const bytes = Buffer.concat([rest, chunk.subarray(0, count)]);
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      replayLine(bytes.subarray(start, end), offset + start, path, replay);
      start = end + 1;
    }
    offset += start;
    rest = bytes.subarray(start);
  }
}

/**
 * Reads a line. The first mark in a line is the real one, since quotation marks in values are escaped and no field has this
 * name.
 */
function replayLine(
  line: Buffer,
  offset: number,
  path: string,
  replay: (header: RecordHeader, answer: Span) => void,
): void {
  const answerMark = line.indexOf(ANSWER);
  const objectMark = line.subarray(0, Math.max(answerMark, 0)).indexOf(OBJECT);
  const headerEnd = objectMark === -1 ? answerMark : objectMark;
  let header: RecordHeader;
  try {
    header = JSON.parse(`${line.toString('utf8', 0, Math.max(headerEnd, 0))}}`) as RecordHeader;
  } catch {
    throw new Error(
      `${path} is damaged at byte ${offset}: move the data folder away to begin with a new one`,
    );
  }
  const answerStart = answerMark + ANSWER.length;
  replay(header, { offset: offset + answerStart, length: line.length - answerStart - 1 });
}

export const MODES = ['sandbox', 'live'] as const;
export type SandboxMode = (typeof MODES)[number];

export const KINDS = ['customers', 'accounts', 'collections', 'external_accounts'] as const;
export type ObjectKind = (typeof KINDS)[number];

export const KYC_STATUSES = ['pending', 'passed', 'failed'] as const;
export type KycStatus = (typeof KYC_STATUSES)[number];
