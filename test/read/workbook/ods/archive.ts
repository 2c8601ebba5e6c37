import { type ArchivePart, zip } from '../../../support/workbook.ts';

const ODS_TYPE = 'application/vnd.oasis.opendocument.spreadsheet';
const NAMESPACES = ['office', 'table', 'text', 'style', 'number']
  .map((name) => {
    const last = name === 'number' ? 'datastyle' : name;
    return `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${last}:1.0"`;
  })
  .join(' ');

export interface OdsContent {
  /** The XML inside `office:spreadsheet`. */
  readonly sheets: string;
  /** The XML of styles in the content, and of those in their own part. */
  readonly styles?: string;
  readonly commonStyles?: string;
  /** What is before the content's first element. */
  readonly start?: string;
}

/** The parts of a small but complete `.ods` file, to be changed by a test or given to `zip`. */
export function odsParts({ sheets, styles = '', commonStyles = '', start = '' }: OdsContent): ArchivePart[] {
  const automatic = `<office:automatic-styles>${styles}</office:automatic-styles>`;
  const body = `<office:body><office:spreadsheet>${sheets}</office:spreadsheet></office:body>`;
  const common = `<office:styles>${commonStyles}</office:styles>`;
  return [
    { name: 'mimetype', data: ODS_TYPE, method: 'stored' },
    { name: 'META-INF/manifest.xml', data: '<manifest:manifest/>' },
    {
      name: 'content.xml',
      data: `${start}<office:document-content ${NAMESPACES}>${automatic}${body}</office:document-content>`,
    },
    {
      name: 'styles.xml',
      data: `<office:document-styles ${NAMESPACES}>${common}</office:document-styles>`,
    },
  ];
}

export function ods(content: OdsContent): Buffer {
  return zip(odsParts(content));
}

export function odsSheet(rows: string, name = 'S', attributes = ''): string {
  return `<table:table table:name="${name}" ${attributes}>${rows}</table:table>`;
}

export function odsRow(cells: string, attributes = ''): string {
  return `<table:table-row ${attributes}>${cells}</table:table-row>`;
}

export function odsText(value: string, attributes = ''): string {
  return `<table:table-cell office:value-type="string" ${attributes}><text:p>${value}</text:p></table:table-cell>`;
}
