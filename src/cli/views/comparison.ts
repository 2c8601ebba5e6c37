import {
  type BreakLine,
  type ComparisonFigures,
  comparedText,
  differenceText,
  notComparedTexts,
  proofText,
  stateRows,
  stateText,
} from '../../output/reconciliation/comparison.ts';
import { countOf, groupedAmount, groupedNumber, printable } from '../../output/words/wording.ts';
import { type AlignedColumn, alignedTable } from './aligned-table.ts';
import { type Colour, colourIf, wrapped } from './terminal-text.ts';

const columns: readonly AlignedColumn[] = [
  { title: '' },
  { title: 'state' },
  { title: 'here', isFigure: true },
  { title: 'there', isFigure: true },
  { title: 'currency' },
  { title: 'amount here', isFigure: true },
  { title: 'amount there', isFigure: true },
];

/** A comparison, state by state, its first differences, and its proof, for a terminal. */
export function comparisonSummary(
  figures: ComparisonFigures,
  breaks: readonly BreakLine[],
  useColour: boolean,
): string {
  const colour = colourIf(useColour);
  const { hereName, thereName, here, there, breakCount } = figures;
  const records = stateRows(figures).map(({ state, isDifference, counts, currency, amounts }) => [
    ...(counts === null
      ? ['', '', '', '']
      : [markOf(state, isDifference), stateText(state, isDifference), ...countTexts(counts)]),
    ...[currency, groupedAmount(amounts.here), groupedAmount(amounts.there)],
  ]);
  return [
    ...wrapped(`${printable(hereName)} (here) beside ${printable(thereName)} (there)`, '  '),
    ...notComparedTexts(figures).flatMap((text) => wrapped(colour('yellow', text), '  ')),
    ...wrapped(comparedText(figures), '  '),
    '',
    ...alignedTable(columns, records, colour).map((line) => marked(line, colour)),
    '',
    ...breakLines(breaks, breakCount, colour),
    ...wrapped(proofText(here, there), '  '),
  ].join('\n');
}

/** What is outside of the coverage is no difference, and is not in order either. */
function markOf(state: string, isDifference: boolean): string {
  if (isDifference) return 'DIFF';
  return state === 'not_covered' ? 'note' : 'ok';
}

function countTexts(counts: { readonly here: number; readonly there: number }): string[] {
  return [groupedNumber(counts.here), groupedNumber(counts.there)];
}

function marked(line: string, colour: Colour): string {
  return line
    .replace(/^ {2}ok\b/, `  ${colour('green', 'ok')}`)
    .replace(/^ {2}note\b/, `  ${colour('yellow', 'note')}`)
    .replace(/^ {2}DIFF\b/, `  ${colour('red', 'DIFF')}`);
}

const breaksShown = 5;

function breakLines(breaks: readonly BreakLine[], total: number, colour: Colour): string[] {
  if (total === 0) return [];
  const lines = breaks
    .slice(0, breaksShown)
    .flatMap((line) => [
      `  ${colour('red', line.state)}  ${placeText(line)}`,
      ...wrapped(printable(differenceText(line)), '      '),
      ...(line.action === '' ? [] : wrapped(`→ ${printable(line.action)}`, '      ')),
    ]);
  const rest = total - Math.min(breaks.length, breaksShown);
  return [
    ...lines,
    ...(rest > 0 ? [`  and ${countOf(rest, 'more difference')}: see the breaks file`] : []),
    '',
  ];
}

function placeText({ hereRow, thereRow, thereFile }: BreakLine): string {
  const places = [
    ...(hereRow === null ? [] : [`row ${hereRow} here`]),
    ...(thereRow === null
      ? []
      : [`row ${thereRow}${thereFile === null ? '' : ` of ${printable(thereFile)}`} there`]),
  ];
  return places.join(', ');
}
