import type { FileHandle } from 'node:fs/promises';
import type { FileSystem } from '../../src/output/files/file-system.ts';
import type { Faults } from './faults.ts';
import type { Actor, World } from './world.ts';

const stagedPattern = /"event":"row\.staged".*?"key":"([^"]+)"/g;

/** The run log's file on one host: what is written, and how much of it is on disk for certain. */
export class SimulatedDisk {
  readonly #world: World;
  readonly #faults: Faults;
  #text = '';
  #durableLength = 0;
  /** Keys that stand in the durable part. */
  readonly keysOnDisk = new Set<string>();

  constructor(world: World, faults: Faults) {
    this.#world = world;
    this.#faults = faults;
  }

  /** What was not on disk yet may be lost, in the middle of a line too. */
  cutPower(): void {
    this.#text = this.#text.slice(0, this.#world.random.whole(this.#durableLength, this.#text.length));
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
    const handle = {
      stat: () => answer(() => ({ size: this.#text.length, mode: 0o100600 })),
      read: (into: Buffer, at: number, length: number, position: number) =>
        answer(() => into.write(this.#text.slice(position, position + length), at, 'latin1')),
      write: (bytes: Buffer, at: number, length: number) => answer(() => this.#write(bytes, at, length)),
      sync: () => answer(() => this.#sync()),
      close: () => answer(() => {}),
    };
    const files = {
      open: () => answer(() => handle as unknown as FileHandle),
      mkdir: () => answer(() => undefined),
    };
    return files as unknown as FileSystem;
  }

  #write(bytes: Buffer, at: number, length: number): { bytesWritten: number } {
    if (length === 0) return { bytesWritten: 0 };
    this.#failIfFull();
    const bytesWritten = this.#world.random.chance(0.1) ? Math.ceil(length / 2) : length;
    this.#text += bytes.toString('latin1', at, at + bytesWritten);
    return { bytesWritten };
  }

  #sync(): void {
    this.#failIfFull();
    const added = this.#text.slice(this.#durableLength);
    this.#durableLength = this.#text.length;
    for (const [, key = ''] of added.matchAll(stagedPattern)) this.keysOnDisk.add(key);
  }

  #failIfFull(): void {
    if (this.#world.nowInMs < this.#faults.diskFullUntilInMs || this.#faults.diskFails()) {
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    }
  }
}
