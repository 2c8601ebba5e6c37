import { inflateRawSync } from 'node:zlib';

/** The parts of an archive whose local headers state their sizes, by name. */
export function unzip(archive: Buffer): Map<string, string> {
  const parts = new Map<string, string>();
  let at = 0;
  while (archive.readUInt32LE(at) === 0x04034b50) {
    const packed = archive.readUInt32LE(at + 18);
    const nameLength = archive.readUInt16LE(at + 26);
    const start = at + 30 + nameLength + archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 30, at + 30 + nameLength);
    parts.set(name, inflateRawSync(archive.subarray(start, start + packed)).toString('utf8'));
    at = start + packed;
  }
  return parts;
}
