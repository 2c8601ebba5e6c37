import { Duplex } from 'node:stream';
import { type EmbeddedEngine, joinedBytes } from './engine.ts';

/** The first byte of a client's message that ends its connection (`Terminate`). */
const terminate = 'X'.charCodeAt(0);

type Done = (error?: Error | null) => void;

/** What the driver takes for the socket of a connection: each write is answered before the next is taken. */
export class EngineStream extends Duplex {
  readonly #answer: EmbeddedEngine['answer'];

  /** @param answer gives the answer to whole messages of a client */
  constructor(answer: EmbeddedEngine['answer']) {
    super();
    this.#answer = answer;
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    // What is answered is pushed when it is there.
  }

  override _write(chunk: Buffer, _encoding: string, done: Done): void {
    void this.#send([chunk], done);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: Done): void {
    void this.#send(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _final(done: Done): void {
    this.push(null);
    done();
  }

  async #send(chunks: readonly Buffer[], done: Done): Promise<void> {
    const written = chunks.filter((chunk) => chunk[0] !== terminate);
    try {
      if (written.length > 0) this.push(await this.#answer(joinedBytes(written)));
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
