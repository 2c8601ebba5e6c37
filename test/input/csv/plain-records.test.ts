import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { csvRows } from '../../../src/input/csv/csv-rows.ts';
import { standardDialect } from '../../../src/input/csv/dialect.ts';
import { defaultLimits } from '../../../src/input/file/limits.ts';
import { createRandom, type Random } from '../../simulation/random.ts';

const parserOptions = {
  delimiter: ';',
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_quotes: true,
  relax_column_count: true,
};

async function* inChunks(bytes: Buffer, random: Random): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + random.whole(1, 7);
    yield bytes.subarray(at, end);
    at = end;
  }
}

async function cellsOf(text: string, random: Random): Promise<string[][]> {
  const cells: string[][] = [];
  const chunks = inChunks(Buffer.from(text), random);
  for await (const rows of csvRows(
    chunks,
    { character: ';', instructionLength: 0 },
    standardDialect,
    defaultLimits,
  )) {
    for (const row of rows) {
      expect(row.number).toBe(cells.length + 1);
      cells.push(row.cells);
    }
  }
  return cells;
}

it('cuts records as csv-parse does, in whatever chunks they come and wherever quotation marks begin', async () => {
  const random = createRandom(3);
  const plain = ['a', 'é', '€', ',', ';', ';', '\r\n', '\n', '\r', ' '];
  for (let round = 0; round < 400; round += 1) {
    const text = Array.from({ length: random.whole(0, 60) }, () => random.pick(plain)).join('');
    const quoted = random.chance(0.5) ? '\r\n"x;""\r\ny";5" pipe\nz' : '';
    const content = text + quoted + (quoted === '' ? '' : text);
    expect(await cellsOf(content, random)).toEqual(parse(content, parserOptions));
  }
});

it('tells the row of an error behind records without quotation marks', async () => {
  await expect(cellsOf('a;b\n1;2\n\n3;"4\n', createRandom(1))).rejects.toMatchObject({ row: 4 });
});
