import type { AnswerOfPerson, MappingQuestion } from '../../engine/running/events.ts';
import { printable } from '../../output/words/wording.ts';
import { shortened } from '../views/terminal-text.ts';
import { isYes } from './ask.ts';
import type { Terminal } from './terminal.ts';

type Put = (question: string) => Promise<string | null>;

const sampleCharacters = 40;

/** Puts a question about how a file is read; asks again until the answer is one. */
export async function answerAboutMapping(
  terminal: Pick<Terminal, 'complain'>,
  put: Put,
  question: MappingQuestion,
): Promise<AnswerOfPerson> {
  terminal.complain(shown(question));
  for (;;) {
    const given = await put(prompt(question));
    if (given === null) {
      terminal.complain('');
      return 'stop';
    }
    const answer = answerIn(question, given.trim());
    if (typeof answer !== 'string' || !answer.startsWith('?')) return answer as AnswerOfPerson;
    terminal.complain(answer.slice(1));
  }
}

function shown(question: MappingQuestion): string {
  switch (question.kind) {
    case 'mapping_column': {
      const { title, samples, proposal, why } = question;
      const values = samples.map((value) => shortened(printable(value), sampleCharacters)).join('   ');
      const { field, joinedInto } = proposal;
      const meaning = joinedInto !== null ? `part of ${joinedInto}` : (field ?? 'left out');
      return `\n${printable(title === '' ? '(no name)' : title)}\n    values:   ${values === '' ? '(none)' : values}\n    proposed: ${meaning}   (${printable(why)})`;
    }
    case 'mapping_name':
      return '';
  }
}

function prompt(question: MappingQuestion): string {
  switch (question.kind) {
    case 'mapping_column':
      return '  [yes] / another field / ignore / ?: ';
    case 'mapping_name':
      return `Name of the mapping file [${question.suggestion}]: `;
  }
}

/** What a person's words mean; a text that begins with `?` says what is possible instead. */
function answerIn(question: MappingQuestion, given: string): AnswerOfPerson | `?${string}` {
  const word = given.toLowerCase();
  const isAgreed = given === '' || word === 'y' || isYes(word);
  const isRefused = word === 'n' || word === 'no';
  switch (question.kind) {
    case 'mapping_column': {
      if (isAgreed) return 'yes';
      if (isRefused || word === 'ignore' || word === 'i') return 'no';
      const field = question.fields.find((name) => name === word.replace(/[\s-]+/g, '_'));
      return field === undefined
        ? `?  possible are ${question.fields.join(', ')}, or ignore`
        : { text: field };
    }
    case 'mapping_name':
      return given === '' ? 'yes' : { text: given };
  }
}
