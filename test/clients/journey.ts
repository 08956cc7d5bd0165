import type { SandboxGateway } from '../../adapters/testing/index.ts';
import type { Serving } from '../support/http/serving.ts';
import type { KillbillClient } from './killbill-client.ts';

export interface Journey {
  readonly client: KillbillClient;
  readonly serving: Serving & { readonly gateway: SandboxGateway };
  /** Ids of the records that earlier steps created, by model. */
  readonly ids: Ids;
}

/** Names of ids in the paths of the interface. */
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

/** Ids that were recorded. Reading an id that is missing throws. */
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

/** Returns the journey. Steps call it when they run, because the journey starts after they are declared. */
export type JourneyOf = () => Journey;

export const BY = 'created-by';
