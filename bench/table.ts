import { median, type Report } from './measured/rounds.ts';

/** A section's report as a Markdown table, with its ratios and conditions below. */
export function tableOf({ title, unit, figures, ratios, conditions }: Report): string {
  const lines = [
    `### ${title}`,
    '',
    `| ${unit} | min | median | max |`,
    '|---|---:|---:|---:|',
    ...figures.map(({ name, values }) => {
      const cells = [Math.min(...values), median(values), Math.max(...values)].map(shown);
      return `| ${name} | ${cells.join(' | ')} |`;
    }),
    '',
    ...ratios.map(
      ({ name, value, target, isMet }) =>
        `- ${name}: **${value.toFixed(2)}** (${target}: ${isMet ? 'met' : 'MISSED'})`,
    ),
    `- ${conditions}; ${figures[0]?.values.length ?? 0} rounds, interleaved`,
  ];
  return lines.join('\n');
}

function shown(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toFixed(2);
}
