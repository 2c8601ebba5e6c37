import { basename } from 'node:path';
import { exitCodes } from '../../domain/exit-code.ts';
import { Failure } from '../../domain/failure.ts';
import { unprotectCell } from '../../domain/formula-cell.ts';
import { kinds } from '../../domain/kind.ts';
import type { InputFile, InputTable } from '../../input/table.ts';
import { mappingTable } from '../../output/mapping-table.ts';
import { shellWord } from '../../output/next-steps.ts';
import { jsonText, printable } from '../../output/terminal-text.ts';
import {
  likeliestKind,
  looksLikeAnyHeader,
  type MappingProposal,
  proposeMapping,
  type SampledTable,
} from '../../pipeline/mapping-proposal.ts';
import { unknownKind } from '../../pipeline/table-mapping.ts';
import type { App } from '../app.ts';
import { type Command, textOf } from '../command.ts';
import { openFile } from '../inputs.ts';
import type { CommandEnd } from '../outcome.ts';

/** Enough to see how values are written; the rest of the file is not looked at. */
const rowsLookedAt = 100;

export const mappingCommand: Command = {
  build: (program) =>
    program.positional('file', {
      type: 'string',
      demandOption: true,
      description: 'A path; - is standard input',
    }),
  work: (app, parsed) => propose(app, textOf(parsed, 'file') ?? ''),
};

/** Prints the mapping on standard output, to be written to a file, and what it is made of beside it. */
async function propose(app: App, path: string): Promise<CommandEnd> {
  const { kind } = app.settings;
  const file = await openFile(path, app.settings, looksLikeAnyHeader);
  try {
    const table = tableToRead(app, file);
    const sampled = await sample(table);
    const fileName = path === '-' ? 'standard input' : basename(path);
    const found = kind ?? likeliestKind(sampled);
    if (found === undefined) throw undecidedKind(sampled, fileName);
    const proposal = proposeMapping(found, sampled);
    explain(app, path, proposal);
    app.terminal.print(jsonText(proposal.mapping, 2));
    return { exitCode: exitCodes.done, batches: [], failure: null, document: proposal.mapping };
  } finally {
    await file.close();
  }
}

/** Whoever asks for a mapping is not helped by the advice to ask for one. */
function undecidedKind(table: Pick<SampledTable, 'sheet'>, fileName: string): Failure {
  const { exitCode, code, message } = unknownKind(table, fileName);
  const others = table.sheet === null ? '' : '; --sheet names another sheet';
  return new Failure(exitCode, code, message, `name it: --kind ${kinds.join(', or ')}${others}`);
}

/** A mapping is for one header: of several sheets, the first whose header says most. */
function tableToRead({ terminal }: App, { tables }: InputFile): InputTable {
  const [first] = tables;
  if (first === undefined) throw new Error('an input has no table');
  const chosen =
    tables.find(
      ({ sheet, header }) => likeliestKind({ sheet, header: header.map(unprotectCell) }) !== undefined,
    ) ?? first;
  if (tables.length > 1) {
    terminal.say(
      `Only the sheet "${printable(chosen.sheet ?? '')}" is looked at; --sheet names another one.`,
    );
  }
  return chosen;
}

async function sample(table: InputTable): Promise<SampledTable> {
  const rows: (readonly string[])[] = [];
  for await (const group of table.rows()) {
    rows.push(...group.slice(0, rowsLookedAt - rows.length).map(({ cells }) => cells));
    if (rows.length >= rowsLookedAt) break;
  }
  return { sheet: table.sheet, header: table.header.map(unprotectCell), rows };
}

function explain({ terminal }: App, path: string, { kind, columns, open }: MappingProposal): void {
  const undecided = columns.filter(({ certainty }) => certainty === 'open').length;
  terminal.say(`${path === '-' ? 'standard input' : printable(path)}: ${kind}\n`);
  terminal.say(`${mappingTable({ columns, open }, terminal.useColour)}\n`);
  if (undecided + open.length > 0) {
    terminal.say(
      'A person must decide the rest, which is not in the mapping: under "columns", "ignore" or "constants".',
    );
  }
  const file = path === '-' ? 'FILE' : shellWord(path);
  terminal.say(`Then check it: paybatch validate ${file} --kind ${kind} --mapping mapping.json`);
}
