import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { resultColumns } from '../../../src/account/files/failed-layout.ts';
import { type ResultFilesOptions, writeResultFiles } from '../../../src/account/files/result-files.ts';
import { OutputError } from '../../../src/disk/file-system.ts';
import type { ResultRow } from '../../../src/domain/rows/result-row.ts';
import { resultStatuses } from '../../../src/domain/rows/row-state.ts';
import { unprotectCell } from '../../../src/domain/tables/table.ts';
import { faultyDisk } from '../faulty-disk.ts';
import { inGroups, sampleBatch, sampleRow } from '../sample-rows.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const stem = 'people.3f2a9c1e';
const header = ['name', 'phone'];
const workbook = { sheet: 'customers', choices: async () => [] };

function write(directory: string, rows: readonly ResultRow[], changes: Partial<ResultFilesOptions> = {}) {
  return writeResultFiles({
    directory,
    stem,
    header,
    batch: sampleBatch,
    rows: inGroups(rows),
    workbook,
    ...changes,
  });
}

function read(path: string): string[][] {
  return parse(readFileSync(path), { bom: true, record_delimiter: '\r\n', relax_column_count: true });
}

function readAsImported(path: string): string[][] {
  return read(path).map((record) => record.map(unprotectCell));
}

describe('the result files', () => {
  it('stay text where a cell holds a NUL, so that they can be imported again', async () => {
    const written = await write(temporaryFolder(), [sampleRow({ cells: ['a\0b', ''] })]);
    expect(readFileSync(written.results).includes(0)).toBe(false);
    expect(read(written.results)[1]?.[0]).toBe('a\uFFFDb');
  });

  it('hold every row once, in input order: its own cells, then the result columns in their order', async () => {
    const directory = temporaryFolder();
    const rejected = sampleRow({
      row: 3,
      cells: ['Brian', ''],
      status: 'rejected',
      objectId: null,
      code: 'invalid_phone',
      field: 'phone',
      message: 'phone: it is empty; name: it is short',
      httpStatus: 422,
      attempts: 2,
      notes: ['limits not checked', 'unseen value'],
    });
    const invalid = sampleRow({
      row: 5,
      cells: ['Cedric'],
      status: 'invalid',
      objectId: null,
      httpStatus: null,
      attempts: 0,
      idempotencyKey: null,
      changedAt: '2026-11-20T12:00:00+02:00',
    });
    const written = await write(directory, [], { rows: inGroups([sampleRow()], [rejected, invalid]) });

    const [titles, ...records] = readAsImported(written.results);
    expect(titles).toEqual([...header, ...resultColumns]);
    const key = '0b6f1c52-2f0e-4a7b-9d57-9a3f0c3a1e11';
    const at = '2026-11-20T10:00:00.000Z';
    expect(records).toEqual([
      ['Amina', '+254712345678', '2', 'created', 'rec_1', '', '', '', '201', '1', key, sampleBatch, at, ''],
      [
        ...[
          'Brian',
          '',
          '3',
          'rejected',
          '',
          'invalid_phone',
          'phone',
          'phone: it is empty; name: it is short',
        ],
        ...['422', '2', key, sampleBatch, at, 'limits not checked; unseen value'],
      ],
      ['Cedric', '', '5', 'invalid', '', '', '', '', '', '0', '', sampleBatch, at, ''],
    ]);
    expect(readAsImported(written.failed ?? '')).toEqual([titles, records[1], records[2]]);
  });

  it.each(resultStatuses)(
    'list a row that is %s as failed unless it is created or existing',
    async (status) => {
      const written = await write(temporaryFolder(), [sampleRow({ status })]);
      expect(written.failed === null).toBe(status === 'created' || status === 'existing');
    },
  );

  it('are written with commas, CRLF and UTF-8 with a byte order mark, quoted where needed', async () => {
    const written = await write(temporaryFolder(), [
      sampleRow({ cells: ['Zoë, "Z"', 'a\nb'], message: 'one\rtwo' }),
    ]);
    const bytes = readFileSync(written.results);
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    const text = bytes.subarray(3).toString('utf8');
    expect(text.startsWith('name,phone,result_row,')).toBe(true);
    expect(text).toContain('\r\n"Zoë, ""Z""","a\nb",2,created,rec_1,,,"one\rtwo",201,');
    expect(text.endsWith('\r\n')).toBe(true);
  });

  it('are readable by their owner only, in a folder made for the owner only', async () => {
    const directory = join(temporaryFolder(), 'deep', 'results');
    const written = await write(directory, [sampleRow({ status: 'held' })]);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(written.results).mode & 0o777).toBe(0o600);
    expect(statSync(written.failed ?? '').mode & 0o777).toBe(0o600);
    expect(statSync(written.failedWorkbook ?? '').mode & 0o777).toBe(0o600);
  });

  it('leave nothing behind but themselves', async () => {
    const directory = temporaryFolder();
    await write(directory, [sampleRow({ status: 'held' })]);
    const names = ['failed.csv', 'failed.xlsx', 'results.csv'].map((ending) => `${stem}.${ending}`);
    expect(readdirSync(directory).sort()).toEqual(names);
  });

  it('are the same bytes however the rows are grouped', async () => {
    const rows = Array.from({ length: 50 }, (_, index) =>
      sampleRow({ row: index + 2, status: index % 7 === 0 ? 'unknown' : 'created' }),
    );
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    await write(first, rows);
    await write(second, [], { rows: inGroups(rows.slice(0, 1), [], rows.slice(1, 20), rows.slice(20)) });
    for (const name of readdirSync(first)) {
      expect(readFileSync(join(second, name))).toEqual(readFileSync(join(first, name)));
    }
  });

  it('remove an older failed file when no row has failed any more', async () => {
    const directory = temporaryFolder();
    await write(directory, [sampleRow({ status: 'not_sent' })]);
    const written = await write(directory, [sampleRow()]);
    expect(written).toMatchObject({ failed: null, failedWorkbook: null });
    expect(readdirSync(directory)).toEqual([`${stem}.results.csv`]);
  });

  it('tell the rows for a person and those with nothing to correct apart, and count them', async () => {
    const statuses = ['created', 'not_sent', 'rejected', 'waiting', 'unknown', 'held', 'invalid'] as const;
    const rows = statuses.map((status, index) => sampleRow({ row: index + 2, status, notes: ['n'] }));
    const superseded = sampleRow({ row: 9, status: 'invalid', code: 'superseded' });
    const written = await write(temporaryFolder(), [...rows, superseded]);
    expect(written.failedRows).toEqual({ forPerson: 3, others: 4 });
    const failed = read(written.failed ?? '').slice(1);
    expect(failed.map((record) => [record[3], record.at(-1)])).toEqual([
      ['not_sent', 'n; nothing to correct: a later run sends it as it is'],
      ['rejected', 'n'],
      ['waiting', 'n; nothing to correct: a later run tries it again'],
      ['unknown', 'n; nothing to correct: it was sent, and may exist'],
      ['held', 'n'],
      ['invalid', 'n'],
      ['invalid', ''],
    ]);
    // In the same form, line by line.
    expect(read(written.results).slice(2)).toEqual(failed);
  });

  it('have all failed rows in CSV where the workbook ends before them, and say how many it lacks', async () => {
    const rows = [2, 3, 4].map((row) => sampleRow({ row, status: 'held' }));
    const workbook = { sheet: 'people', choices: async () => [], mostRows: 1 };
    const written = await write(temporaryFolder(), rows, { workbook });
    expect(written.failedWorkbookLeftOut).toBe(2);
    expect(read(written.failed ?? '')).toHaveLength(4);
    expect((await write(temporaryFolder(), rows)).failedWorkbookLeftOut).toBe(0);
  });

  it('have a header even without rows', async () => {
    const written = await write(temporaryFolder(), []);
    expect(read(written.results)).toEqual([[...header, ...resultColumns]]);
    expect(written).toMatchObject({ failed: null });
  });
});

describe('the round trip of a failed file', () => {
  it('guards formulas in own cells, in header cells and in result columns with one apostrophe', async () => {
    const cells = ['=HYPERLINK("x")', '+254712345678', '-1', '@x', '\tx', '\rx', '＝1', 'plain'];
    const written = await write(
      temporaryFolder(),
      [sampleRow({ cells, message: '=cmd()', objectId: '-1', field: '+phone', notes: ['@note'] })],
      { header: ['=a', '+b', '-c', '@d', '\te', '\rf', '＝g', 'h'] },
    );
    const [titles, record] = read(written.results);
    expect(titles?.slice(0, 8)).toEqual(["'=a", "'+b", "'-c", "'@d", "'\te", "'\rf", '＝g', 'h']);
    expect(record?.slice(0, 8)).toEqual([...cells.slice(0, 6).map((cell) => `'${cell}`), '＝1', 'plain']);
    expect(record?.slice(8)).toEqual(expect.arrayContaining(["'=cmd()", "'-1", "'+phone", "'@note"]));
  });

  it('gives every cell back as it was, however often it is made', async () => {
    const cells = ["'+254", "''+254", '+254', "'", 'a,"b"\r\nc', '', "O'Brien", '\tx', ' padded '];
    let titles: readonly string[] = cells.map((_, index) => `c${index}`);
    let current: readonly string[] = cells;
    let firstBytes: Buffer | undefined;
    for (let round = 0; round < 3; round += 1) {
      const row = sampleRow({ cells: current, status: 'rejected' });
      const written = await write(temporaryFolder(), [row], { header: titles });
      const bytes = readFileSync(written.failed ?? '');
      firstBytes ??= bytes;
      expect(bytes).toEqual(firstBytes);
      [titles = [], current = []] = readAsImported(written.failed ?? '');
      expect(current.slice(0, cells.length)).toEqual(cells);
    }
  });

  it('replaces the result columns of an earlier time, and keeps a column that only looks like one', async () => {
    const written = await write(
      temporaryFolder(),
      [sampleRow({ cells: ['Amina', 'old id', 'note', 'held', 'x'], status: 'rejected' })],
      { header: ['name', 'result_id', 'result_comment', 'Result_Status', 'phone'] },
    );
    const [titles, record] = read(written.failed ?? '');
    expect(titles).toEqual(['name', 'result_comment', 'phone', ...resultColumns]);
    expect(record?.slice(0, 5)).toEqual(['Amina', 'note', 'x', '2', 'rejected']);
    expect(record).not.toContain('old id');
  });

  it('keeps a cell too many behind the result columns, where it is still one too many', async () => {
    const row = sampleRow({ cells: ['Amina', '1', 'surplus'], status: 'invalid' });
    const written = await write(temporaryFolder(), [row]);
    const [titles = [], record = []] = read(written.failed ?? '');
    expect(record.slice(0, titles.length)).not.toContain('surplus');
    expect(record.slice(titles.length)).toEqual(['surplus']);
  });
});

describe('when result files cannot be written', () => {
  it.each([
    ['write', 0],
    ['sync', 0],
    ['sync', 1],
    ['rename', 0],
  ] as const)(
    'a full disk (%s, after %i) leaves the earlier files whole and nothing else',
    async (fault, after) => {
      const directory = temporaryFolder();
      await write(directory, [sampleRow({ status: 'held' })]);
      const before = readdirSync(directory).map((name) => [
        name,
        readFileSync(join(directory, name), 'utf8'),
      ]);

      const files = faultyDisk(fault, after);
      const attempt = write(directory, [sampleRow({ status: 'rejected' })], { files });
      await expect(attempt).rejects.toMatchObject({
        name: 'OutputError',
        code: 'disk_full',
        message: expect.stringMatching(/no room on the disk to write .*\.(csv|xlsx)/),
        remedies: expect.arrayContaining([expect.objectContaining({ oneOf: [{ setting: 'out' }] })]),
      });
      const after_ = readdirSync(directory).map((name) => [
        name,
        readFileSync(join(directory, name), 'utf8'),
      ]);
      expect(after_).toEqual(before);
    },
  );

  it('no file gets its name before all files are complete and on disk', async () => {
    const files = faultyDisk(null);
    await write(temporaryFolder(), [sampleRow({ status: 'held' })], { files });
    const written = files.calls.filter((call) => !call.startsWith('rename'));
    expect(written.filter((call) => call === 'sync')).toHaveLength(3);
    expect(files.calls).toEqual([
      ...written,
      ...['failed.csv', 'failed.xlsx', 'results.csv'].map((ending) => `rename ${stem}.${ending}`),
    ]);
  });

  it('an error of the rows comes through as it is, and the temporary files are gone', async () => {
    const directory = temporaryFolder();
    const fault = new Error('the database is gone');
    async function* broken() {
      yield [sampleRow({ status: 'held' })];
      throw fault;
    }
    await expect(write(directory, [], { rows: broken() })).rejects.toBe(fault);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('a file where the folder should be is named as the cause', async () => {
    const path = join(temporaryFolder(), 'taken');
    writeFileSync(path, '');
    for (const directory of [path, join(path, 'results')]) {
      const error = await write(directory, [sampleRow()]).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(OutputError);
      expect(error).toMatchObject({ code: 'not_a_folder' });
    }
  });

  it('a folder in the place of a result file is an error, and no temporary file stays', async () => {
    const directory = temporaryFolder();
    mkdirSync(join(directory, `${stem}.results.csv`));
    await expect(write(directory, [sampleRow()])).rejects.toMatchObject({ code: 'not_a_folder' });
    expect(readdirSync(directory)).toEqual([`${stem}.results.csv`]);
  });
});

it('the rows are asked for one group after the other, each written before too much is kept', async () => {
  const files = faultyDisk(null);
  const writesSeen: number[] = [];
  async function* many() {
    for (let group = 0; group < 10; group += 1) {
      writesSeen.push(files.calls.length);
      yield Array.from({ length: 1000 }, (_, index) =>
        sampleRow({ row: group * 1000 + index + 2, cells: ['x'.repeat(300), '1'] }),
      );
    }
  }
  await write(temporaryFolder(), [], { rows: many(), files });
  expect(writesSeen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
