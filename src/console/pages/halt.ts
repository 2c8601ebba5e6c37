/* What pages say while everything is stopped. */

import { type Html, html, section } from '../../account/report/page.ts';
import type { HaltInForce } from '../../domain/controls/controls.ts';
import { countOf } from '../../domain/money/money.ts';
import { moment } from './layout.ts';

/** That everything is stopped: since when, by whom and why, which rows in doubt it costs, and what lifts it. */
export function haltSection({ halt, inDoubt, liftedBy }: HaltInForce): Html {
  const doubt =
    inDoubt === null
      ? null
      : html`<p>${countOf(inDoubt.rows, 'row')} in doubt ${inDoubt.rows === 1 ? 'is' : 'are'} held if it lasts: the first from ${moment(inDoubt.firstHeldAt)} on, all from ${moment(inDoubt.lastHeldAt)} on.</p>`;
  const lifting =
    liftedBy === null
      ? html`<p>A person who may change the policy can lift it: <code>paybatch halt --lift</code></p>`
      : html`<p>Version ${liftedBy} of the policy lifts it. It waits for approvals: <code>paybatch policy approve ${liftedBy}</code></p>`;
  return section(
    'Everything is stopped',
    html`<p>Since ${moment(halt.at)}, by ${halt.by}: ${halt.note}</p>${doubt}${lifting}`,
  );
}
