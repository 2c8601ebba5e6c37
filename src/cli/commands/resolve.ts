import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { isVerdict, type ResolveRequest, verdicts } from '../../engine/resolve.ts';
import { countOf } from '../../output/words/wording.ts';
import { type Arguments, type Command, textOf } from '../command/command.ts';
import { printBatches } from '../printing/result.ts';
import { boundHeapGrowth } from '../terminal/heap-growth.ts';

export const resolveCommand: Command = {
  work: async (app, parsed) => {
    boundHeapGrowth();
    const request = { batch: textOf(parsed, 'batch') ?? '', verdicts: verdictsIn(parsed) };
    const result = await app.engine.resolve(request, app.call).result;
    printBatches(app, result);
    app.terminal.print(`Recorded ${countOf(result.recorded, 'verdict')}. Nothing was sent.`);
    return result;
  },
};

function verdictsIn(parsed: Arguments): ResolveRequest['verdicts'] {
  const file = textOf(parsed, 'file');
  const [row, as] = [textOf(parsed, 'row'), textOf(parsed, 'as')];
  if (file === undefined) return oneVerdict(row, as, parsed);
  const ofOneRow = ['row', 'as', 'id', 'attempts'];
  if (ofOneRow.some((name) => textOf(parsed, name) !== undefined)) {
    throw usage('--file and a verdict on one row exclude each other.');
  }
  return { file };
}

function oneVerdict(
  row: string | undefined,
  as: string | undefined,
  parsed: Arguments,
): ResolveRequest['verdicts'] {
  if (row === undefined || as === undefined)
    throw usage('A verdict needs --row and --as, or --file for many.');
  if (!/^[1-9]\d{0,8}$/.test(row)) throw usage('--row is no row number.');
  if (!isVerdict(as)) throw usage(`--as is none of ${verdicts.join(', ')}.`);
  const known = textOf(parsed, 'attempts');
  if (known !== undefined && !/^\d{1,9}$/.test(known)) throw usage('--attempts is no number of requests.');
  const id = textOf(parsed, 'id')?.trim() ?? null;
  const note = textOf(parsed, 'note')?.trim() ?? '';
  const attempts = known === undefined ? null : Number(known);
  return { row: Number(row), verdict: as, id, note, key: null, attempts };
}

function usage(message: string): PaybatchError {
  return new PaybatchError('usage', message, 'paybatch resolve --help');
}
