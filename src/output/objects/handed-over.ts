import { join } from 'node:path';
import type { CreatedObject, FactColumn } from '../../domain/rows/object-facts.ts';
import { InstructionSheets, type SheetsHeading } from './instruction-sheets.ts';
import { ObjectsFile } from './objects-file.ts';

export interface HandedOverOptions extends SheetsHeading {
  readonly directory: string;
  /** What the files' names begin with, from `resultStem`. */
  readonly stem: string;
  readonly columns: readonly FactColumn[];
  /** The names of the columns by which people know a row, beside its reference. */
  readonly own: readonly string[];
}

/** Where the files are that hand over what was created; null for those that there is nothing for. */
export interface HandedOverFiles {
  readonly objects: string | null;
  readonly instructions: string | null;
  /** Objects whose facts this ledger does not have. */
  readonly withoutFacts: number;
}

/** The files that hand over what was created, written while the rows pass by on their way into the others. */
export class HandedOver {
  readonly #objects: ObjectsFile;
  readonly #sheets: InstructionSheets;
  #withoutFacts = 0;

  constructor({ directory, stem, columns, own, ...heading }: HandedOverOptions) {
    this.#objects = new ObjectsFile(join(directory, `${stem}.objects.csv`), { own, columns });
    this.#sheets = new InstructionSheets(join(directory, `${stem}.instructions.html`), heading);
  }

  /** Passes the rows on; what an unexpected end leaves behind, `discard` clears away. @throws OutputError */
  async *watch<Row>(
    groups: AsyncIterable<{ readonly rows: readonly Row[]; readonly objects: readonly CreatedObject[] }>,
  ): AsyncGenerator<readonly Row[]> {
    for await (const { rows, objects } of groups) {
      this.#withoutFacts += objects.filter(({ facts }) => facts === null).length;
      await this.#objects.write(objects);
      await this.#sheets.write(objects);
      yield rows;
    }
  }

  /** @throws OutputError */
  async publish(): Promise<HandedOverFiles> {
    const objects = await this.#objects.publish();
    return { objects, instructions: await this.#sheets.publish(), withoutFacts: this.#withoutFacts };
  }

  async discard(): Promise<void> {
    await this.#objects.discard();
    await this.#sheets.discard();
  }
}
