/* The encoding of a web page, by its bytes and by what it says of itself. */

import {
  EncodingDetector,
  type FoundEncoding,
  isDetermined,
  statedEncoding,
  type TextEncoding,
} from '../../csv/encoding.ts';
import { InputError } from '../../file/input-error.ts';

/** How far a page is searched for the name of its encoding. */
const HEAD_BYTES = 4096;

/** Labels that browsers read as another encoding, which has more letters in the same places. */
const readAs: readonly (readonly [RegExp, string])[] = [
  [/^(?:iso-?8859-?1|latin-?1|us-ascii|ascii|cp-?1252|x-cp1252)$/, 'windows-1252'],
  [/^(?:iso-?8859-?9|latin-?5|x-cp1254)$/, 'windows-1254'],
  [/^(?:iso-?8859-?11|tis-?620)$/, 'windows-874'],
  [/^x-mac-roman$/, 'macintosh'],
];

/** The encoding that a page names in its head; null where it names none. */
function charsetIn(head: Buffer): string | null {
  const text = head.toString('latin1').replaceAll('\0', '');
  const found =
    /<meta\b[^>]{0,1000}?\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(text) ??
    /^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(text);
  return found?.[1] ?? null;
}

/** The encoding that a page states; null where it is unknown, or is UTF-8, which the bytes themselves show. */
async function statedByPage(charset: string | null): Promise<TextEncoding | null> {
  if (charset === null) return null;
  const label = charset.toLowerCase();
  if (/^(?:x-)?(?:utf|ucs|unicode)/.test(label)) return null;
  const name = readAs.find(([labels]) => labels.test(label))?.[1] ?? label;
  try {
    return { ...(await statedEncoding(name)), notes: [`read as ${name}, as the page says`] };
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

/**
 * Whether the bytes show the encoding: a mark, NUL bytes, or letters that are valid UTF-8 for the most part. Some
 * programs state another one.
 */
function isShown(found: FoundEncoding): found is TextEncoding {
  return isDetermined(found) && /^utf-?(?:8|16)/i.test(found.name);
}

/**
 * What the bytes of a page say counts first, then what it states, then what its words look like.
 *
 * @param charset - as the header of the part of a web archive states it
 */
export async function encodingOfPage(
  bytes: AsyncIterable<Buffer>,
  charset: string | null,
): Promise<FoundEncoding> {
  const detector = new EncodingDetector();
  let head = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (head.length < HEAD_BYTES) {
      head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)]);
    }
    detector.add(chunk);
  }
  const found = await detector.finish();
  if (isShown(found)) return found;
  return (await statedByPage(charset ?? charsetIn(head))) ?? found;
}
