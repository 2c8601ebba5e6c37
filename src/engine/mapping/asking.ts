import { existsSync } from 'node:fs';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { CallContext } from '../running/context.ts';
import type { AnswerOfPerson, MappingQuestion } from '../running/events.ts';
import { freeMappingName } from './session.ts';

/** Questions about the mapping of an export, put one by one to whoever is there. */

type Ask = (question: MappingQuestion) => Promise<Exclude<AnswerOfPerson, 'nobody' | 'stop'>>;

/** Asks, and ends where nobody answers. */
export function askingOf(app: CallContext): Ask {
  return async (question) => {
    const answer = await app.ask(question);
    if (answer === 'nobody') {
      throw new PaybatchError('no_terminal', 'There is nobody to ask.', [
        'run it on a terminal',
        { action: 'leave_out', settings: [{ setting: 'interactive' }] },
      ]);
    }
    if (answer !== 'stop') return answer;
    throw new PaybatchError('interrupted', 'Stopped: no mapping was written.', 'run it again');
  };
}

/** A name that is free: a mapping that somebody has agreed to is never written over. */
export async function askForName(ask: Ask, stem: string): Promise<string> {
  for (;;) {
    const suggestion = freeMappingName(stem);
    const answer = await ask({ kind: 'mapping_name', suggestion });
    const given = typeof answer === 'object' ? answer.text : suggestion;
    const path = given.endsWith('.json') ? given : `${given}.json`;
    if (!existsSync(path)) return path;
  }
}
