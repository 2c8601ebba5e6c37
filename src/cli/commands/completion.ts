import { exitCodes } from '../../output/words/exit-codes.ts';
import { type Command, textOf } from '../command/command.ts';
import { completionScript } from '../help/completion.ts';

export const completionCommand: Command = {
  work: async (app, parsed) => {
    const shell = textOf(parsed, 'shell') ?? '';
    const script = await completionScript(shell);
    app.terminal.print(script.trimEnd());
    const document = { exit_code: exitCodes.done, shell, script };
    return { outcome: 'done', batches: [], failure: null, document };
  },
};
