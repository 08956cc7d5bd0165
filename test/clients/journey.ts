import type { SandboxGateway } from '../../adapters/testing/index.ts';
import type { Serving } from '../support/http/serving.ts';
import type { KillbillClient } from './killbill-client.ts';

export interface Journey {
  readonly client: KillbillClient;
  readonly serving: Serving & { readonly gateway: SandboxGateway };
  /** Ids of what earlier steps made, by their model. */
  readonly ids: Ids;
}

/** Names of ids, as the interface has them in its paths. */
export type IdName =
  | 'accountId'
  | 'accountEmailId'
  | 'bundleId'
  | 'subscriptionId'
  | 'eventId'
  | 'blockingId'
  | 'invoiceId'
  | 'invoiceItemId'
  | 'invoicePaymentId'
  | 'paymentId'
  | 'transactionId'
  | 'paymentAttemptId'
  | 'paymentMethodId'
  | 'tagDefinitionId'
  | 'tagId'
  | 'customFieldId';

/** Ids that were noted, and must have been when they are asked for. */
export class Ids {
  readonly #known = new Map<IdName, string>();

  note(name: IdName, id: string | undefined): string {
    if (id === undefined) throw new Error(`There is no ${name} to note`);
    this.#known.set(name, id);
    return id;
  }

  get(name: IdName): string {
    const id = this.#known.get(name);
    if (id === undefined) throw new Error(`No step has made a ${name}`);
    return id;
  }
}

/** Steps are asked for the journey when they run: it begins before the first of them. */
export type JourneyOf = () => Journey;

export const BY = 'created-by';
