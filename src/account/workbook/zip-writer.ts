/* Writes zip archives part by part, in constant memory. */

import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

/** Receives an archive's bytes, piece by piece. */
export type ByteSink = (bytes: Buffer) => Promise<void>;

const DEFLATED = 8;
/** Bit 3: sizes and checksum follow the data, because they are not known before. Bit 11: names are UTF-8. */
const SIZES_FOLLOW_NAMES_ARE_UTF8 = 0x0808;
const VERSION_NEEDED = 20;
/**
 * 1 January 1980, the earliest possible day. A fixed day makes the same content result in the same bytes at any time.
 */
const DOS_DATE = 0x0021;
/** Without the format's extensions for large files, sizes and positions have 32 bits. */
const MOST_BYTES = 0xffff_ffff;
const CHUNK_CHARACTERS = 256 * 1024;
/** A higher level costs more time than it is worth for a workbook. */
const COMPRESSION_LEVEL = 4;

const deflate = promisify(deflateRaw);

/** An archive would become larger than its format allows. */
export class ArchiveTooLarge extends Error {
  override readonly name = 'ArchiveTooLarge';
}

interface PartState {
  readonly name: Buffer;
  readonly offset: number;
  crc: number;
  size: number;
  packed: number;
}

/** A part that is being written. */
export interface PartWriter {
  /** @returns null if there is nothing to wait for */
  readonly write: (text: string) => Promise<void> | null;
  readonly close: () => Promise<void>;
}

/**
 * A zip archive that is written part by part, each piece by piece (APPNOTE 6.3, without its extensions for large
 * files): memory does not grow with it. Only one part is open at a time.
 */
export class ZipWriter {
  readonly #sink: ByteSink;
  readonly #parts: PartState[] = [];
  #offset = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Writes a whole part. @throws ArchiveTooLarge */
  async add(name: string, text: string): Promise<void> {
    const part = await this.open(name);
    await part.write(text);
    await part.close();
  }

  /** Begins a part. @throws ArchiveTooLarge, as writing to it does */
  async open(name: string): Promise<PartWriter> {
    const part = { name: Buffer.from(name, 'utf8'), offset: this.#offset, crc: 0, size: 0, packed: 0 };
    await this.#put(Buffer.from('PK\x03\x04', 'latin1'), header(part, false), part.name);
    // One chunk is packed while the next chunk is collected.
    let pending = '';
    let packing: Promise<void> = Promise.resolve();
    const pack = async (isLast: boolean): Promise<void> => {
      const data = Buffer.from(pending, 'utf8');
      pending = '';
      await packing;
      packing = this.#putPacked(part, data, isLast);
      // The next call that waits throws this failure, so it is not reported as unhandled here.
      packing.catch(() => {});
    };
    return {
      write: (text) => {
        pending += text;
        return pending.length >= CHUNK_CHARACTERS ? pack(false) : null;
      },
      close: async () => {
        await pack(true);
        await packing;
        const sizes = header(part, true).subarray(10, 22);
        await this.#put(Buffer.from('PK\x07\x08', 'latin1'), sizes);
        this.#parts.push(part);
      },
    };
  }

  /** Writes the directory, without which the archive cannot be read. */
  async finish(): Promise<void> {
    const start = this.#offset;
    for (const part of this.#parts) {
      const rest = Buffer.alloc(14);
      rest.writeUInt32LE(part.offset, 10);
      const version = Buffer.from([VERSION_NEEDED, 0]);
      await this.#put(Buffer.from('PK\x01\x02', 'latin1'), ...[version, header(part, true), rest, part.name]);
    }
    const end = Buffer.alloc(22);
    end.write('PK\x05\x06', 'latin1');
    end.writeUInt16LE(this.#parts.length, 8);
    end.writeUInt16LE(this.#parts.length, 10);
    end.writeUInt32LE(this.#offset - start, 12);
    end.writeUInt32LE(start, 16);
    await this.#put(end);
  }

  /** Chunks are packed separately. A flushed chunk ends at a byte boundary and refers to nothing before it. */
  async #putPacked(part: PartState, data: Buffer, isLast: boolean): Promise<void> {
    part.crc = crc32(data, part.crc);
    part.size += data.length;
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    const packed = await deflate(data, { level: COMPRESSION_LEVEL, finishFlush });
    part.packed += packed.length;
    if (part.size > MOST_BYTES) throw new ArchiveTooLarge();
    await this.#put(packed);
  }

  async #put(...pieces: readonly Buffer[]): Promise<void> {
    const bytes = Buffer.concat(pieces);
    this.#offset += bytes.length;
    if (this.#offset > MOST_BYTES) throw new ArchiveTooLarge();
    await this.#sink(bytes);
  }
}

/** The fields that the local header and the central directory share. */
function header({ name, crc, size, packed }: PartState, isKnown: boolean): Buffer {
  const bytes = Buffer.alloc(26);
  bytes.writeUInt16LE(VERSION_NEEDED, 0);
  bytes.writeUInt16LE(SIZES_FOLLOW_NAMES_ARE_UTF8, 2);
  bytes.writeUInt16LE(DEFLATED, 4);
  bytes.writeUInt16LE(DOS_DATE, 8);
  if (isKnown) {
    bytes.writeUInt32LE(crc, 10);
    bytes.writeUInt32LE(packed, 14);
    bytes.writeUInt32LE(size, 18);
  }
  bytes.writeUInt16LE(name.length, 22);
  return bytes;
}
