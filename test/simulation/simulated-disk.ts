import type { FileHandle } from 'node:fs/promises';
import type { FileSystem } from '../../src/disk/file-system.ts';
import type { Faults } from './faults.ts';
import type { Actor, World } from './world.ts';

const claimPattern = /"event":"claim\.made".*?"run":"([^"]+)","claim":(\d+)/g;
const stagedPattern = /"event":"row\.staged".*?"key":"([^"]+)"/g;

/** A file beside the log: its head, or what is about to become it. */
interface SmallFile {
  text: string;
  isSynced: boolean;
}

/** The run log's file on one host, with its head: what is written, and how much of it is on disk for certain. */
export class SimulatedDisk {
  readonly #world: World;
  readonly #faults: Faults;
  #text = '';
  #durableLength = 0;
  /** Another file has another one. */
  #inode = 1;
  /** Files that have not got their name yet. */
  readonly #temporary = new Map<string, SmallFile>();
  /** The head, and what a power cut may bring back of it: the newest last; empty while there is none. */
  #heads: string[] = [];
  readonly #hasClaim: (run: string, claim: number) => boolean;
  /** Keys that are in the durable part. */
  readonly keysOnDisk = new Set<string>();
  /** Claims that are in the durable part, as `RUN CLAIM`. */
  readonly claimsOnDisk = new Set<string>();
  /** Claims of lines that a head has covered. */
  readonly claimsUnderHead = new Set<string>();

  /** @param hasClaim whether the ledger has committed a claim */
  constructor(world: World, faults: Faults, hasClaim: (run: string, claim: number) => boolean) {
    this.#world = world;
    this.#faults = faults;
    this.#hasClaim = hasClaim;
  }

  /** What is written, on disk for certain or not. */
  get text(): string {
    return this.#text;
  }

  /** The head beside it; null while there is none. */
  get head(): string | null {
    return this.#heads.at(-1) ?? null;
  }

  /** Somebody moves the file away: runs that have it open write to a file that no program finds any more. */
  moveAway(): void {
    this.#inode += 1;
    this.#text = '';
    this.#durableLength = 0;
  }

  /** What was not on disk yet may be lost, in the middle of a line too, and an earlier head may come back. */
  cutPower(): void {
    const { random } = this.#world;
    this.#text = this.#text.slice(0, random.whole(this.#durableLength, this.#text.length));
    if (this.#heads.length > 0) this.#heads = [random.pick(this.#heads)];
    this.#temporary.clear();
  }

  /** The file system as a program on this host sees it; only what the run log asks for. */
  filesFor(actor: Actor): FileSystem {
    const answer = <Value>(act: () => Value): Promise<Value> =>
      new Promise((resolve, reject) => {
        this.#world.after(this.#world.random.fraction() * 3, actor, () => {
          try {
            resolve(act());
          } catch (error) {
            reject(error);
          }
        });
      });
    const files = {
      open: (path: string, flags: string | number) =>
        answer(() => {
          if (flags === 'wx') return this.#openTemporary(path, answer);
          if (path.endsWith('.head')) return this.#openHead(answer);
          return path.endsWith('.jsonl') ? this.#openLog(answer) : this.#openFolder(answer);
        }),
      rename: (from: string) => answer(() => this.#nameHead(from)),
      lstat: () => answer(() => ({ dev: 1, ino: this.#inode })),
      mkdir: () => answer(() => undefined),
    };
    return files as unknown as FileSystem;
  }

  #openLog(answer: <Value>(act: () => Value) => Promise<Value>): FileHandle {
    const inode = this.#inode;
    const isGone = (): boolean => inode !== this.#inode;
    const handle = {
      stat: () =>
        answer(() => ({ size: isGone() ? 0 : this.#text.length, mode: 0o100600, dev: 1, ino: inode })),
      read: (into: Buffer, at: number, length: number, position: number) =>
        answer(() => ({
          bytesRead: into.write(this.#text.slice(position, position + length), at, 'latin1'),
        })),
      write: (bytes: Buffer, at: number, length: number) =>
        answer(() => (isGone() ? { bytesWritten: length } : this.#write(bytes, at, length))),
      sync: () =>
        answer(() => {
          if (!isGone()) this.#sync();
        }),
      close: () => answer(() => {}),
    };
    return handle as unknown as FileHandle;
  }

  #openTemporary(path: string, answer: <Value>(act: () => Value) => Promise<Value>): FileHandle {
    const file: SmallFile = { text: '', isSynced: false };
    this.#temporary.set(path, file);
    const handle = {
      write: (bytes: Buffer, at: number, length: number) =>
        answer(() => {
          this.#failIfFull();
          file.text += bytes.toString('latin1', at, at + length);
          return { bytesWritten: length };
        }),
      sync: () =>
        answer(() => {
          this.#failIfFull();
          file.isSynced = true;
        }),
      close: () => answer(() => {}),
    };
    return handle as unknown as FileHandle;
  }

  #openHead(answer: <Value>(act: () => Value) => Promise<Value>): FileHandle {
    const text = this.head;
    if (text === null) throw Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT' });
    const handle = {
      stat: () => answer(() => ({ size: text.length })),
      read: (into: Buffer) => answer(() => ({ bytesRead: into.write(text, 0, 'latin1') })),
      close: () => answer(() => {}),
    };
    return handle as unknown as FileHandle;
  }

  /** Once a folder is on disk, so are the names in it. */
  #openFolder(answer: <Value>(act: () => Value) => Promise<Value>): FileHandle {
    const handle = {
      sync: () =>
        answer(() => {
          this.#heads = this.#heads.slice(-1);
        }),
      close: () => answer(() => {}),
    };
    return handle as unknown as FileHandle;
  }

  #nameHead(from: string): void {
    const file = this.#temporary.get(from);
    if (file === undefined) throw new Error('there is no such file');
    this.#temporary.delete(from);
    this.#heads.push(file.text);
    if (!file.isSynced) return;
    const covered = this.#text.slice(0, JSON.parse(file.text).bytes);
    for (const [, run, claim] of covered.matchAll(claimPattern)) this.claimsUnderHead.add(`${run} ${claim}`);
  }

  #write(bytes: Buffer, at: number, length: number): { bytesWritten: number } {
    if (length === 0) return { bytesWritten: 0 };
    this.#failIfFull();
    const bytesWritten = this.#world.random.chance(0.1) ? Math.ceil(length / 2) : length;
    const text = bytes.toString('latin1', at, at + bytesWritten);
    this.#text += text;
    for (const [, run = '', claim = ''] of text.matchAll(claimPattern)) {
      if (!this.#hasClaim(run, Number(claim)))
        this.#world.violate('a log names only what is committed', `claim ${claim} of ${run}`);
    }
    return { bytesWritten };
  }

  #sync(): void {
    this.#failIfFull();
    const added = this.#text.slice(this.#durableLength);
    this.#durableLength = this.#text.length;
    for (const [, key = ''] of added.matchAll(stagedPattern)) this.keysOnDisk.add(key);
    for (const [, run, claim] of added.matchAll(claimPattern)) this.claimsOnDisk.add(`${run} ${claim}`);
  }

  #failIfFull(): void {
    if (this.#world.nowInMs < this.#faults.diskFullUntilInMs || this.#faults.diskFails()) {
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    }
  }
}
