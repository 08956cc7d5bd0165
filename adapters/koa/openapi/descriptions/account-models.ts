import type { ModelTexts } from './model-text.ts';

export const accountModels: ModelTexts = {
  Account: {
    about: 'A customer: bundles, subscriptions, invoices and payments belong to one',
    properties: {
      accountId: 'Id of the account; one that is sent is ignored',
      externalKey: 'Key of the caller, unique in the tenant; by default the id; cannot be changed',
      referenceTime:
        'Moment whose time of day, in the zone of the account, holds for operations that are given a day only; by default now',
      parentAccountId: 'Account that this one is a child of',
      isPaymentDelegatedToParent: 'Whether the parent account pays for this one',
      currency: 'Currency of invoices; nothing is invoiced without one, and it cannot be changed',
      billCycleDayLocal:
        'Day of the month on which billing periods begin; 0 until it is set, and changed only from 0',
      paymentMethodId: 'Payment method by which invoices are paid',
      name: 'Name of the customer',
      firstNameLength: 'How many characters of the name are the first name',
      company: 'Company of the customer',
      address1: 'First line of the address',
      address2: 'Second line of the address',
      city: 'City of the address',
      state: 'State or region of the address',
      postalCode: 'Postal code of the address',
      country: 'Country of the address',
      locale: 'Language and country of documents, such as `fr_FR`',
      timeZone: 'Time zone in which the days of the account are told; by default `UTC`; cannot be changed',
      phone: 'Telephone number',
      email: 'First e-mail address',
      notes: 'Notes of the operator',
      isMigrated: 'Whether the account comes from another system',
      accountCBA: 'Credit of the account; null unless `accountWithBalanceAndCBA` asks for it',
      accountBalance:
        'What the account owes, less its credit; null unless one of the balance parameters asks',
    },
  },
  AccountEmail: {
    about: 'A further e-mail address of an account',
    properties: { accountId: 'Id of the account, as in the path', email: 'The address' },
  },
  AccountTimeline: {
    about: 'An account with all that happened to it, as it is at one moment',
    properties: {
      account: 'The account, without its balance',
      bundles: 'Its bundles, with subscriptions and events',
      invoices: 'Its invoices, with items, keys of bundles and credits',
      payments: 'Its payments',
    },
  },
  BlockingState: {
    about: 'What a service says of an account, bundle or subscription: what it blocks, from when on',
    properties: {
      blockedId: 'Id of the account, bundle or subscription',
      stateName: 'Name that the service gives the state',
      service: 'Name of the service; a later state of the same service replaces this one',
      isBlockChange: 'Whether changes of plan are refused',
      isBlockEntitlement: 'Whether the service is stopped',
      isBlockBilling: 'Whether nothing is billed',
      effectiveDate: 'From when on it holds',
      type: 'What it was put on',
    },
  },
  AuditLog: {
    about: 'One change of an object',
    properties: {
      changeType: 'Whether the object was added, changed or deleted',
      changeDate: 'When the change was made',
      objectType: 'Type of the object',
      objectId: 'Id of the object',
      changedBy: 'Who made the change: header `CreatedBy` of the call',
      reasonCode: 'Why: header `Reason` of the call',
      comments: 'Header `Comment` of the call',
      userToken: 'Id of the request that made the change',
      history: 'The object as it was after the change; only where the operation tells the history',
    },
  },
  CustomField: {
    about: 'A value that the caller keeps with an object',
    properties: {
      customFieldId: 'Id of the field; needed to change its value',
      objectType: 'Type of the object that has the field',
      objectId: 'Id of the object that has the field',
      name: 'Name of the field, once per object',
      value: 'Its value',
    },
  },
  TagDefinition: {
    about: 'What a tag means, and what may carry it',
    properties: {
      id: 'Id of the definition',
      isControlTag: 'Whether the tag has an effect of its own, such as to stop invoicing',
      name: 'Name; tags of users are in lower case',
      description: 'What the tag means',
      applicableObjectTypes: 'Types of objects that may carry it',
    },
  },
  Tag: {
    about: 'A tag that an object carries',
    properties: {
      tagId: 'Id of the tag',
      objectType: 'Type of the object that carries it',
      objectId: 'Id of the object that carries it',
      tagDefinitionId: 'Id of its definition',
      tagDefinitionName: 'Name of its definition',
    },
  },
};
