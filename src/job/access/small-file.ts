import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Why a file was not read to its end; the message ends a sentence that begins with the file. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
}

/** Settings, mappings and rules: values of an API's whole list of institutions fit into it many times. */
const mostBytesOfSettings = 16 * 1024 * 1024;

/** The longest key that any header can carry. */
const mostBytesOfSecret = 16 * 1024;

/**
 * The text of a file with settings. A pipe will do, but nothing without an end.
 * @throws UnusableFile when it is too large; the system's error when it cannot be read
 */
export function readSettingsFile(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    return readAtMost(descriptor, mostBytesOfSettings, '16 MiB');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The text of a file with a secret: a regular file, or a symbolic link to one, as Kubernetes mounts them. A pipe could
 * be read only once, and the key is needed more often; a device has no end.
 * @throws UnusableFile when it is something else, or too large; the system's error when it cannot be read. Neither is
 *   to be shown as it is: what was given as a path may be the secret itself
 */
export function readSecretFile(path: string): string {
  // To open a pipe that nobody writes to would wait for ever.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new UnusableFile('is no regular file');
    return readAtMost(descriptor, mostBytesOfSecret, '16 KiB');
  } finally {
    closeSync(descriptor);
  }
}

/** Whatever size the system tells: that of many a file in `/proc` is 0. */
function readAtMost(descriptor: number, mostBytes: number, limit: string): string {
  const bytes = Buffer.alloc(mostBytes + 1);
  let length = 0;
  for (;;) {
    const read = readSync(descriptor, bytes, length, bytes.length - length, null);
    length += read;
    if (length > mostBytes) throw new UnusableFile(`holds more than ${limit}`);
    if (read === 0) return bytes.toString('utf8', 0, length);
  }
}
