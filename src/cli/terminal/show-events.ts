import type { JobEvent } from '../../job/running/events.ts';
import { findingsSummary } from '../../output/terminal/findings-summary.ts';
import { printable } from '../../output/terminal/terminal-text.ts';
import { boundHeapGrowth } from './heap-growth.ts';
import type { Terminal } from './terminal.ts';

/** Shows a person what happens on the way. */
export function showEventsOn(terminal: Terminal): (event: JobEvent) => void {
  const { progress } = terminal;
  return (event) => {
    switch (event.kind) {
      case 'step.started':
        // Rows and records are on their way for a moment only, from a file to the database and on.
        if (event.step === 'sending' || event.step === 'comparing') boundHeapGrowth();
        if (event.step !== 'comparing') progress.start(event.label, event.rows);
        break;
      case 'step.advanced':
        progress.advance(event.rows);
        break;
      case 'step.ended':
        progress.stop();
        break;
      case 'note': {
        const advice = event.advice === undefined ? '' : `\n  ${printable(event.advice)}`;
        terminal.say(`${printable(event.text)}${advice}`);
        break;
      }
      case 'detail':
        terminal.detail(event.text);
        break;
      case 'file.checked':
        terminal.print(`${findingsSummary(event.checked, terminal.useColour)}\n`);
        break;
    }
  };
}
