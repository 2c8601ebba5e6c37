import { noteText } from '../../account/words/note-text.ts';
import { printable } from '../../account/words/wording.ts';
import type { CallEvent, Step } from '../../call/events.ts';
import type { DoorWords } from '../../domain/failures/remedy.ts';
import { inOptions } from '../remedies/remedy-text.ts';
import { findingsSummary } from '../views/findings-summary.ts';
import { selectionTable } from '../views/selection-table.ts';
import { boundHeapGrowth } from './heap-growth.ts';
import type { Terminal } from './terminal.ts';

/** Rows and records are on their way for a moment only there, from a file to the database and on. */
const transientSteps: ReadonlySet<Step> = new Set<Step>(['planning', 'sending', 'asking', 'comparing']);

/** Shows a person what happens on the way. */
export function showEventsOn(terminal: Terminal, words: DoorWords): (event: CallEvent) => void {
  const { progress } = terminal;
  return (event) => {
    switch (event.kind) {
      case 'step.started':
        if (transientSteps.has(event.step)) boundHeapGrowth();
        if (event.step === 'comparing') break;
        progress.start({
          label: printable(stepLabel(event)),
          total: event.rows,
          done: event.done ?? 0,
          isTold: event.step === 'sending' || event.step === 'asking',
        });
        break;
      case 'step.advanced':
        progress.advance(event);
        break;
      case 'api.paused':
        progress.pause(event.waitInMs);
        break;
      case 'step.ended':
        progress.stop();
        break;
      case 'note': {
        const { text, remedies = [] } = noteText(event.note);
        const below = remedies.map(
          (remedy) => `
  ${printable(words.remedy(remedy))}`,
        );
        terminal.say(`${printable(inOptions(text))}${below.join('')}`);
        break;
      }
      case 'detail':
        terminal.detail(event.text, event.fields);
        break;
      case 'file.checked':
        terminal.print(`${findingsSummary(event.checked, terminal.useColour)}\n`);
        break;
      case 'rows.selected':
        terminal.print(`${selectionTable(event.selection, terminal.useColour)}\n`);
        break;
    }
  };
}

/** `sending customers`. */
function stepLabel({ step, about }: Extract<CallEvent, { kind: 'step.started' }>): string {
  if (step === 'asking') return 'asking for facts';
  if (step === 'comparing') return 'comparing records';
  return about === null ? step : `${step} ${about}`;
}
