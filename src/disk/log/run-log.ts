import type { ChainTip, KeptLogHead, LoggedClaim } from '../../domain/batches/run.ts';
import {
  type FileSystem,
  type OutputError,
  realFileSystem,
  syncDirectoryOf,
  writeError,
} from '../file-system.ts';
import { ChainWriter, type KnownLines, type OpenedLines, readKnownLines } from './known-lines.ts';
import { completeLines, LogFile, shortened } from './log-file.ts';
import { type PipelineEvent, type RunEvent, runEventTexts } from './run-event.ts';
import { linkOf, RunHeadWriter, readRunHead } from './run-head.ts';

interface RunLogOptions {
  /** The whole id of the batch. A log belongs to one batch. */
  readonly batch: string;
  readonly now: () => Date;
  readonly files?: FileSystem;
  /**
   * The first `seal` also returns the claims of existing lines after this byte. When absent, it returns only the claims of
   * lines that are added later.
   */
  readonly claimsFrom?: number;
}

/** The run log of one batch, opened for appending. */
export interface RunLog {
  /**
   * Whether the log has all lines that its head names. A log that was truncated, or replaced by an older copy, lacks lines,
   * and the ledger has to write them again.
   */
  readonly isWhole: boolean;
  /**
   * Keeps the events in memory, in order, until the next `flush`. After writing has failed, events are dropped without an
   * error, so that a caller with an answer can still record it in the ledger. The next `flush` throws the failure.
   * @param at when the events happened; now when absent
   */
  append(events: readonly RunEvent[], at?: Date): void;
  /**
   * Resolves when all events that were appended before the call are on disk (synced), and the path still leads to this
   * file. Calls that are made while the disk is busy share the next write.
   * @throws OutputError, and every later call throws it again
   */
  flush(): Promise<void>;
  /**
   * Flushes, and then writes the head file beside the log to disk. After that, the loss of a line is detected. If no head
   * exists, only a run that sends, or that begins the log, creates one. Wait for it before any action that only these lines
   * record.
   * @returns the claims that others have written to the log since the last call, or since the log was opened
   * @throws OutputError as `flush`
   */
  seal(): Promise<readonly LoggedClaim[]>;
  /**
   * Seals the log, and closes the file.
   * @throws OutputError
   */
  close(): Promise<void>;
  /** The last lines of the log at the last seal; null if it was not sealed. */
  head(): KeptLogHead | null;
}

/*
 * The reason why the lines are not written with pino: a key has to be on disk before its request is sent, and pino's
 * destination cannot guarantee that. With a buffer, its `flush` may call back after a write that had begun earlier, while
 * later lines are still in memory. Without a buffer, it calls back at once. A full disk is a separate event, not a failure
 * of the awaited flush.
 */
class RunLogFile implements RunLog {
  readonly isWhole: boolean;
  readonly #file: LogFile;
  readonly #batch: string;
  readonly #now: () => Date;
  readonly #known: KnownLines;
  readonly #chain: ChainWriter;
  readonly #headFile: RunHeadWriter;
  #texts: string[] = [];
  #failure: OutputError | null = null;
  #turnUnderWay: Promise<void> = Promise.resolve();
  #nextTurn: Promise<void> | null = null;
  /** Position in the file up to which all lines are known, including those of other writers. */
  #readUntil: number;
  /**
   * Expected end of the file if no other writer writes to it; null if another writer has left a line that was not whole
   * yet.
   */
  #end: number | null;
  #claims: LoggedClaim[];
  #head: KeptLogHead | null = null;
  /**
   * Whether this run may create a head. If nothing proves the end of a log, a run that does not send must not create one,
   * since the log would look proven from then on. A run that sends creates one: its rows are sent now, so lost lines cannot
   * prevent that any more.
   */
  #mayMakeHead: boolean;

  constructor(file: LogFile, opened: OpenedLines, options: RunLogOptions) {
    this.#file = file;
    this.#batch = options.batch;
    this.#now = options.now;
    this.#known = opened.known;
    this.isWhole = opened.isWhole;
    this.#claims = [...opened.claims];
    this.#chain = new ChainWriter(opened.known.lines);
    this.#headFile = new RunHeadWriter(file.path, options.files ?? realFileSystem);
    this.#readUntil = opened.end;
    this.#end = file.size;
    this.#mayMakeHead = file.size === 0 || opened.hasHead;
  }

  append(events: readonly RunEvent[], at = this.#now()): void {
    // If one event is refused, none is appended.
    const texts = runEventTexts(events, at, this.#batch);
    if (this.#failure !== null) return;
    for (const text of texts) this.#texts.push(text);
    for (const event of events) {
      this.#mayMakeHead ||= event.event === 'claim.made' || event.event === 'log.completed';
      if (event.event === 'claim.made')
        this.#known.claimed({ run: event.run, claim: event.claim, ledger: event.ledger ?? null });
      else if (event.event === 'log.completed') this.#known.lacking = [];
    }
  }

  flush(): Promise<void> {
    if (this.#nextTurn === null) {
      const turn = this.#turnUnderWay.then(() => {
        this.#nextTurn = null;
        return this.#orFail(() => this.#writeTexts());
      });
      this.#nextTurn = turn;
      this.#turnUnderWay = turn.catch(() => {});
    }
    return this.#nextTurn;
  }

  async seal(): Promise<readonly LoggedClaim[]> {
    await this.flush();
    const turn = this.#turnUnderWay.then(() => this.#orFail(() => this.#writeHead()));
    this.#turnUnderWay = turn.catch(() => {});
    await turn;
    return this.#claims.splice(0);
  }

  async close(): Promise<void> {
    try {
      await this.seal();
    } finally {
      await this.#file.close();
    }
  }

  head(): KeptLogHead | null {
    return this.#head;
  }

  /**
   * Ends the piece of a line that a crash has left at the end of the file.
   * @param isEvent whether the piece is a whole line without its newline
   */
  async mend(isEvent: boolean): Promise<void> {
    if (!isEvent) this.append([{ event: 'log.mended' }]);
    await this.#file.endLine();
    this.#wrote(1);
    await this.flush();
  }

  async #orFail(work: () => Promise<void>): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    try {
      await work();
    } catch (error) {
      // After a failed sync it is unknown what is on disk, and a second sync may succeed wrongly. So the failure is final.
      this.#failure = writeError(this.#file.path, error);
      throw this.#failure;
    }
  }

  async #writeTexts(): Promise<void> {
    const texts = this.#texts;
    this.#texts = [];
    let written = 0;
    while (written < texts.length) written += await this.#writeSome(texts.slice(written));
    if (texts.length > 0) await this.#file.sync();
    // Checked last, so that the data on disk is in the file that others open.
    await this.#file.requireInPlace();
  }

  /**
   * Writes lines with one call. If only a part of them is written, the line that was cut off has to be written again as a
   * whole, since another worker of the batch may have written after the piece.
   * @returns how many lines are written
   */
  async #writeSome(texts: readonly string[]): Promise<number> {
    const isMending = !(await this.#file.endsInLine());
    const begin = isMending ? '\n' : '';
    const named = this.#known.unnamed;
    const { lines, tips } = this.#chain.link([...(isMending ? [this.#mendedText()] : []), ...texts], named);
    const bytes = Buffer.from(begin + lines.join(''), 'ascii');
    const bytesWritten = await this.#file.write(bytes);
    this.#wrote(bytesWritten);
    const complete =
      bytesWritten === bytes.length ? lines.length : completeLines(lines, bytesWritten - begin.length);
    const tip = tips[complete - 1];
    if (tip !== undefined) {
      this.#chain.written(tip);
      this.#known.areNamed(named);
    }
    return Math.max(0, complete - (isMending ? 1 : 0));
  }

  #mendedText(): string {
    return runEventTexts([{ event: 'log.mended' }], this.#now(), this.#batch).join('');
  }

  #wrote(bytes: number): void {
    if (this.#end !== null) this.#end += bytes;
  }

  /**
   * Writes the head. Other writers of the log write the same head file, so the last one could remove claims that another
   * writer's head had. So each writer then reads the log again, and writes the head again if others have added claims.
   */
  async #writeHead(): Promise<void> {
    await this.#readOthers();
    const tip = this.#chain.tip;
    if (tip === null || !this.#mayMakeHead) return;
    do {
      const { unnamed: others, lastClaim: claimed, lacking } = this.#known;
      const tips = [tip, ...others];
      if (isSame(this.#head?.tips, tips)) return;
      const place = { batch: this.#batch, time: this.#now().toISOString(), ...tip, bytes: this.#readUntil };
      await this.#headFile.write({ ...place, claimed, others: [...others], lacking: [...lacking] });
      this.#head = { path: this.#file.path, tips };
    } while (await this.#readOthers());
  }

  /**
   * Reads the lines that others have written since the last read.
   * @returns whether these lines contain claims
   */
  async #readOthers(): Promise<boolean> {
    const size = await this.#file.sizeNow();
    if (size === this.#end) {
      this.#readUntil = size;
      return false;
    }
    if (size < this.#readUntil) throw shortened(this.#file.path);
    const before = this.#claims.length;
    const { end } = await this.#file.readLines(this.#readUntil, size, (text) => {
      if (linkOf(text)?.chain === this.#chain.chain) return;
      const claim = this.#known.read(text);
      if (claim !== null) this.#claims.push(claim);
    });
    this.#readUntil = end;
    this.#end = end === size ? size : null;
    return this.#claims.length > before;
  }
}

function isSame(head: readonly ChainTip[] | undefined, tips: readonly ChainTip[]): boolean {
  return head?.length === tips.length && tips.every(({ hash }, at) => head[at]?.hash === hash);
}

/**
 * Opens the run log at `path`, or creates it (permissions 0600, its folder 0700). If other users may read it (for example a
 * copy from a backup), their permissions are removed first. A symbolic link is refused, since another person could choose
 * the file that paybatch writes to. If a crash has cut off the last line, a newline and the event `log.mended` follow it,
 * so that later lines stay whole and a reader can distinguish the piece from damage.
 *
 * @throws OutputError
 */
export async function openRunLog(path: string, options: RunLogOptions): Promise<RunLog> {
  const { files = realFileSystem } = options;
  let file: LogFile | null = null;
  try {
    file = await LogFile.open(path, files);
    const opened = await readKnownLines(file, await readRunHead(path, files), options.claimsFrom);
    const runLog = new RunLogFile(file, opened, options);
    const end = await file.end();
    if (end === 'line') await file.sync();
    else await runLog.mend(end === 'event');
    await syncDirectoryOf(files, path);
    return runLog;
  } catch (error) {
    await file?.close().catch(() => {});
    throw writeError(path, error);
  }
}

/** A run log as code that records events of rows needs it. */
export interface RunLogPort extends Pick<RunLog, 'flush' | 'seal'> {
  append(events: readonly PipelineEvent[], at?: Date): void;
}
