import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { damagedFile, InputError, limitExceeded } from './input-error.ts';
import { describeBytes, type InputLimits, RATIO_FREE_BYTES } from './limits.ts';

/** @returns whether the bytes begin as a gzip file does */
export function isGzip(start: Buffer): boolean {
  return start[0] === 0x1f && start[1] === 0x8b;
}

/** What is inside a gzip file, within the limits on what comes out of it. */
export async function* gunzip(
  compressed: AsyncIterable<Buffer>,
  compressedBytes: number,
  limits: InputLimits,
): AsyncGenerator<Buffer> {
  let inflatedBytes = 0;
  // The callback is there only because an unhandled failure would end the program: iterating rethrows it.
  const inflated = pipeline(Readable.from(compressed), createGunzip(), () => {});
  try {
    for await (const chunk of inflated) {
      const buffer = chunk as Buffer;
      inflatedBytes += buffer.length;
      assertInflation(inflatedBytes, compressedBytes, limits);
      yield buffer;
    }
  } catch (error) {
    throw isZlibError(error)
      ? damagedFile('its compressed content cannot be unpacked', { cause: error })
      : error;
  }
}

/** @returns whether the error came from unpacking, and not from reading or from a limit */
export function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

/** @throws InputError when a compressed part has grown more than it may */
export function assertInflation(inflatedBytes: number, compressedBytes: number, limits: InputLimits): void {
  if (inflatedBytes > limits.inflatedBytes) {
    throw limitExceeded(
      `its content is larger than ${describeBytes(limits.inflatedBytes)}`,
      'Split it into several files.',
    );
  }
  if (inflatedBytes > RATIO_FREE_BYTES && inflatedBytes > compressedBytes * limits.inflationRatio) {
    throw new InputError(
      'suspicious_compression',
      `The file unpacks to more than ${limits.inflationRatio} times its size, as files made to do harm do.`,
      'If it is a real list, save it as a CSV file that is not compressed.',
    );
  }
}
