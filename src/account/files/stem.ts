/* The beginnings of the names of result files. */

import { basename } from 'node:path';
import { shortBatchId } from '../../domain/batches/batch.ts';

const STEM_CHARACTERS = 100;
/** File systems limit a name to 255 bytes; this leaves room for endings and the temporary name. */
const STEM_BYTES = 200;

export interface NamedInput {
  /** The file's stated path or name, with its ending; `-` for standard input. */
  readonly fileName: string;
  /** The workbook's sheet, or null. */
  readonly sheet: string | null;
}

function withoutEnding(fileName: string): string {
  if (fileName === '-') return 'stdin';
  const name = basename(fileName);
  const unpacked = name.replace(/\.(?:csv|tsv|txt)\.gz$/i, '');
  return unpacked === name ? name.replace(/(.)\.[^.]*$/, '$1') : unpacked;
}

/** Letters of every script count, with the marks that are part of them. */
function plainName(text: string): string {
  return text.normalize('NFC').replace(/[^\p{L}\p{M}\p{Nd}._-]/gu, '_');
}

function cut(text: string, characters: number, bytes: number): string {
  let kept = '';
  let room = bytes;
  for (const character of Array.from(text).slice(0, characters)) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    kept += character;
  }
  return kept;
}

function inputName(input: NamedInput, ending: string): string {
  const parts = [withoutEnding(input.fileName), ...(input.sheet === null ? [] : [input.sheet])];
  const name = parts.map(plainName).join('.').replace(/^\.+/, '_');
  return cut(name === '' ? '_' : name, STEM_CHARACTERS - ending.length, STEM_BYTES - ending.length) + ending;
}

/**
 * The beginning of the names of a batch's files: `NAME.BATCH8`, or `NAME.SHEET.BATCH8` for a sheet. At most 100
 * characters, never hidden; inputs with equal names differ in their batch.
 */
export function resultStem(input: NamedInput & { readonly batchId: string }): string {
  return inputName(input, `.${shortBatchId(input.batchId)}`);
}

/** The beginning of a findings file's name: `NAME`, or `NAME.SHEET`; there is no batch yet. */
export function findingsStem(input: NamedInput): string {
  return inputName(input, '');
}
