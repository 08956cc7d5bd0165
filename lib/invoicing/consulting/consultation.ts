import type { SeenInvoice } from '../../ports/index.ts';
import type { Account, PluginProperty } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { DueDates } from '../evaluation/due-entries.ts';
import type { DecidedInvoice } from '../plugins/decided-run.ts';
import type { Proposal } from '../plugins/proposal.ts';
import type { ConsultedCall, InvoicePluginCalls } from './invoice-plugin-calls.ts';

/** A run that plugins have been asked about, and what they have made of it. */
export interface SeenRun extends DecidedInvoice {
  readonly proposal: Proposal;
  /** The ids that its evaluation has used, in order. */
  readonly ids: readonly Uuid[];
}

/** What the plugins say about the run of one account. */
export type Consultation =
  | {
      /** It goes on. */
      readonly kind: 'go';
      readonly call: ConsultedCall;
      readonly properties: readonly PluginProperty[];
      /** null: nobody has seen the run. */
      readonly seen: SeenRun | null;
      /** Whether a plugin wants to see the invoice, if there is one. */
      readonly isToBeSeen: boolean;
      /** The invoice as plugins saw it last; null = none. */
      readonly invoice: SeenInvoice | null;
    }
  | {
      readonly kind: 'stopped';
      readonly call: ConsultedCall;
      /** When a plugin wants to be asked again; null = it has aborted the run. */
      readonly rescheduledTo: Instant | null;
    }
  | {
      readonly kind: 'failed';
      readonly call: ConsultedCall;
      readonly properties: readonly PluginProperty[];
      readonly error: unknown;
      /** Of a failure after the invoice was worked out: the dates at which the account is due, and the invoice. */
      readonly worked: (DueDates & { readonly invoice: SeenInvoice }) | null;
    };

/** What the plugins of a tenant say about the runs of some accounts. */
export interface Consultations {
  readonly calls: InvoicePluginCalls;
  /** By account id. */
  readonly of: ReadonlyMap<Uuid, Consultation>;
}

/** Who or what causes the runs that plugins are asked about. */
export interface RunCaller {
  readonly userName: string;
  readonly reasonCode: string | null;
  readonly comments: string | null;
  userTokenOf(accountRecordId: number): Uuid;
}

/** The call that plugins are told of. */
export function consultedCall(
  { id: accountId, recordId }: Account,
  { userName, reasonCode, comments, userTokenOf }: RunCaller,
  of: Pick<ConsultedCall, 'tenant' | 'now' | 'targetDate' | 'rescheduled' | 'dryRun'>,
): ConsultedCall {
  return { ...of, accountId, userName, reasonCode, comments, userToken: userTokenOf(recordId) };
}
