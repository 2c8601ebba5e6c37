import { crc32, deflateRawSync } from 'node:zlib';

/** One file of an archive. */
export interface ArchivePart {
  readonly name: string;
  readonly text: string;
}

const DEFLATED = 8;
const NAMES_ARE_UTF8 = 0x0800;
const VERSION_NEEDED = 20;
/** 1 January 1980, the earliest day there is: the same content gives the same bytes whenever it is written. */
const DOS_DATE = 0x0021;

/** What the local header and the central directory say alike about a part. */
function sharedHeader(name: Buffer, data: Buffer, packed: Buffer): Buffer {
  const header = Buffer.alloc(26);
  header.writeUInt16LE(VERSION_NEEDED, 0);
  header.writeUInt16LE(NAMES_ARE_UTF8, 2);
  header.writeUInt16LE(DEFLATED, 4);
  header.writeUInt16LE(DOS_DATE, 8);
  header.writeUInt32LE(crc32(data), 10);
  header.writeUInt32LE(packed.length, 14);
  header.writeUInt32LE(data.length, 18);
  header.writeUInt16LE(name.length, 22);
  return header;
}

/** A zip archive in memory, for a few small parts (APPNOTE 6.3, without its extensions for large files). */
export function zipArchive(parts: readonly ArchivePart[]): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const name = Buffer.from(part.name, 'utf8');
    const data = Buffer.from(part.text, 'utf8');
    const packed = deflateRawSync(data);
    const shared = sharedHeader(name, data, packed);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, name, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    const version = Buffer.from([VERSION_NEEDED, 0]);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), version, shared, rest, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
