import type { SearchColumnType } from './search-clause.ts';

/** The columns of an operator search with what they hold (accounts §6.2 rule 1). */
export const accountColumnTypes = {
  id: 'uuid',
  external_key: 'text',
  email: 'text',
  name: 'text',
  first_name_length: 'number',
  currency: 'text',
  billing_cycle_day_local: 'number',
  parent_account_id: 'uuid',
  is_payment_delegated_to_parent: 'boolean',
  payment_method_id: 'uuid',
  reference_time: 'instant',
  time_zone: 'text',
  locale: 'text',
  address1: 'text',
  address2: 'text',
  company_name: 'text',
  city: 'text',
  state_or_province: 'text',
  country: 'text',
  postal_code: 'text',
  phone: 'text',
  notes: 'text',
  migrated: 'boolean',
  created_by: 'text',
  created_date: 'instant',
  updated_by: 'text',
  updated_date: 'instant',
} as const satisfies Readonly<Record<string, SearchColumnType>>;

export type AccountColumn = keyof typeof accountColumnTypes;
