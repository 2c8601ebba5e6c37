import type { CellKind } from '../../../domain/tables/table.ts';
import { type InputError, limitExceeded } from '../../file/input-error.ts';
import type { InputLimits } from '../../file/limits.ts';
import type { RawRow } from '../../table/header.ts';
import { type CellValue, columnName } from './cell-value.ts';

const HIDDEN_ROW = ['hidden row'];

/** A workbook's row while its cells come in, from left to right. */
export class RowBuilder {
  readonly number: number;
  readonly #isHidden: boolean;
  readonly #limits: InputLimits;
  readonly #cells: string[] = [];
  #kinds: Map<number, CellKind> | undefined;

  constructor(number: number, isHidden: boolean, limits: InputLimits) {
    this.number = number;
    this.#isHidden = isHidden;
    this.#limits = limits;
  }

  /**
   * @param column - from 1, beyond every column before
   * @throws InputError when there is a value beyond the last column that may be used
   */
  put(column: number, { text, kind }: CellValue): void {
    if (text === '' && kind === null) return;
    if (column > this.#limits.columns) throw this.#tooFar(column);
    while (this.#cells.length < column - 1) this.#cells.push('');
    this.#cells.push(text);
    if (kind === null) return;
    this.#kinds ??= new Map();
    this.#kinds.set(column - 1, kind);
  }

  /** @returns null when there is no value in it */
  build(): RawRow | null {
    if (this.#cells.length === 0) return null;
    return {
      number: this.number,
      cells: this.#cells,
      ...(this.#kinds === undefined ? {} : { kinds: this.#kinds }),
      ...(this.#isHidden ? { notes: HIDDEN_ROW, isHidden: true } : {}),
    };
  }

  #tooFar(column: number): InputError {
    return limitExceeded(
      `row ${this.number} has something in column ${columnName(column)}, beyond the ${this.#limits.columns}th`,
      'remove what stands so far to the right',
      { row: this.number },
    );
  }
}
