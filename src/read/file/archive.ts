/* Reads zip archives part by part, within limits. */

import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { cutFile, damagedFile, InputError, type InputLimits, limitExceeded } from './input-error.ts';
import { assertInflation, isZlibError } from './signature.ts';

const STORED = 0;
const DEFLATED = 8;

/** The error of a workbook that cannot be read without its password. */
export function encryptedFile(): InputError {
  return new InputError(
    'encrypted_file',
    'The workbook is protected with a password.',
    'open it in a spreadsheet program, remove the password and save it again',
  );
}

/**
 * A zip archive, read part by part and within limits on the bytes that are really unpacked. Names are looked up
 * without regard to case, and never used as paths.
 */
export class Archive {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  /** By name in lower case; null where several parts have that name. */
  readonly #inLowerCase = new Map<string, Entry | null>();
  readonly #limits: InputLimits;
  #inflatedBytes = 0;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, limits: InputLimits) {
    this.#zip = zip;
    this.#entries = entries;
    this.#limits = limits;
    for (const [name, entry] of entries) {
      const key = name.toLowerCase();
      this.#inLowerCase.set(key, this.#inLowerCase.has(key) ? null : entry);
    }
  }

  static async open(file: string, limits: InputLimits): Promise<Archive> {
    let zip: ZipFile;
    try {
      zip = await openPromise(file, { autoClose: false, lazyEntries: true });
    } catch (error) {
      throw isEndMissing(error)
        ? cutFile('the end of the archive that a workbook is made of is missing', { cause: error })
        : damagedFile('it is not a whole archive', { cause: error });
    }
    try {
      return new Archive(zip, await listEntries(zip, limits), limits);
    } catch (error) {
      zip.close();
      throw error instanceof InputError
        ? error
        : damagedFile('its list of contents cannot be read', { cause: error });
    }
  }

  get names(): Iterable<string> {
    return this.#entries.keys();
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** The part of exactly that name, else the one whose name differs only in case. */
  #find(name: string): Entry | undefined {
    const found = this.#entries.get(name) ?? this.#inLowerCase.get(name.toLowerCase());
    if (found === null) throw damagedFile('two of its parts have the same name');
    return found;
  }

  /** The unpacked size that a part declares, in bytes; 0 when there is no such part. */
  sizeOf(name: string): number {
    return this.#find(name)?.uncompressedSize ?? 0;
  }

  /**
   * A part's bytes. Its checksum is checked at the end, so do not rely on earlier bytes before that.
   *
   * @throws InputError when the part is missing, damaged or beyond a limit
   */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#find(name);
    if (entry === undefined) throw damagedFile('a part that it names is missing');
    // The real output is counted below. A part that already declares too much is not unpacked at all.
    assertInflation(entry.uncompressedSize, entry.compressedSize, this.#limits);
    let bytes = 0;
    let checksum = 0;
    try {
      const stream = await this.#zip.openReadStreamPromise(entry);
      for await (const chunk of stream) {
        const buffer = chunk as Buffer;
        bytes += buffer.length;
        this.#inflatedBytes += buffer.length;
        assertInflation(bytes, entry.compressedSize, this.#limits);
        assertInflation(this.#inflatedBytes, Number.POSITIVE_INFINITY, this.#limits);
        checksum = crc32(buffer, checksum);
        yield buffer;
      }
    } catch (error) {
      throw error instanceof InputError ? error : partError(error);
    }
    if (checksum !== entry.crc32) throw damagedFile('the checksum of one of its parts is wrong');
  }

  close(): void {
    this.#zip.close();
  }
}

/** The directory of an archive is at its end. */
function isEndMissing(error: unknown): boolean {
  return error instanceof Error && /end of central directory/i.test(error.message);
}

function partError(error: unknown): unknown {
  // Errors of yauzl have no code; those of the system and of paybatch have one, or are of another class.
  const isFromLibrary = error instanceof Error && error.constructor === Error && !('code' in error);
  if (!isFromLibrary && !isZlibError(error)) return error;
  return damagedFile('one of its parts cannot be unpacked', { cause: error });
}

async function listEntries(zip: ZipFile, limits: InputLimits): Promise<Map<string, Entry>> {
  if (zip.entryCount > limits.archiveEntries) {
    throw limitExceeded(
      `there are more than ${limits.archiveEntries} parts in it`,
      'save the list again as a workbook of its own, or as CSV UTF-8',
    );
  }
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) throw encryptedFile();
    if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
      throw damagedFile('it is compressed in a way that workbooks do not use');
    }
    // Readers differ in which of two parts of the same name they use, so such a file is ambiguous.
    if (entries.has(entry.fileName)) throw damagedFile('two of its parts have the same name');
    entries.set(entry.fileName, entry);
  }
  return entries;
}
