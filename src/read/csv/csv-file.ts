import type { InputLimits } from '../file/input-error.ts';
import { assertText, gunzip, isGzip, isLineEnd } from '../file/signature.ts';
import { assertUnchanged, type ByteSource, hashedBytes, ReadingShare } from '../file/source.ts';
import { emptyFile, findHeader, type RawRows, tableBelow } from '../rows/header.ts';
import type { InputFile, InputOptions, OpenedTable } from '../rows/input-table.ts';
import { csvRows, type TextEnd, withoutInstruction } from './csv-rows.ts';
import {
  type Delimiter,
  findDelimiter,
  findDialect,
  instructionLength,
  standardDialect,
  statedDelimiter,
} from './dialect.ts';
import {
  chooseEncoding,
  EncodingDetector,
  type FoundEncoding,
  isDetermined,
  statedEncoding,
  type TextEncoding,
  utf8Bytes,
} from './encoding.ts';

const SAMPLE_BYTES = 256 * 1024;

const noLineEnd = 'its last line has no line end, as in a file that was copied in part';

/** A CSV file as opened: its one table, and what `InputFile` has of it. */
type CsvFile = Required<Pick<InputFile, 'contentHash' | 'dialect' | 'hasLineEnd' | 'chosenEncoding'>> & {
  readonly table: OpenedTable;
};

function textBytes(
  source: ByteSource,
  limits: InputLimits,
  atEnd: (contentHash: string) => void,
  share?: ReadingShare,
): AsyncIterable<Buffer> {
  const bytes = hashedBytes(source, atEnd, share);
  return isGzip(source.start) ? gunzip(bytes, source.bytes, limits) : bytes;
}

/** The results of examining a whole file. */
interface Examined extends TextEnd {
  readonly contentHash: string;
  readonly encoding: FoundEncoding;
}

/** Reads the whole file once: its hash, its end, and the evidence of its bytes for its encoding. */
async function examine(
  source: ByteSource,
  limits: InputLimits,
  stated: TextEncoding | null,
): Promise<Examined> {
  let contentHash = '';
  const detector = new EncodingDetector();
  let isStart = true;
  let end = Buffer.alloc(0);
  for await (const chunk of textBytes(source, limits, (hash) => (contentHash = hash))) {
    if (isStart) assertText(chunk);
    isStart = false;
    if (stated === null) detector.add(chunk);
    end = Buffer.concat([end, chunk.subarray(-2)]).subarray(-2);
  }
  return { contentHash, hasLineEnd: isLineEnd(end), encoding: stated ?? (await detector.finish()) };
}

async function readSample(text: AsyncIterable<Buffer>): Promise<string> {
  let sample = Buffer.alloc(0);
  for await (const chunk of text) {
    sample = Buffer.concat([sample, chunk]);
    if (sample.length >= SAMPLE_BYTES) break;
  }
  return sample.toString();
}

function delimiterOf(sample: string, options: InputOptions): Delimiter {
  if (options.delimiter === undefined) return findDelimiter(sample, options.isHeader);
  return { character: statedDelimiter(options.delimiter), instructionLength: instructionLength(sample) };
}

/**
 * Opens a CSV file, compressed with gzip or not: reads it once to the end, and finds its encoding, delimiter,
 * dialect and header.
 */
export async function openCsv(
  source: ByteSource,
  options: InputOptions,
  limits: InputLimits,
): Promise<CsvFile> {
  const stated = options.encoding === undefined ? null : await statedEncoding(options.encoding);
  const { contentHash, encoding: found, hasLineEnd } = await examine(source, limits, stated);
  const share = new ReadingShare();
  const ignored = () => {};
  const readAs = async (encoding: TextEncoding, dialectOf: typeof findDialect) => {
    const text = (atEnd: (hash: string) => void) =>
      utf8Bytes(textBytes(source, limits, atEnd, share), encoding);
    const delimiter = delimiterOf(await readSample(text(ignored)), options);
    const { character, instructionLength } = delimiter;
    const records = () => withoutInstruction(text(ignored), instructionLength);
    const dialect = await dialectOf(records, character, options.isHeader, limits);
    const isSame = (hash: string) => assertUnchanged(contentHash, hash);
    const allRows = (): RawRows => csvRows(text(isSame), delimiter, dialect, limits, { hasLineEnd });
    return { header: await findHeader(allRows(), options.isHeader, limits), delimiter, dialect, allRows };
  };
  // In a wrong encoding half of a letter may look like a backslash before a quote.
  const headerIn = async (name: string): Promise<readonly string[]> =>
    (await readAs(await statedEncoding(name), async () => standardDialect)).header?.cells ?? [];
  const chosen = isDetermined(found) ? null : await chooseEncoding(found, headerIn, options);
  const encoding = isDetermined(found) ? found : await statedEncoding(chosen ?? '');
  const { header, delimiter, dialect, allRows } = await readAs(encoding, findDialect);
  if (header === null) throw emptyFile();
  const table = tableBelow(header, {
    sheet: null,
    notes: [...encoding.notes, ...dialect.notes, ...(hasLineEnd ? [] : [noLineEnd])],
    allRows,
    mergedRanges: async () => [],
    share,
    limits,
  });
  const read = { delimiter: delimiter.character, encoding: encoding.name };
  return { table, contentHash, dialect: read, hasLineEnd, chosenEncoding: chosen ?? undefined };
}
