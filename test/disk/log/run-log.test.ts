import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FileSystem, realFileSystem } from '../../../src/disk/file-system.ts';
import { readRunLog } from '../../../src/disk/log/read-run-log.ts';
import type { LoggedRunEvent, RunEvent } from '../../../src/disk/log/run-event.ts';
import { runHeadPath } from '../../../src/disk/log/run-head.ts';
import { openRunLog } from '../../../src/disk/log/run-log.ts';
import { faultyDisk } from '../../account/faulty-disk.ts';
import { sampleBatch } from '../../account/sample-rows.ts';
import { temporaryFolder } from '../../account/temporary-folder.ts';
import { canMount, mountSmallDisk } from '../../support/small-disk.ts';

const now = () => new Date('2026-11-20T10:00:00Z');
const options = { batch: sampleBatch, now };
const key = '0b6f1c52-2f0e-4a7b-9d57-9a3f0c3a1e11';
const hash = 'ab'.repeat(32);

function staged(row: number): RunEvent {
  return { event: 'row.staged', row, key, attempt: 0, generation: 1, request_hash: hash };
}

const everyEvent: readonly RunEvent[] = [
  {
    event: 'run.started',
    run: 'run-1',
    version: '0.1.0',
    mode: 'sandbox',
    origin: 'https://api.example.test',
    kind: 'recipients',
    sheet: 'Löhne\u2028',
    content_hash: hash,
    credential: null,
    host: 'worker-1',
    process: '17 4711',
    reading_hash: hash,
    rows: 2,
    counts: { not_sent: 2 },
  },
  staged(2),
  { event: 'claim.made', run: 'run-1', claim: 1 },
  {
    event: 'row.answered',
    row: 2,
    key,
    attempt: 1,
    status: 201,
    outcome: 'created',
    reason: null,
    id: 'rec_1',
    duration_ms: 12.5,
  },
  { event: 'row.final', row: 2, key, attempt: 1, status: 'created', id: 'rec_1', code: null },
  { event: 'row.resolved', row: 3, key, attempt: 1, verdict: 'existing', id: 'rec_0' },
  { event: 'run.stopped', run: 'run-1', reason: 'credentials', code: null },
  { event: 'run.finished', run: 'run-1', counts: { created: 1, held: 1 }, exit_code: 5 },
];

async function readAll(path: string): Promise<LoggedRunEvent[]> {
  const events: LoggedRunEvent[] = [];
  for await (const event of readRunLog(path)) events.push(event);
  return events;
}

async function writeLog(path: string, events: readonly RunEvent[]): Promise<void> {
  const log = await openRunLog(path, options);
  log.append(events);
  await log.close();
}

/** A log as earlier versions wrote it: nothing proves its lines. */
async function writeUnlinked(path: string, events: readonly RunEvent[]): Promise<void> {
  await writeLog(path, events);
  writeFileSync(path, withoutLinks(readFileSync(path, 'utf8')));
  rmSync(runHeadPath(path));
}

function withoutLinks(text: string): string {
  return text.replaceAll(/(?:,"after":\[[^\]]*\])?,"chain":"[^"]*","line":\d+,"line_hash":"[^"]*"\}/g, '}');
}

describe('the run log', () => {
  it('holds one JSON object a line, each with time, event and batch, and rows with row, key and attempt', async () => {
    const path = join(temporaryFolder(), 'new', 'x.run.jsonl');
    await writeLog(path, everyEvent);
    const text = readFileSync(path, 'utf8');
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(everyEvent.length);
    for (const line of lines) {
      const object = JSON.parse(line);
      expect(Object.keys(object).slice(0, 3)).toEqual(['time', 'event', 'batch']);
      expect(object).toMatchObject({ time: '2026-11-20T10:00:00.000Z', batch: sampleBatch });
      if (object.event.startsWith('row.')) {
        expect(Object.keys(object)).toEqual(expect.arrayContaining(['row', 'key', 'attempt']));
      }
    }
    expect(await readAll(path)).toEqual(
      everyEvent.map((event) => ({ time: '2026-11-20T10:00:00.000Z', batch: sampleBatch, ...event })),
    );
  });

  it('is readable by its owner only, in a folder of the owner only', async () => {
    const folder = join(temporaryFolder(), 'results');
    await writeLog(join(folder, 'x.run.jsonl'), []);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'x.run.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('is appended by every run', async () => {
    const path = join(temporaryFolder(), 'x.run.jsonl');
    await writeLog(path, [staged(2)]);
    await writeLog(path, [staged(3)]);
    expect((await readAll(path)).map((event) => 'row' in event && event.row)).toEqual([2, 3]);
  });

  it('keeps nothing but the listed fields, and no code that could be a sentence', async () => {
    const path = join(temporaryFolder(), 'x.run.jsonl');
    const careless = { ...staged(2), account_name: 'Amina Wanjiru', phone: '+254712345678' };
    const final = { event: 'row.final', row: 2, key, attempt: 1, status: 'rejected', id: null } as const;
    await writeLog(path, [
      careless,
      { ...final, code: 'The phone +254712345678 of Amina is wrong' },
      { ...final, code: '254712345678' },
      { ...final, code: 'INVALID_PHONE.2' },
    ]);
    expect(readFileSync(path, 'utf8')).not.toMatch(/Amina|2547/);
    const codes = (await readAll(path)).flatMap((event) => (event.event === 'row.final' ? [event.code] : []));
    expect(codes).toEqual(['other', 'other', 'INVALID_PHONE.2']);
  });

  it('refuses an event that no log may hold, and keeps none of its group', async () => {
    const path = join(temporaryFolder(), 'x.run.jsonl');
    const log = await openRunLog(path, options);
    expect(() => log.append([staged(2), { ...staged(3), row: -1 } as RunEvent])).toThrow();
    await log.close();
    expect(readFileSync(path, 'utf8')).toBe('');
  });
});

describe('flushing the run log', () => {
  it('ends only when the lines are written and then synced', async () => {
    const files = faultyDisk(null);
    const path = join(temporaryFolder(), 'x.run.jsonl');
    const log = await openRunLog(path, { ...options, files });
    files.calls.length = 0;
    log.append([staged(2), staged(3)]);
    expect(readFileSync(path, 'utf8')).toBe('');
    await log.flush();
    expect(files.calls).toEqual(['write', 'sync']);
    expect(await readAll(path)).toHaveLength(2);
    await log.close();
  });

  it('is shared by everybody who waits, and a line appended meanwhile waits for the next turn', async () => {
    const gates: (() => void)[] = [];
    let closed = false;
    const beforeSync = () =>
      closed ? new Promise<void>((resolve) => gates.push(resolve)) : Promise.resolve();
    const files = faultyDisk(null, 0, beforeSync);
    const path = join(temporaryFolder(), 'x.run.jsonl');
    const log = await openRunLog(path, { ...options, files });
    files.calls.length = 0;
    closed = true;

    log.append([staged(2)]);
    const first = log.flush();
    while (gates.length === 0) await new Promise((resolve) => setImmediate(resolve));
    let laterDone = false;
    const later = [3, 4, 5].map(async (row) => {
      log.append([staged(row)]);
      await log.flush();
      laterDone = true;
    });
    gates.shift()?.();
    await first;
    while (gates.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(laterDone).toBe(false);
    gates.shift()?.();
    await Promise.all(later);
    expect(files.calls).toEqual(['write', 'sync', 'write', 'sync']);
    expect(await readAll(path)).toHaveLength(4);
    closed = false;
    await log.close();
  });

  it.each([
    ['write', 0],
    // Opening syncs once.
    ['sync', 1],
  ] as const)('says a full disk (%s), and goes on saying it', async (fault, after) => {
    const files = faultyDisk(fault, after);
    const log = await openRunLog(join(temporaryFolder(), 'x.run.jsonl'), { ...options, files });
    log.append([staged(2)]);
    const failure = {
      name: 'OutputError',
      code: 'disk_full',
      remedies: expect.arrayContaining([expect.objectContaining({ text: expect.stringContaining('room') })]),
    };
    const results = await Promise.allSettled([log.flush(), log.flush()]);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: failure });
    }
    files.mend();
    await expect(log.flush()).rejects.toMatchObject(failure);
    // An answer that comes now is for the ledger alone: it must not be lost because the log is.
    log.append([staged(4)]);
    await expect(log.close()).rejects.toMatchObject(failure);
  });

  it.each([
    ['is deleted', (path: string) => rmSync(path)],
    ['is moved', (path: string) => renameSync(path, `${path}.1`)],
    [
      'is replaced by its copy',
      (path: string) => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
    ],
    ['is moved with its folder', (path: string) => renameSync(dirname(path), `${dirname(path)}-old`)],
    [
      'gives way to a link',
      (path: string) => {
        renameSync(path, `${path}.1`);
        symlinkSync(`${path}.1`, path);
      },
    ],
  ])('notices before the next line that its file %s', async (_, vanish) => {
    const path = join(temporaryFolder(), 'results', 'x.run.jsonl');
    const log = await openRunLog(path, options);
    log.append([staged(2)]);
    await log.flush();
    vanish(path);
    await expect(log.flush()).rejects.toMatchObject({ name: 'OutputError', code: 'run_log_gone' });
    log.append([staged(3)]);
    await expect(log.close()).rejects.toMatchObject({ code: 'run_log_gone' });
  });

  it('stops a run whose log cannot be opened', async () => {
    const taken = join(temporaryFolder(), 'taken');
    writeFileSync(taken, '');
    await expect(openRunLog(join(taken, 'x.run.jsonl'), options)).rejects.toMatchObject({
      code: 'not_a_folder',
    });
  });
});

describe('two workers that write to one log', () => {
  // An odd number of lines of one length: half of their bytes ends within a line.
  const groupOf = (first: number): RunEvent[] =>
    Array.from({ length: 41 }, (_, index) => staged(first + index));

  it('go on behind the piece that one of them left when its disk was full', async () => {
    const path = join(temporaryFolder(), 'x.run.jsonl');
    const files = faultyDisk('write', 1);
    const failing = await openRunLog(path, { ...options, files });
    const other = await openRunLog(path, options);
    failing.append(groupOf(100));
    await failing.flush();
    failing.append(groupOf(200));
    await expect(failing.flush()).rejects.toMatchObject({ code: 'disk_full' });
    other.append(groupOf(300));
    await other.close();
    expect(readFileSync(path, 'utf8')).not.toMatch(/.\{"time"/);
    const rows = (await readAll(path)).flatMap((event) => ('row' in event ? [event.row] : []));
    expect(rows).toEqual(expect.arrayContaining([100, 139, 200, 300, 339]));
    await failing.close().catch(() => {});
  });

  it.runIf(canMount)('lose no event that was flushed, on a real disk that is full', async () => {
    const disk = mountSmallDisk(1024 * 1024);
    const path = join(disk.folder, 'x.run.jsonl');
    const flushed = new Set<number>();
    const workOn = async (first: number): Promise<void> => {
      const log = await openRunLog(path, options);
      onTestFinished(() => log.close().catch(() => {}));
      for (let group = 0; group < 100; group += 1) {
        const events = groupOf(first + group * 40);
        log.append(events);
        await log.flush();
        for (const event of events) if ('row' in event) flushed.add(event.row);
      }
    };
    disk.fill(200_000);
    const ends = await Promise.allSettled([workOn(10_000), workOn(20_000)]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    disk.makeRoom();
    await writeLog(path, [staged(9)]);
    const rows = new Set((await readAll(path)).flatMap((event) => ('row' in event ? [event.row] : [])));
    expect([...flushed].filter((row) => !rows.has(row))).toEqual([]);
    expect(flushed.size).toBeGreaterThan(100);
    expect(rows.has(9)).toBe(true);
  });

  it('write a line again, whole, of which the disk took only a part', async () => {
    const path = join(temporaryFolder(), 'x.run.jsonl');
    const other = await openRunLog(path, options);
    const files = halfAWrite(async () => {
      other.append(groupOf(300));
      await other.flush();
    });
    const log = await openRunLog(path, { ...options, files });
    log.append(groupOf(100));
    await log.close();
    await other.close();
    const rows = (await readAll(path)).flatMap((event) => ('row' in event ? [event.row] : []));
    expect([...rows].sort((left, right) => left - right)).toEqual(
      [...groupOf(100), ...groupOf(300)].flatMap((event) => ('row' in event ? [event.row] : [])),
    );
  });
});

/** The real disk, which takes half of the first long write; then something else happens. */
function halfAWrite(then: () => Promise<void>): FileSystem {
  let isDone = false;
  const open: FileSystem['open'] = async (path, flags, mode) => {
    const handle = await realFileSystem.open(path, flags, mode);
    const write = handle.write.bind(handle) as (
      bytes: Buffer,
      offset: number,
      length: number,
    ) => ReturnType<typeof handle.write>;
    const half = async (bytes: Buffer, offset: number, length: number) => {
      if (isDone || length < 500) return write(bytes, offset, length);
      isDone = true;
      const written = await write(bytes, offset, length >> 1);
      await then();
      return written;
    };
    return Object.assign(handle, { write: half });
  };
  return { ...realFileSystem, open };
}

describe('a log of an earlier version, or after a crash', () => {
  it('a last line that was cut off costs neither the lines before nor those after it', async () => {
    const path = join(temporaryFolder(), 'x.run.jsonl');
    await writeLog(path, [staged(2)]);
    appendFileSync(path, readFileSync(path, 'utf8').slice(0, 40));
    expect(await readAll(path)).toHaveLength(1);

    await writeLog(path, [staged(3)]);
    expect((await readAll(path)).map((event) => event.event)).toEqual([
      ...['row.staged', 'log.mended', 'row.staged'],
    ]);
  });

  it('a whole last line that only lacks its newline counts', async () => {
    const path = join(temporaryFolder(), 'x.run.jsonl');
    await writeLog(path, [staged(2)]);
    writeFileSync(path, readFileSync(path, 'utf8').trimEnd());
    expect(await readAll(path)).toHaveLength(1);
    await writeLog(path, [staged(3)]);
    expect((await readAll(path)).map((event) => event.event)).toEqual(['row.staged', 'row.staged']);
  });

  it('a piece that was cut off while an earlier piece was being mended is passed over too', async () => {
    const path = join(temporaryFolder(), 'x.run.jsonl');
    await writeLog(path, [staged(2)]);
    appendFileSync(path, '{"time":"2026\n{"time":');
    await writeLog(path, [staged(3)]);
    expect(await readAll(path)).toHaveLength(3);
  });

  it.each(['nonsense\n', '{"event":"row.final"}\n', '\n', '{"time":"2026-1\n'])(
    'a line that is not an event (%j) anywhere else is damage, and named',
    async (damage) => {
      const path = join(temporaryFolder(), 'x.run.jsonl');
      await writeUnlinked(path, [staged(2)]);
      const good = readFileSync(path, 'utf8');
      for (const text of [good + damage + good, good + damage]) {
        writeFileSync(path, text);
        await expect(readAll(path)).rejects.toMatchObject({
          code: 'run_log_damaged',
          message: expect.stringContaining('Line 2 '),
        });
      }
    },
  );

  it('a log whose beginning was cut off is read from its first whole line on', async () => {
    const path = join(temporaryFolder(), 'x.run.jsonl');
    await writeUnlinked(path, [staged(2), staged(3)]);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.slice(50));
    const torn: number[] = [];
    const rows: unknown[] = [];
    for await (const event of readRunLog(path, { onTorn: (line) => torn.push(line) }))
      rows.push('row' in event && event.row);
    expect([rows, torn]).toEqual([[3], [1]]);
  });

  it('events are found by their names, in a damaged log as well', async () => {
    const path = join(temporaryFolder(), 'x.run.jsonl');
    await writeLog(path, everyEvent);
    writeFileSync(path, `${readFileSync(path, 'utf8')}\0\0 nonsense\n`);
    await writeLog(path, everyEvent);
    const names: string[] = [];
    const wanted = new Set(['claim.made', 'run.started'] as const);
    for await (const { event } of readRunLog(path, { events: wanted, passesOverDamage: true }))
      names.push(event);
    expect(names).toEqual(['run.started', 'claim.made', 'run.started', 'claim.made']);
  });

  it('a line without end is damage, and is not read into memory whole', async () => {
    const path = join(temporaryFolder(), 'x.run.jsonl');
    writeFileSync(path, 'x'.repeat(9_000_000));
    await expect(readAll(path)).rejects.toMatchObject({ code: 'run_log_damaged' });
  });

  it('a piece that has a whole event behind it on its line is skipped, and reported', async () => {
    const path = join(temporaryFolder(), 'x.run.jsonl');
    await writeUnlinked(path, [staged(2)]);
    const line = readFileSync(path, 'utf8');
    for (const piece of [
      '{',
      '{"time":"',
      line.slice(0, 70),
      line.slice(0, -2),
      line.slice(0, 40).repeat(2),
    ]) {
      writeFileSync(path, line + piece + line + line);
      const torn: number[] = [];
      const events: unknown[] = [];
      for await (const event of readRunLog(path, { onTorn: (lineNumber) => torn.push(lineNumber) }))
        events.push(event);
      expect(events).toHaveLength(3);
      expect(new Set(torn)).toEqual(new Set([2]));
    }
    writeFileSync(path, line + line.trimEnd() + line);
    expect(await readAll(path)).toHaveLength(3);
    writeFileSync(path, `${line}garbage${line}`);
    await expect(readAll(path)).rejects.toMatchObject({ code: 'run_log_damaged' });
  });

  it('a run log that is not there is said so', async () => {
    await expect(readAll(join(temporaryFolder(), 'none.jsonl'))).rejects.toMatchObject({
      code: 'file_not_found',
    });
  });
});

describe('a log that is there already', () => {
  it('is taken from others who may read it', async () => {
    const path = join(temporaryFolder(), 'x.run.jsonl');
    writeFileSync(path, '');
    chmodSync(path, 0o644);
    await (await openRunLog(path, options)).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is refused where it is a symbolic link, and what that leads to stays as it was', async () => {
    const folder = temporaryFolder();
    const [path, target] = [join(folder, 'x.run.jsonl'), join(folder, 'of-somebody-else')];
    writeFileSync(target, 'theirs', { mode: 0o644 });
    symlinkSync(target, path);
    await expect(openRunLog(path, options)).rejects.toMatchObject({ code: 'symbolic_link' });
    expect([readFileSync(target, 'utf8'), statSync(target).mode & 0o777]).toEqual(['theirs', 0o644]);
  });
});
