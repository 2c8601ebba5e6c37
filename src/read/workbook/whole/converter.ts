// Runs as a separate program: reads a workbook from standard input, and writes its rows to files in a folder. The
// library for these formats needs the whole file and has no limits, so its memory and its time are limited.
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { describeBytes, InputError, type InputLimits, limitExceeded } from '../../file/input-error.ts';
import { type ConvertedSheet, type ConverterAnswer, rowLine } from './conversion.ts';
import { readWorkbook, type WholeSheet } from './read-workbook.ts';

function putAside(sheet: WholeSheet, file: string, limits: InputLimits): ConvertedSheet {
  const descriptor = openSync(file, 'wx', 0o600);
  let bytes = 0;
  let rows = 0;
  const startRows: number[] = [];
  for (const row of sheet.rows()) {
    rows += 1;
    if (row.number <= limits.headerRows) startRows.push(row.number);
    bytes += writeSync(descriptor, rowLine(row));
    if (bytes > limits.wholeFileInflatedBytes) {
      throw limitExceeded(
        `its content is larger than ${describeBytes(limits.wholeFileInflatedBytes)}`,
        'save it as .xlsx or as CSV UTF-8',
      );
    }
  }
  closeSync(descriptor);
  const { name, notes, isHidden, merged, range } = sheet;
  return { name, notes, isHidden, merged, range, rows, startRows, file };
}

/** Runs in a worker, since the main thread is blocked in the library until it is done. */
const WATCH = `
  const { parentPort, workerData: limitInMs } = require('node:worker_threads');
  const start = process.cpuUsage();
  const look = () => {
    const { user, system } = process.cpuUsage(start);
    if ((user + system) / 1000 > limitInMs) process.kill(process.pid, 'SIGKILL');
  };
  look();
  setInterval(look, 50);
  parentPort.postMessage('watching');
`;

/** Ends the program when it has used up its processor time, counted from this call. */
async function watchCpu(limitInMs: number): Promise<void> {
  const watch = new Worker(WATCH, {
    eval: true,
    workerData: limitInMs,
    // Without the options of the program: a loader of sources costs time here, and can block a thread that starts.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  });
  await once(watch, 'message');
  watch.unref();
}

async function convert(): Promise<ConverterAnswer> {
  const [folder = '', limitsAsJson = '{}', cpuInMs = '0'] = process.argv.slice(2);
  const limits: InputLimits = JSON.parse(limitsAsJson);
  await watchCpu(Number(cpuInMs));
  try {
    const sheets = readWorkbook(await buffer(process.stdin), limits);
    return {
      sheets: sheets.map((sheet, index) => putAside(sheet, join(folder, `${index}.ndjson`), limits)),
    };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { code, message, remedies, row } = error;
    return { refused: { code, message, remedies, ...(row === undefined ? {} : { row }) } };
  }
}

process.stdout.write(JSON.stringify(await convert()));
