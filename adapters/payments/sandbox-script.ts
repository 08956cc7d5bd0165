import { PluginStatus } from '../../lib/ports/index.ts';
import type { PluginProperty } from '../../lib/records/index.ts';
import { invalidField } from '../../lib/values/errors/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import { type Currency, type Decimal, isCurrency, parseWireDecimal } from '../../lib/values/money/index.ts';
import { shortened } from '../../lib/values/text/index.ts';

/** What the sandbox is told to do with a call instead of PROCESSED (payments §2.4 rule 2). */
export const SandboxAction = {
  ACTION_RETURN_PLUGIN_STATUS_ERROR: 'ACTION_RETURN_PLUGIN_STATUS_ERROR',
  ACTION_RETURN_PLUGIN_STATUS_CANCELED: 'ACTION_RETURN_PLUGIN_STATUS_CANCELED',
  ACTION_RETURN_PLUGIN_STATUS_PENDING: 'ACTION_RETURN_PLUGIN_STATUS_PENDING',
  ACTION_RETURN_PLUGIN_STATUS_UNDEFINED: 'ACTION_RETURN_PLUGIN_STATUS_UNDEFINED',
  /** A declared error. */
  ACTION_THROW_EXCEPTION: 'ACTION_THROW_EXCEPTION',
  /** Any other throw. */
  ACTION_THROW_RUNTIME: 'ACTION_THROW_RUNTIME',
  RETURN_NIL: 'RETURN_NIL',
} as const;
export type SandboxAction = (typeof SandboxAction)[keyof typeof SandboxAction];

/** Body of a sticky configuration; further members as the plugin properties of one call. */
export interface SandboxConfiguration {
  readonly CONFIGURE_ACTION: SandboxAction | 'ACTION_SLEEP' | 'ACTION_CLEAR' | 'OVERRIDE_STATUS';
  /** Comma-separated method names, for example `purchasePayment`; absent = all. */
  readonly METHODS?: string;
  readonly SLEEP_TIME_SEC?: number | string;
  /** Applies to the next n calls, then clears. */
  readonly TIMES?: number | string;
  readonly PROCESSED_AMOUNT?: string | number;
  readonly PROCESSED_CURRENCY?: string;
  readonly GATEWAY_ERROR_CODE?: string;
  readonly GATEWAY_ERROR?: string;
  readonly PAYMENT_RESPONSE?: string;
  /** For OVERRIDE_STATUS: what `getPaymentInfo` says about this transaction from now on. */
  readonly transactionId?: Uuid;
  readonly status?: PluginStatus;
  readonly amount?: string | number;
}

/** How one call has to go. */
export interface SandboxScript {
  readonly action: SandboxAction | null;
  readonly sleepMs: number;
  readonly processedAmount?: Decimal;
  readonly processedCurrency?: Currency;
  readonly gatewayErrorCode?: string;
  readonly gatewayError?: string;
  readonly paymentResponse?: string;
}

const MS_PER_SECOND = 1_000;

const statusOfAction: Readonly<Partial<Record<SandboxAction, PluginStatus>>> = {
  ACTION_RETURN_PLUGIN_STATUS_ERROR: PluginStatus.ERROR,
  ACTION_RETURN_PLUGIN_STATUS_CANCELED: PluginStatus.CANCELED,
  ACTION_RETURN_PLUGIN_STATUS_PENDING: PluginStatus.PENDING,
};

/** What the ledger stores about a call that goes that way; after a throw or no result, nobody knows its outcome. */
export function statusOf(action: SandboxAction | null): PluginStatus {
  return action === null ? PluginStatus.PROCESSED : (statusOfAction[action] ?? PluginStatus.UNDEFINED);
}

/** The script of the plugin properties of one call; a property equal to `true` selects the outcome. */
export function scriptOfProperties(properties: readonly PluginProperty[]): SandboxScript | null {
  const given = new Map(properties.map(({ key, value }) => [key, value]));
  const action = Object.values(SandboxAction).find((each) => given.get(each) === 'true') ?? null;
  const seconds = given.get('SLEEP_TIME_SEC') ?? given.get('sleepFor') ?? null;
  const values = valuesOf(Object.fromEntries(given));
  if (action === null && seconds === null && Object.keys(values).length === 0) return null;
  return { action, sleepMs: millisecondsOf(seconds), ...values };
}

/** The script of a sticky configuration. */
export function scriptOfConfiguration(configuration: SandboxConfiguration): SandboxScript {
  const { CONFIGURE_ACTION: name, SLEEP_TIME_SEC: seconds } = configuration;
  const action = Object.values(SandboxAction).find((each) => each === name) ?? null;
  return { action, sleepMs: millisecondsOf(seconds ?? null), ...valuesOf({ ...configuration }) };
}

/**
 * An amount of a configuration.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if it is not an amount.
 */
export function amountOf(value: unknown): Decimal | undefined {
  if (value === undefined || value === null) return undefined;
  const amount = parseWireDecimal(String(value));
  if (amount === undefined)
    throw invalidField(`The sandbox gateway cannot read the amount "${shortened(String(value))}"`);
  return amount;
}

function valuesOf(given: Readonly<Record<string, unknown>>): Omit<SandboxScript, 'action' | 'sleepMs'> {
  const { PROCESSED_CURRENCY: currency, GATEWAY_ERROR_CODE: code, GATEWAY_ERROR: error } = given;
  const { PAYMENT_RESPONSE: response } = given;
  if (currency !== undefined && currency !== null && !(typeof currency === 'string' && isCurrency(currency)))
    throw invalidField(`PROCESSED_CURRENCY "${shortened(String(currency))}" is no currency code of ISO 4217`);
  const amount = amountOf(given.PROCESSED_AMOUNT);
  return {
    ...(amount && { processedAmount: amount }),
    ...(typeof currency === 'string' && isCurrency(currency) && { processedCurrency: currency }),
    ...(typeof code === 'string' && { gatewayErrorCode: code }),
    ...(typeof error === 'string' && { gatewayError: error }),
    ...(typeof response === 'string' && { paymentResponse: response }),
  };
}

function millisecondsOf(seconds: number | string | null): number {
  const value = Number(seconds ?? 0);
  return Number.isFinite(value) && value > 0 ? Math.round(value * MS_PER_SECOND) : 0;
}
