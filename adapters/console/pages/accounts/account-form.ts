import type { Account } from '../../core/data.ts';
import { type Field, textsOf, type Values } from '../../parts/action.tsx';
import { texts } from '../../texts.ts';

const t = texts.account;

/** Fields that can be changed after the account was created. */
const changeable = [
  'name',
  'company',
  'legalName',
  'email',
  'phone',
  'address1',
  'address2',
  'postalCode',
  'city',
  'state',
  'country',
  'taxId',
  'locale',
  'notes',
] as const;

export const changeableFields: readonly Field[] = changeable.map((name) => ({
  name,
  kind: name === 'email' ? 'email' : name === 'notes' ? 'area' : 'text',
  rows: 3,
}));

export const newAccountFields: readonly Field[] = [
  { name: 'externalKey', help: t.keyHelp },
  { name: 'currency', isRequired: true, placeholder: 'EUR', help: t.fixedHelp },
  { name: 'timeZone', placeholder: 'Europe/Berlin', help: t.zoneHelp },
  { name: 'parentAccountId' },
  { name: 'isPaymentDelegatedToParent', kind: 'checkbox' },
  ...changeableFields,
];

/** Returns the values of the fields that can be changed; null for each empty one. */
export function changeableOf(account: Account) {
  return Object.fromEntries(changeable.map((name) => [name, account[name] ?? null]));
}

/** Returns the changed fields. Null resets a field that the user emptied. */
export function changesOf(account: Account, values: Values) {
  const given = Object.entries(textsOf(values, ...changeable));
  return Object.fromEntries(given.filter(([name, value]) => value !== changeableOf(account)[name]));
}

export function newAccountOf(values: Values) {
  const { isPaymentDelegatedToParent } = values;
  return {
    ...textsOf(values, 'externalKey', 'currency', 'timeZone', 'parentAccountId', ...changeable),
    isPaymentDelegatedToParent: isPaymentDelegatedToParent === true,
  };
}
