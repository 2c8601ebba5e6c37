import { median, type Report, type SidesReport, type TableReport } from './measured/rounds.ts';

/** A section's report as a Markdown table, with its ratios and conditions below. */
export function tableOf(report: Report): string {
  const { columns, lines } = 'columns' in report ? report : tableOfSides(report);
  return [
    `### ${report.title}`,
    '',
    `| ${columns.join(' | ')} |`,
    `|---|${'---:|'.repeat(columns.length - 1)}`,
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    ...report.ratios.map(
      ({ name, value, target, isMet }) =>
        `- ${name}: **${value.toFixed(2)}** (${target}: ${isMet ? 'met' : 'MISSED'})`,
    ),
    `- ${report.conditions}${'figures' in report ? roundsOf(report) : ''}`,
  ].join('\n');
}

function tableOfSides({ unit, figures }: SidesReport): Pick<TableReport, 'columns' | 'lines'> {
  return {
    columns: [unit, 'min', 'median', 'max'],
    lines: figures.map(({ name, values }) => [
      name,
      ...[Math.min(...values), median(values), Math.max(...values)].map(shown),
    ]),
  };
}

function roundsOf({ figures }: SidesReport): string {
  const rounds = figures[0]?.values.length ?? 0;
  return `; ${rounds} ${rounds === 1 ? 'round' : 'rounds, sides taking turns'}`;
}

function shown(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toFixed(2);
}
