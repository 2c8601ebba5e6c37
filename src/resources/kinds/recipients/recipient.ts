import { echoesOf, readEnvelope, textFields } from '../../answer.ts';
import { customerReference } from '../../customer-reference.ts';
import type { AnswerField, Echo, EchoKind, ResourceDefinition } from '../../definition.ts';

/** What a payee type says of itself: its columns, its request, and what makes a recipient the same one. */
interface PayeeType
  extends Pick<
    ResourceDefinition,
    'rules' | 'institution' | 'checkRecord' | 'naturalKey' | 'body' | 'echoes'
  > {
  /** As the API names it. */
  readonly payeeType: string;
}

/** A payee type with all that is the same for every recipient. */
export function recipient(own: PayeeType): ResourceDefinition {
  return {
    ...own,
    name: `recipients/${own.payeeType}`,
    kind: 'recipients',
    path: '/v1/external-accounts',
    references: [customerReference],
    handle: () => undefined,
    readAnswer: readEnvelope,
    answerFields: recipientAnswerFields,
    ownReference: 'account_name',
  };
}

/** What the answer to any recipient repeats, and the fields that a payee type has besides. */
export function recipientEchoes(own: Readonly<Record<string, EchoKind>>): readonly Echo[] {
  return echoesOf({ customer_id: 'uuid', payee_type: 'code', currency: 'code', ...own });
}

const nullableText = (path: string): AnswerField => ({ path, type: 'text', isNullable: true });
const addressField = (name: string): AnswerField => ({
  ...nullableText(`address.${name}`),
  isOptional: true,
});

/** What the specification shows of an external account, whatever its payee type, without mere request fields. */
const recipientAnswerFields: readonly AnswerField[] = [
  ...textFields('id', 'customer_id', 'payee_type', 'account_name'),
  nullableText('account_number'),
  // Present in mobile money records.
  { ...nullableText('phone_number'), isOptional: true },
  nullableText('account_owner_type'),
  ...textFields('currency'),
  ...['address_line1', 'address_line2', 'city', 'state', 'country', 'postal_code'].map(addressField),
  ...['iban', 'routing_number', 'institution_id'].map(nullableText),
  ...textFields('institution_name'),
  ...['institution_country_iso_code', 'institution_type'].map(nullableText),
  ...textFields('date_created'),
];
