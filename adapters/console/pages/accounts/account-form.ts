import type { ResultOf } from '../../core/index.ts';
import { type Field, textOrNull, type Values } from '../../parts/index.ts';
import { texts } from '../../texts.ts';

const t = texts.account;

export type Account = ResultOf<'accounts', 'get'>;

/** Fields that can be changed after the account was created. */
const changeable = Object.keys(t.fields) as (keyof typeof t.fields)[];

type Changeable = (typeof changeable)[number];

const kinds: Partial<Record<Changeable, Field['kind']>> = { email: 'email', notes: 'area' };

export const changeableFields: readonly Field[] = changeable.map((name) => ({
  name,
  label: t.fields[name],
  kind: kinds[name] ?? 'text',
  rows: 3,
}));

export const newAccountFields: readonly Field[] = [
  { name: 'externalKey', label: texts.accounts.key, help: t.keyHelp },
  {
    name: 'currency',
    label: texts.accounts.currency,
    isRequired: true,
    placeholder: 'EUR',
    help: t.fixedHelp,
  },
  { name: 'timeZone', label: texts.accounts.zone, placeholder: 'Europe/Berlin', help: t.zoneHelp },
  { name: 'parentAccountId', label: t.parentId },
  { name: 'isPaymentDelegatedToParent', label: t.parentPays, kind: 'checkbox' },
  ...changeableFields,
];

export function valuesOfAccount(account: Account): Values {
  return Object.fromEntries(changeable.map((name) => [name, account[name] ?? '']));
}

/** Returns the changed fields. Null resets a field that the user emptied. */
export function changesOfAccount(
  account: Account,
  values: Values,
): Partial<Record<Changeable, string | null>> {
  const given = changeable.map((name) => [name, textOrNull(values, name)] as const);
  return Object.fromEntries(given.filter(([name, value]) => value !== (account[name] ?? null)));
}

export function newAccountOf(values: Values) {
  const given = ['externalKey', 'currency', 'timeZone', 'parentAccountId', ...changeable];
  return {
    ...Object.fromEntries(given.map((name) => [name, textOrNull(values, name)])),
    isPaymentDelegatedToParent: values.isPaymentDelegatedToParent === true,
  };
}
