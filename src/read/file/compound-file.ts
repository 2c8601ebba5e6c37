/* The compound file, in which old Office files, and encrypted ones, have their parts. */

import { damagedFile } from './input-error.ts';

const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const MINI_SECTOR_BYTES = 64;
const ADDRESSES_IN_HEADER = 109;
/** Higher numbers are not sectors, but mark the end of a chain, a free sector, or a part of the table itself. */
const LAST_SECTOR = 0xfffffffa;
const NO_ENTRY = 0xffffffff;
const STREAM = 2;

interface Entry {
  readonly name: string;
  readonly isStream: boolean;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly bytes: number;
}

function damaged(): Error {
  return damagedFile('its parts do not hang together');
}

/**
 * The top-level streams of a compound file, the format of old Office files. A chain of sectors is followed only for
 * as many steps as the file has sectors, so a circular one is noticed.
 */
export class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sectorBytes: number;
  readonly #sectorCount: number;
  readonly #miniCutoff: number;
  readonly #table: Buffer;
  readonly #entries: readonly Entry[];

  /** @throws InputError when the bytes contradict each other */
  constructor(bytes: Buffer) {
    const shift = bytes.length < HEADER_BYTES ? 0 : bytes.readUInt16LE(30);
    if (shift !== 9 && shift !== 12) throw damaged();
    this.#bytes = bytes;
    this.#sectorBytes = 2 ** shift;
    this.#sectorCount = Math.ceil(bytes.length / this.#sectorBytes) - 1;
    this.#miniCutoff = bytes.readUInt32LE(56);
    this.#table = Buffer.concat(this.#tableSectors().map((sector) => this.#sector(sector)));
    this.#entries = readEntries(this.#chained(bytes.readUInt32LE(48)));
  }

  /** The top-level stream of that name, without regard to case, or null. */
  stream(name: string): Buffer | null {
    const wanted = name.toLowerCase();
    const entry = this.#top().find((each) => each.isStream && each.name.toLowerCase() === wanted);
    if (entry === undefined) return null;
    const content = entry.bytes < this.#miniCutoff ? this.#mini(entry) : this.#chained(entry.start);
    if (content.length < entry.bytes) throw damagedFile('it is cut off');
    return content.subarray(0, entry.bytes);
  }

  /** The children of the root are a tree of siblings. */
  #top(): Entry[] {
    const found = new Set<Entry>();
    const left = [this.#entries[0]?.child ?? NO_ENTRY];
    for (let index = left.pop(); index !== undefined; index = left.pop()) {
      if (index === NO_ENTRY) continue;
      const entry = this.#entries[index];
      if (entry === undefined || found.has(entry)) throw damaged();
      found.add(entry);
      left.push(entry.left, entry.right);
    }
    return [...found];
  }

  #sector(index: number): Buffer {
    const start = (index + 1) * this.#sectorBytes;
    if (index >= this.#sectorCount) throw damagedFile('it is cut off');
    return this.#bytes.subarray(start, start + this.#sectorBytes);
  }

  /** The sectors of the table that links each sector to the next one. */
  #tableSectors(): number[] {
    const addresses = wordsOf(this.#bytes.subarray(76, 76 + ADDRESSES_IN_HEADER * 4));
    let next = this.#bytes.readUInt32LE(68);
    for (let count = 0; next < LAST_SECTOR; count += 1) {
      if (count > this.#sectorCount) throw damaged();
      const words = wordsOf(this.#sector(next));
      next = words.pop() ?? LAST_SECTOR;
      addresses.push(...words);
    }
    const sectors = addresses.filter((address) => address < LAST_SECTOR);
    if (sectors.length > this.#sectorCount) throw damaged();
    return sectors;
  }

  #chained(start: number): Buffer {
    const sectors: Buffer[] = [];
    for (let sector = start; sector < LAST_SECTOR; sector = wordAt(this.#table, sector)) {
      if (sectors.length >= this.#sectorCount) throw damaged();
      sectors.push(this.#sector(sector));
    }
    return Buffer.concat(sectors);
  }

  /** Short streams are kept in a special stream, in small sectors. */
  #mini(entry: Entry): Buffer {
    const store = this.#chained(this.#entries[0]?.start ?? NO_ENTRY);
    const table = this.#chained(this.#bytes.readUInt32LE(60));
    const sectors: Buffer[] = [];
    for (let sector = entry.start; sector < LAST_SECTOR; sector = wordAt(table, sector)) {
      const start = sector * MINI_SECTOR_BYTES;
      if (start >= store.length || sectors.length > store.length / MINI_SECTOR_BYTES) throw damaged();
      sectors.push(store.subarray(start, start + MINI_SECTOR_BYTES));
    }
    return Buffer.concat(sectors);
  }
}

function wordsOf(bytes: Buffer): number[] {
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32LE(index * 4));
}

function wordAt(table: Buffer, index: number): number {
  if ((index + 1) * 4 > table.length) throw damaged();
  return table.readUInt32LE(index * 4);
}

function readEntries(directory: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= directory.length; at += ENTRY_BYTES) {
    const entry = directory.subarray(at, at + ENTRY_BYTES);
    const nameBytes = Math.min(Math.max(entry.readUInt16LE(64) - 2, 0), 62);
    entries.push({
      name: entry.toString('utf16le', 0, nameBytes),
      isStream: entry[66] === STREAM,
      left: entry.readUInt32LE(68),
      right: entry.readUInt32LE(72),
      child: entry.readUInt32LE(76),
      start: entry.readUInt32LE(116),
      bytes: entry.readUInt32LE(120),
    });
  }
  return entries;
}
