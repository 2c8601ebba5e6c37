import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRunLogLines } from '../../../src/disk/log/read-run-log.ts';
import type { RunEvent } from '../../../src/disk/log/run-event.ts';
import { readRunHead, runHeadPath } from '../../../src/disk/log/run-head.ts';
import { openRunLog, type RunLog } from '../../../src/disk/log/run-log.ts';
import type { ChainTip, LogProof } from '../../../src/domain/batches/run.ts';
import { faultyDisk } from '../../account/faulty-disk.ts';
import { sampleBatch } from '../../account/sample-rows.ts';
import { temporaryFolder } from '../../account/temporary-folder.ts';

const now = (): Date => new Date('2026-11-20T10:00:00Z');
const options = { batch: sampleBatch, now };
const key = '0b6f1c52-2f0e-4a7b-9d57-9a3f0c3a1e11';

function staged(row: number): RunEvent {
  return { event: 'row.staged', row, key, attempt: 0, generation: 1, request_hash: 'ab'.repeat(32) };
}

function claimed(claim: number, run = 'run-1'): RunEvent {
  return { event: 'claim.made', run, claim, rows: [[claim, claim]] };
}

const newPath = (): string => join(temporaryFolder(), 'x.run.jsonl');
const linesOf = (path: string): string[] => readFileSync(path, 'utf8').trimEnd().split('\n');

function rewrite(path: string, lines: readonly string[]): void {
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
}

/** A run: rows are staged and claimed, in as many claims. */
async function write(path: string, rows: readonly number[]): Promise<void> {
  const log = await openRunLog(path, options);
  for (const row of rows) {
    log.append([staged(row), claimed(row)]);
    await log.seal();
  }
  await log.close();
}

/** What a reader learns of a log: the rows and claims of which it can be sure, and what the log proves. */
async function read(
  path: string,
  kept: readonly ChainTip[] = [],
): Promise<{ rows: number[]; proof: LogProof; places: string[] }> {
  const rows: number[] = [];
  let proof: LogProof | undefined;
  const known = { head: await readRunHead(path), kept };
  for await (const { event } of readRunLogLines(path, { known, onProof: (found) => (proof = found) }))
    if (event.event === 'row.staged') rows.push(event.row);
  if (proof === undefined) throw new Error('the log was not read to its end');
  return { rows, proof, places: proof.damages.map(({ kind, from, to }) => `${kind} ${from}-${to}`) };
}

describe('a log as it was written', () => {
  it('is sound, over several runs, each of which goes on where the one before has ended', async () => {
    const path = newPath();
    await write(path, [1, 2]);
    await write(path, [3]);
    const { rows, proof } = await read(path);
    expect(rows).toEqual([1, 2, 3]);
    expect(proof).toMatchObject({ lines: 6, isLinked: true, head: 'there', damages: [], doubtUntil: 0 });
    const links = linesOf(path).map((line) => JSON.parse(line));
    expect(links.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(links[4].after).toEqual([{ chain: links[0].chain, line: 4, hash: links[3].line_hash, claims: 2 }]);
    expect(await readRunHead(path)).toMatchObject({
      batch: sampleBatch,
      line: 6,
      hash: links[5].line_hash,
      claims: 1,
      bytes: readFileSync(path).length,
      claimed: { run: 'run-1', claim: 3 },
      others: [],
    });
  });

  it('is sound after a crash in the middle of a line, and of a disk that took a part of a line', async () => {
    const path = newPath();
    await write(path, [1]);
    appendFileSync(path, linesOf(path)[1]?.slice(0, 90) ?? '');
    expect((await read(path)).places).toEqual([]);
    const failing = await openRunLog(path, { ...options, files: faultyDisk('write', 2) });
    failing.append(Array.from({ length: 9 }, (_, at) => staged(at + 2)));
    await expect(failing.flush()).rejects.toMatchObject({ code: 'disk_full' });
    await failing.close().catch(() => {});
    await write(path, [30]);
    expect((await read(path)).places).toEqual([]);
  });

  it('is sound where two write to it at once, and each names what it has seen of the other', async () => {
    const path = newPath();
    const [one, other] = [await openRunLog(path, options), await openRunLog(path, options)];
    for (let row = 1; row <= 9; row += 1) {
      const log = row % 3 === 0 ? other : one;
      log.append([staged(row), claimed(row, row % 3 === 0 ? 'other' : 'one')]);
      await log.seal();
    }
    await other.close();
    const { rows, places } = await read(path);
    expect([rows, places]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9], []]);
    // Whose head is written last names the other one's lines as well.
    rewrite(path, linesOf(path).slice(0, -4));
    expect((await read(path)).places).toEqual(['cut 15-15', 'cut 15-15']);
    await one.close().catch(() => {});
  });

  it('that an earlier version began is sound, and so is what that version wrote', async () => {
    const path = newPath();
    await write(path, [1, 2]);
    const old = linesOf(path).map((line) => line.replace(/(?:,"after":\[\])?,"chain":.*\}$/, '}'));
    rewrite(path, old);
    rmSync(runHeadPath(path));
    expect((await read(path)).proof).toMatchObject({ isLinked: false, head: 'missing', damages: [] });
    await write(path, [3]);
    const { rows, proof } = await read(path);
    expect([rows, proof.damages]).toEqual([[1, 2, 3], []]);
    rewrite(path, [...old.slice(0, 3), ...linesOf(path).slice(4)]);
    expect((await read(path)).places).toEqual(['changed 1-3']);
  });
});

describe('a damaged log', () => {
  const whole = async (): Promise<{ path: string; lines: string[] }> => {
    const path = newPath();
    await write(path, [1, 2, 3]);
    await write(path, [4, 5]);
    return { path, lines: linesOf(path) };
  };

  it('names the line in which a single character was changed, whichever, and does not believe it', async () => {
    const { path, lines } = await whole();
    for (const at of lines.keys()) {
      const line = lines[at] ?? '';
      for (let place = 0; place < line.length; place += 7) {
        const other = line.charAt(place) === '7' ? '8' : '7';
        rewrite(path, lines.with(at, line.slice(0, place) + other + line.slice(place + 1)));
        const { rows, proof } = await read(path);
        expect(proof.damages.length, `line ${at + 1}, character ${place}`).toBeGreaterThan(0);
        expect(proof.damages[0]?.from).toBeGreaterThanOrEqual(at + 1);
        expect(proof.damages[0]?.from).toBeLessThanOrEqual(at + 2);
        expect(rows.every((row) => row >= 1 && row <= 5)).toBe(true);
        // A first line whose link is destroyed looks like that of an earlier version, and is in doubt as a whole.
        const isInDoubt = at === 0 && proof.doubtUntil > 0;
        if (at % 2 === 0 && !isInDoubt) expect(rows).not.toContain(at / 2 + 1);
      }
    }
  });

  it('names where lines are missing, and where two are swapped', async () => {
    const { path, lines } = await whole();
    for (let at = 0; at < lines.length - 1; at += 1) {
      rewrite(path, lines.toSpliced(at, 1));
      expect((await read(path)).places, `without line ${at + 1}`).not.toEqual([]);
      rewrite(path, lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? ''));
      expect((await read(path)).places, `line ${at + 1} and the next`).not.toEqual([]);
    }
    rewrite(path, lines.toSpliced(1, 3));
    const { proof } = await read(path);
    expect(proof.damages).toMatchObject([{ kind: 'missing', from: 2, hidden: 4 }]);
    expect(proof).toMatchObject({ lostLines: 4, mayLackClaims: true, doubtUntil: 0 });
  });

  it('names a run that is missing as a whole, whose verdicts are lost with it', async () => {
    const path = newPath();
    await write(path, [1]);
    await write(path, [2]);
    await write(path, [3]);
    rewrite(path, linesOf(path).toSpliced(2, 2));
    const { proof, rows } = await read(path);
    expect(rows).toEqual([1, 3]);
    expect(proof).toMatchObject({ damages: [{ kind: 'missing', from: 3 }], doubtUntil: 3 });
  });

  it('is noticed by its head where its end was cut off, and where it is another copy', async () => {
    const { path, lines } = await whole();
    const text = readFileSync(path, 'utf8');
    for (const length of [text.length - 1, text.length - 40, 1_500, 300]) {
      writeFileSync(path, text.slice(0, length));
      const { places } = await read(path);
      // Without its newline a line is whole all the same.
      if (length === text.length - 1) expect(places).toEqual([]);
      else expect(places.at(-1)).toMatch(/^cut /);
    }
    rewrite(path, lines);
    rmSync(runHeadPath(path));
    writeFileSync(path, text.slice(0, 1_500));
    expect((await read(path)).proof).toMatchObject({ head: 'missing', damages: [] });
    writeFileSync(runHeadPath(path), '{"line":12}');
    expect((await read(path)).proof).toMatchObject({ head: 'damaged', damages: [{ kind: 'head' }] });
  });

  it('is noticed by what the ledger has kept of its end, where the head is gone as well', async () => {
    const path = newPath();
    const log = await openRunLog(path, options);
    log.append([staged(1), claimed(1)]);
    await log.close();
    const kept = log.head()?.tips ?? [];
    rmSync(runHeadPath(path));
    expect((await read(path, kept)).places).toEqual([]);
    rewrite(path, linesOf(path).slice(0, 1));
    expect((await read(path, kept)).places).toEqual(['cut 2-2']);
  });

  it('holds nothing back for what came after its head: nothing had relied on that', async () => {
    const path = newPath();
    const log = await openRunLog(path, options);
    log.append([staged(1), claimed(1)]);
    await log.seal();
    log.append([staged(2), staged(3), staged(4)]);
    await log.flush();
    rewrite(path, linesOf(path).toSpliced(2, 1));
    expect((await read(path)).proof).toMatchObject({
      damages: [{ kind: 'missing', from: 3 }],
      lostLines: 0,
      doubtUntil: 0,
    });
    await log.close().catch(() => {});
  });

  it('is sound again once a run has written what its ledger knows', async () => {
    const { path, lines } = await whole();
    rewrite(path, lines.slice(0, 6));
    const log = await openRunLog(path, options);
    expect(log.isWhole).toBe(false);
    log.append([staged(4), claimed(9)]);
    await log.seal();
    expect((await read(path)).places).toEqual(['cut 9-9']);
    log.append([{ event: 'log.completed', run: 'run-9' }]);
    await log.close();
    expect((await read(path)).places).toEqual([]);
    const again = await openRunLog(path, options);
    expect(again.isWhole).toBe(true);
    await again.close();
    rewrite(path, linesOf(path).toSpliced(1, 1));
    expect((await read(path)).places).toEqual([]);
  });
});

describe('a log that others write to as well', () => {
  const both = async (): Promise<{ path: string; one: RunLog; other: RunLog }> => {
    const path = newPath();
    return { path, one: await openRunLog(path, options), other: await openRunLog(path, options) };
  };

  it('reports to each writer once what the others have claimed since, without its own claims', async () => {
    const { one, other } = await both();
    one.append([claimed(1, 'one')]);
    expect(await one.seal()).toEqual([]);
    other.append([claimed(7, 'other'), staged(5)]);
    expect(await other.seal()).toEqual([{ run: 'one', claim: 1 }]);
    expect(await one.seal()).toEqual([{ run: 'other', claim: 7 }]);
    expect(await one.seal()).toEqual([]);
    await one.close();
    await other.close();
  });

  it('reports to a writer what others have claimed since a moment before it was opened, incomplete lines of then included', async () => {
    const path = newPath();
    await write(path, [1]);
    const claimsFrom = statSync(path).size - 10;
    const line = linesOf(path).at(-1);
    await write(path, [2, 3]);
    const log = await openRunLog(path, { ...options, claimsFrom });
    expect(line).toContain('claim.made');
    expect(await log.seal()).toEqual([1, 2, 3].map((claim) => ({ run: 'run-1', claim })));
    expect(await log.seal()).toEqual([]);
    await log.close();
    const later = await openRunLog(path, { ...options, claimsFrom: statSync(path).size });
    expect(await later.seal()).toEqual([]);
    await later.close();
  });

  it('has a head that names the last claim of each, whichever writes it last', async () => {
    const { path, one, other } = await both();
    one.append([claimed(1, 'one')]);
    other.append([claimed(1, 'other')]);
    await Promise.all([one.seal(), other.seal()]);
    const head = await readRunHead(path);
    if (typeof head !== 'object') throw new Error('there is no head');
    const tips = [head, ...head.others].map(({ hash }) => hash);
    const hashes = linesOf(path).map((line) => JSON.parse(line).line_hash);
    expect(tips).toEqual(expect.arrayContaining(hashes));
    await one.close();
    await other.close();
  });

  it('that somebody shortens meanwhile stops the run that writes it', async () => {
    const path = newPath();
    const log = await openRunLog(path, options);
    log.append([staged(1), staged(2)]);
    await log.seal();
    truncateSync(path, 100);
    await expect(log.seal()).rejects.toMatchObject({ code: 'run_log_gone' });
    await log.close().catch(() => {});
  });
});

it('a head is readable by its owner only, and nothing stays of a disk that was full', async () => {
  const path = newPath();
  const log = await openRunLog(path, { ...options, files: faultyDisk('rename') });
  log.append([staged(1)]);
  await expect(log.seal()).rejects.toMatchObject({ code: 'disk_full' });
  expect(existsSync(runHeadPath(path))).toBe(false);
  await expect(log.close()).rejects.toMatchObject({ code: 'disk_full' });
});
