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
  /** The batch's whole id: a log belongs to one batch. */
  readonly batch: string;
  readonly now: () => Date;
  readonly files?: FileSystem;
  /** The first `seal` also returns the claims of lines behind this byte. Only those of later lines when absent. */
  readonly claimsFrom?: number;
}

/** The run log of one batch, opened for appending. */
export interface RunLog {
  /**
   * Whether the log has all lines that its head names. One that was cut, or replaced by an older copy, lacks lines that
   * the ledger has to write again.
   */
  readonly isWhole: boolean;
  /**
   * Keeps the events in memory, in order, until the next `flush`. Once writing has failed they are dropped: the caller
   * that receives an answer then still records it, and the next `flush` throws the failure.
   * @param at when they happened, where that was not just now
   */
  append(events: readonly RunEvent[], at?: Date): void;
  /**
   * Resolves when every event appended before the call is on disk, not merely written, and the log's name still leads to
   * this file. Calls made while the disk is busy share its next write.
   * @throws OutputError, and from then on every call throws it
   */
  flush(): Promise<void>;
  /**
   * Flushes, and then brings the head file beside the log to disk: from then on the loss of a line is noticed. If there
   * is no head, only a run that sends, or that begins the log, creates one. Wait for it before anything happens that only
   * these lines record.
   * @returns the claims that others have written into the log since the last call; the first time, since it was opened
   * @throws OutputError as `flush`
   */
  seal(): Promise<readonly LoggedClaim[]>;
  /**
   * Seals the log, and closes the file.
   * @throws OutputError
   */
  close(): Promise<void>;
  /** Where the log ended at the last seal; null where it was not sealed. */
  head(): KeptLogHead | null;
}

/*
 * Why the lines are not written through pino: a key has to be on disk before its request is sent, and pino's destination
 * cannot guarantee that. With a buffer, its `flush` may call back after a write that was already under way, while later
 * lines are still in memory; without one, it calls back at once; and a full disk is a separate event, not a failure of
 * the awaited flush.
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
  /** The file's lines are known up to here, those of other writers too. */
  #readUntil: number;
  /** Where the file ends if no other writer has written since; null where others have, and a line was not whole yet. */
  #end: number | null;
  #claims: LoggedClaim[];
  #head: KeptLogHead | null = null;
  /**
   * If nothing proves the end of a log, runs that only add to it create no head: it would look proven from then on. A run
   * that sends creates one, since lines that a cut has removed cannot hold back its rows any more.
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
    // All of them, or none if one is refused.
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
   * Ends the piece of a line that a crash has left.
   * @param isEvent whether that is a whole line without its newline
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
      // After a failed sync it is unknown what is on disk, and a second one may wrongly succeed.
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
    // Last, so that the data on disk is also in the file that others open.
    await this.#file.requireInPlace();
  }

  /**
   * Writes lines in one go. If the disk takes only a part of them, the line that was cut off is to be written again,
   * whole: another worker of the batch may have continued behind the piece.
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
   * Other writers of the log have heads of their own, and the last one to write it would lose the claims in the others'
   * heads. So each writer then reads the log once more, and writes the head again if it lacks claims.
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
   * Reads what others have written since the last read.
   * @returns whether it has claims
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
 * Opens the run log at `path`, or creates it (0600, its folder 0700). If others may read it, as a copy from a backup for
 * example, their permissions are removed first; a symbolic link is refused, since paybatch would write into a file that
 * somebody else chose. A last line that a crash has cut off is ended first, and followed by the event `log.mended`, so
 * that later lines stay whole and a reader can distinguish the piece from damage.
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

/** A run log for code that records events of rows. */
export interface RunLogPort extends Pick<RunLog, 'flush' | 'seal'> {
  append(events: readonly PipelineEvent[], at?: Date): void;
}
