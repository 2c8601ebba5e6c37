/* The colours that workbooks name by a number, where they have no palette of their own. */

/** The colours by number (18.8.27 of ISO/IEC 29500-1); the first eight are repeated once. */
const numbered = [
  ...['000000', 'FFFFFF', 'FF0000', '00FF00', '0000FF', 'FFFF00', 'FF00FF', '00FFFF'],
  ...['800000', '008000', '000080', '808000', '800080', '008080', 'C0C0C0', '808080'],
  ...['9999FF', '993366', 'FFFFCC', 'CCFFFF', '660066', 'FF8080', '0066CC', 'CCCCFF'],
  ...['000080', 'FF00FF', 'FFFF00', '00FFFF', '800080', '800000', '008080', '0000FF'],
  ...['00CCFF', 'CCFFFF', 'CCFFCC', 'FFFF99', '99CCFF', 'FF99CC', 'CC99FF', 'FFCC99'],
  ...['3366FF', '33CCCC', '99CC00', 'FFCC00', 'FF9900', 'FF6600', '666699', '969696'],
  ...['003366', '339966', '003300', '333300', '993300', '993366', '333399', '333333'],
];
const firstNumbered = 8;

/** The colour of a number, as six hexadecimal digits; undefined for the usual one. */
export function numberedColour(index: number | undefined): string | undefined {
  if (index === undefined) return undefined;
  return numbered[index < firstNumbered ? index : index - firstNumbered];
}
