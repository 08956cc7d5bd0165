import type { ModelTexts } from './model-text.ts';

const asked = 'null unless the parameters ask for it';

const transaction = {
  transactionId: 'Id of the transaction; in requests, of the pending one that is meant',
  amount: 'Amount; null where a payment is voided',
  currency: 'Currency; by default that of the account',
  effectiveDate: 'When it was begun',
  processedAmount: 'Amount that the gateway processed',
  processedCurrency: 'Currency that the gateway processed',
  status: 'What became of it',
  gatewayErrorCode: 'Error code of the gateway',
  gatewayErrorMsg: 'Error message of the gateway',
  firstPaymentReferenceId: `First reference of the gateway; ${asked}`,
  secondPaymentReferenceId: `Second reference of the gateway, usually the id of the processor; ${asked}`,
  properties: `What the gateway keeps of it; ${asked}; in requests, what it is given`,
};

const payment = {
  paymentNumber: 'Number, counted in the tenant',
  authAmount: 'What was authorized, in all',
  capturedAmount: 'What was captured, less what was charged back',
  purchasedAmount: 'What was purchased, less what was charged back',
  refundedAmount: 'What was refunded',
  creditedAmount: 'What was sent to the customer without a payment before',
  currency: 'Currency of the first transaction that succeeded or is pending',
  transactions: 'Transactions of the payment, the first one first',
  paymentAttempts: `Attempts to do it, also those to come; ${asked}`,
};

const combined = {
  account: 'Account: that of its id, else that of its key, else a new one',
  paymentMethod: 'Payment method: that of its id, else that of its key, else a new one',
  paymentMethodPluginProperties: 'Plugin properties for the payment method',
};

export const paymentModels: ModelTexts = {
  PluginProperty: {
    about: 'Something that a plugin is told or tells',
    properties: {
      key: 'Name of the property',
      value: 'Its value; what is no text is kept as JSON text',
      isUpdatable: 'Whether it may be changed later',
    },
  },
  PaymentMethod: {
    about: 'How an account pays: a card, a bank account, or outside of the system',
    properties: {
      accountId: 'Id of the account, as in the path',
      isDefault: 'Whether invoices are paid by it',
      pluginName: 'Name of the payment plugin that keeps it and moves the money',
      pluginInfo:
        'What the plugin knows of it, where the parameters ask; on creation, what the plugin is given',
    },
  },
  PaymentMethodPluginDetail: {
    about: 'What a payment plugin knows of a payment method',
    properties: {
      externalPaymentMethodId: 'Id of the payment method at the gateway',
      isDefaultPaymentMethod: 'Whether the gateway takes it as the default',
      properties: 'What else the gateway keeps of it',
    },
  },
  Payment: { about: 'A payment with its transactions', properties: payment },
  InvoicePayment: {
    about: 'A payment of an invoice',
    properties: {
      ...payment,
      accountId: 'Id of the account; needed in requests',
      purchasedAmount: 'What was purchased, less what was charged back; in requests by default the balance',
      targetInvoiceId: 'Id of the invoice',
    },
  },
  PaymentTransaction: { about: 'One operation on a payment', properties: transaction },
  InvoicePaymentTransaction: {
    about: 'One operation on a payment of an invoice',
    properties: {
      ...transaction,
      isAdjusted: 'Whether items of the invoice are adjusted with a refund',
      adjustments: 'Which items, and by how much',
    },
  },
  PaymentAttempt: {
    about: 'An attempt to do a transaction, done or scheduled',
    properties: {
      transactionId: 'Id of the transaction that it made',
      effectiveDate: 'When it was made; of one that is scheduled, when it will be',
      stateName: 'What became of it',
      pluginName: 'Names of the control plugins, separated by commas',
      pluginProperties: 'Plugin properties that it was asked for with',
    },
  },
  AdminPayment: {
    about: 'What an operator says of a payment whose outcome is known to be another',
    properties: {
      lastSuccessPaymentState:
        'State after the last operation that succeeded; by default what the status implies',
      currentPaymentStateName: 'State now; by default what the status implies',
      transactionStatus: 'What became of the transaction',
    },
  },
  ComboPaymentTransaction: {
    about: 'A payment with the account and payment method that it needs',
    properties: {
      ...combined,
      transaction: 'What to do',
      transactionPluginProperties: 'Plugin properties for the transaction',
    },
  },
  HostedPaymentPageFields: {
    about: 'What a page of the gateway is made from',
    properties: { formFields: 'Fields that the gateway asks for' },
  },
  ComboHostedPaymentPage: {
    about: 'What a page of the gateway is made from, with the account and payment method that it needs',
    properties: { ...combined, hostedPaymentPageFields: 'What the page is made from' },
  },
  HostedPaymentPageFormDescriptor: {
    about: 'How to send the customer to a page of the gateway',
    properties: {
      kbAccountId: 'Id of the account',
      formMethod: 'HTTP method of the form',
      formUrl: 'URL that the form is sent to',
      formFields: 'Fields of the form, by name',
      properties: 'What else the gateway says, by name',
    },
  },
  SandboxConfiguration: {
    about: 'How the sandbox gateway answers from now on; numbers may be given as text',
    properties: {
      CONFIGURE_ACTION: 'What it does, such as `ACTION_RETURN_PLUGIN_STATUS_ERROR`; `ACTION_CLEAR` ends it',
      METHODS: 'Methods that it concerns, separated by commas, such as `purchasePayment`; by default all',
      SLEEP_TIME_SEC: 'How many seconds it takes to answer',
      TIMES: 'For how many calls; by default until it is cleared',
      PROCESSED_AMOUNT: 'Amount that it says it processed',
      PROCESSED_CURRENCY: 'Currency that it says it processed',
      GATEWAY_ERROR_CODE: 'Error code that it answers',
      GATEWAY_ERROR: 'Error message that it answers',
      PAYMENT_RESPONSE: 'Why it declines, as conditions of overdue states tell it',
      transactionId: 'With `OVERRIDE_STATUS`: transaction of which it tells something else',
      status: 'With `OVERRIDE_STATUS`: what it tells',
      amount: 'With `OVERRIDE_STATUS`: amount that it tells',
    },
  },
  SandboxStatus: {
    about: 'How the sandbox gateway answers the tenant',
    properties: { states: 'Actions in force, by method', sleeps: 'Seconds it takes to answer, by method' },
  },
};
