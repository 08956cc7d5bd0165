import type {
  InvoiceForPlugins,
  InvoicePlugin,
  InvoicePluginContext,
  PluginIdentity,
  Uuid,
} from '../../lib/index.ts';

export type InvoiceCall = Exclude<keyof InvoicePlugin, keyof PluginIdentity>;

export const invoiceCalls: readonly InvoiceCall[] = [
  'priorCall',
  'getAdditionalInvoiceItems',
  'getInvoiceGrouping',
  'onSuccessCall',
  'onFailureCall',
];

/** What a plugin does when called. */
export const answers = [
  'ok',
  'abort',
  'reschedule',
  'throw',
  'time out',
  'malformed',
  'adjusts too much',
  'unknown invoice',
] as const;
export type Answer = (typeof answers)[number];

/** The behavior of the plugin in one of its calls. */
export interface ScriptedCall {
  readonly call: InvoiceCall;
  readonly answer: Answer;
}

const NOBODYS = '99999999-9999-4999-8999-999999999999';

/** An invoice plugin with a script for each account. */
export class ScriptedInvoicePlugin implements InvoicePlugin {
  readonly name = 'scripted';
  readonly script = new Map<Uuid, ScriptedCall>();
  /** The completion calls of each account. */
  readonly completions = new Map<Uuid, string[]>();
  /**
   * Runs before the operation if `onFailureCall` is scripted, so that it fails although its plugin items are not used.
   */
  spoil: (accountId: Uuid) => Promise<void> = async () => undefined;

  priorCall = async (context: InvoicePluginContext) => {
    if (this.script.get(context.accountId)?.call === 'onFailureCall') await this.spoil(context.accountId);
    return this.#answer('priorCall', context);
  };

  getInvoiceGrouping: NonNullable<InvoicePlugin['getInvoiceGrouping']> = (...[invoice, , , context]) =>
    this.#answer('getInvoiceGrouping', context, invoice);

  getAdditionalInvoiceItems: NonNullable<InvoicePlugin['getAdditionalInvoiceItems']> = (...given) => {
    const [invoice, , , context] = given;
    if (this.script.get(context.accountId)?.call === 'onFailureCall') throw new Error('so that it fails');
    return this.#answer('getAdditionalInvoiceItems', context, invoice);
  };

  onSuccessCall = (context: InvoicePluginContext) => {
    this.#note('success', context);
    return this.#answer('onSuccessCall', context);
  };

  onFailureCall = (context: InvoicePluginContext) => {
    this.#note('failure', context);
    return this.#answer('onFailureCall', context);
  };

  #note(what: string, { accountId }: InvoicePluginContext): void {
    this.completions.set(accountId, [...(this.completions.get(accountId) ?? []), what]);
  }

  async #answer(
    call: InvoiceCall,
    context: InvoicePluginContext,
    invoice?: InvoiceForPlugins,
  ): Promise<object | null> {
    const scripted = this.script.get(context.accountId);
    if (scripted?.call !== call || context.rescheduled) return null;
    switch (scripted.answer) {
      case 'ok':
        return { items: [{ itemType: 'TAX', amount: '1' }], groups: [] };
      case 'abort':
        return { aborted: true };
      case 'reschedule':
        return { rescheduleDate: new Date(context.now.getTime() + 3_600_000) };
      case 'throw':
        throw new Error('the tax office is closed');
      case 'time out':
        return new Promise(() => undefined);
      case 'malformed':
        return ['nonsense'];
      case 'adjusts too much':
        return { items: [{ itemType: 'ITEM_ADJ', amount: '-20', linkedItemId: invoice?.items[0]?.id }] };
      case 'unknown invoice':
        return {
          items: [{ itemType: 'TAX', amount: '1', invoiceId: NOBODYS }],
          groups: [{ itemIds: [NOBODYS] }],
        };
    }
  }
}
