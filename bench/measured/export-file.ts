import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';

/**
 * What the API would export of the objects that a batch has created.
 * @param objectsPath the batch's objects file
 */
export async function writeExport(objectsPath: string, path: string): Promise<void> {
  await pipeline(Readable.from(linesOf(objectsPath)), createWriteStream(path));
}

async function* linesOf(objectsPath: string): AsyncGenerator<string> {
  yield 'id,external_id\n';
  const objects = createReadStream(objectsPath).pipe(parse({ bom: true, columns: true }));
  for await (const { result_id: id, result_reference: reference } of objects) yield `${id},${reference}\n`;
}
