import { readEnvelope } from '../../../../src/kinds/answer.ts';
import type { ResourceDefinition } from '../../../../src/kinds/definition.ts';
import { echoesOf, fieldsOf, textFields } from '../../../../src/kinds/definition-parts.ts';

/** A kind that no API has. */
export const suppliers: ResourceDefinition = {
  name: 'suppliers',
  kind: 'suppliers',
  payeeType: null,
  path: '/v1/suppliers',
  rules: [
    {
      field: 'supplier_number',
      type: 'identifier',
      presence: 'required',
      description: 'Our number of the supplier',
      example: '0007',
    },
    {
      field: 'company',
      type: 'text',
      presence: 'required',
      description: 'Name of the company',
      example: 'Nyota Ltd',
    },
    {
      field: 'credit_limit',
      type: 'amount',
      presence: 'optional',
      description: 'Most that may be owed',
      example: '1500.00',
    },
  ],
  references: [],
  institution: null,
  naturalKey: (record) => [record['supplier_number'] ?? ''],
  handle: (record) => record['supplier_number'],
  body: (record) => fieldsOf(record, ['supplier_number', 'company', 'credit_limit']),
  readAnswer: readEnvelope,
  echoes: echoesOf({ supplier_number: 'text' }),
  answerFields: textFields('id', 'supplier_number'),
  ownReference: 'supplier_number',
};
