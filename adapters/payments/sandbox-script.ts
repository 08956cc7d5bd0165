import { PluginStatus } from '../../lib/ports/index.ts';
import type { PluginProperty } from '../../lib/records/index.ts';
import { invalidField } from '../../lib/values/errors/index.ts';
import { isUuid, type Uuid } from '../../lib/values/ids/index.ts';
import { type Currency, type Decimal, isCurrency, parseWireDecimal } from '../../lib/values/money/index.ts';
import { shortenText } from '../../lib/values/text/index.ts';
import type { SandboxLedger } from './sandbox-ledger.ts';

/** Outcomes of a sandbox call other than PROCESSED (payments §2.4 rule 2). */
export const SandboxAction = {
  ACTION_RETURN_PLUGIN_STATUS_ERROR: 'ACTION_RETURN_PLUGIN_STATUS_ERROR',
  ACTION_RETURN_PLUGIN_STATUS_CANCELED: 'ACTION_RETURN_PLUGIN_STATUS_CANCELED',
  ACTION_RETURN_PLUGIN_STATUS_PENDING: 'ACTION_RETURN_PLUGIN_STATUS_PENDING',
  ACTION_RETURN_PLUGIN_STATUS_UNDEFINED: 'ACTION_RETURN_PLUGIN_STATUS_UNDEFINED',
  /** A declared error. */
  ACTION_THROW_EXCEPTION: 'ACTION_THROW_EXCEPTION',
  /** An undeclared error. */
  ACTION_THROW_RUNTIME: 'ACTION_THROW_RUNTIME',
  RETURN_NIL: 'RETURN_NIL',
} as const;
export type SandboxAction = (typeof SandboxAction)[keyof typeof SandboxAction];

/**
 * A configuration that stays in effect until it is cleared. The remaining fields are the plugin properties that a
 * single call can have.
 */
export interface SandboxConfiguration {
  readonly CONFIGURE_ACTION: SandboxAction | 'ACTION_SLEEP' | 'ACTION_CLEAR' | 'OVERRIDE_STATUS';
  /** Comma-separated method names, such as `purchasePayment`. Defaults to all methods. */
  readonly METHODS?: string;
  readonly SLEEP_TIME_SEC?: number | string;
  /** Number of calls after which the configuration is cleared. */
  readonly TIMES?: number | string;
  readonly PROCESSED_AMOUNT?: string | number;
  readonly PROCESSED_CURRENCY?: string;
  readonly GATEWAY_ERROR_CODE?: string;
  readonly GATEWAY_ERROR?: string;
  readonly PAYMENT_RESPONSE?: string;
  /** Id of the transaction whose status OVERRIDE_STATUS changes in the results of `getPaymentInfo`. */
  readonly transactionId?: Uuid;
  readonly status?: PluginStatus;
  readonly amount?: string | number;
}

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

/**
 * Returns the status that the ledger records for the action. If the call fails or returns no result, the outcome is
 * unknown.
 */
export function statusOf(action: SandboxAction | null): PluginStatus {
  return action === null ? PluginStatus.PROCESSED : (statusOfAction[action] ?? PluginStatus.UNDEFINED);
}

/**
 * Returns the script that the plugin properties of a call contain. The property whose value is `true` selects the
 * outcome.
 */
export function scriptOfProperties(properties: readonly PluginProperty[]): SandboxScript | null {
  const given = new Map(properties.map(({ key, value }) => [key, value]));
  const action = Object.values(SandboxAction).find((each) => given.get(each) === 'true') ?? null;
  const seconds = given.get('SLEEP_TIME_SEC') ?? given.get('sleepFor') ?? null;
  const values = valuesOf(Object.fromEntries(given));
  if (action === null && seconds === null && Object.keys(values).length === 0) return null;
  return { action, sleepMs: millisecondsOf(seconds), ...values };
}

export function scriptOfConfiguration(configuration: SandboxConfiguration): SandboxScript {
  const { CONFIGURE_ACTION: name, SLEEP_TIME_SEC: seconds } = configuration;
  const action = Object.values(SandboxAction).find((each) => each === name) ?? null;
  return { action, sleepMs: millisecondsOf(seconds ?? null), ...valuesOf({ ...configuration }) };
}

/** Parses an amount. @throws BillingError MISSING_OR_INVALID_FIELD (60003) if it is invalid. */
export function amountOf(value: unknown): Decimal | undefined {
  if (value === undefined || value === null) return undefined;
  const amount = parseWireDecimal(String(value));
  if (amount === undefined)
    throw invalidField(`The sandbox gateway cannot read the amount "${shortenText(String(value))}"`);
  return amount;
}

function valuesOf(given: Readonly<Record<string, unknown>>) {
  const { PROCESSED_CURRENCY: currency, GATEWAY_ERROR_CODE: code, GATEWAY_ERROR: error } = given;
  const { PAYMENT_RESPONSE: response } = given;
  if (currency !== undefined && currency !== null && !(typeof currency === 'string' && isCurrency(currency)))
    throw invalidField(
      `PROCESSED_CURRENCY "${shortenText(String(currency))}" is not an ISO 4217 currency code`,
    );
  const amount = amountOf(given.PROCESSED_AMOUNT);
  return {
    ...(amount && { processedAmount: amount }),
    ...(typeof currency === 'string' && isCurrency(currency) && { processedCurrency: currency }),
    ...(typeof code === 'string' && { gatewayErrorCode: code }),
    ...(typeof error === 'string' && { gatewayError: error }),
    ...(typeof response === 'string' && { paymentResponse: response }),
  };
}

function millisecondsOf(seconds: number | string | null) {
  const value = Number(seconds ?? 0);
  return Number.isFinite(value) && value > 0 ? Math.round(value * MS_PER_SECOND) : 0;
}

/** The transaction operations. Configurations use the names of their methods, such as `purchasePayment`. */
const operations = ['authorize', 'capture', 'purchase', 'refund', 'credit', 'void'] as const;
export type SandboxOperation = (typeof operations)[number];
const methodNames: ReadonlySet<string> = new Set(operations.map((member) => `${member}Payment`));
const EVERY_METHOD = '*';
const MAX_TIMES = 1_000_000;
const MAX_SLEEP_SECONDS = 3_600;

interface StickyScript {
  readonly script: SandboxScript;
  readonly actionName: string;
  timesLeft: number;
}

type Scripts = Map<string, StickyScript>;

/** The actions in effect and the delays in seconds, by method name. `*` means all methods. */
export interface SandboxStatus {
  readonly states: Readonly<Record<string, string>>;
  readonly sleeps: Readonly<Record<string, number>>;
}

/** The scripts of each tenant, and the scripts that apply to all tenants. */
export class StickyScripts {
  readonly #ledger: SandboxLedger;
  readonly #ofAll: Scripts = new Map();
  readonly #byTenant = new Map<Uuid, Scripts>();

  constructor(ledger: SandboxLedger) {
    this.#ledger = ledger;
  }

  /**
   * Applies a configuration.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if the configuration is invalid. In that case, nothing
   * changes.
   */
  configure(configuration: SandboxConfiguration, tenantId: Uuid | null): void {
    const { CONFIGURE_ACTION: actionName, METHODS } = configuration;
    if (actionName === 'OVERRIDE_STATUS') {
      this.#overrideStatus(configuration, tenantId);
      return;
    }
    const isKnown = Object.hasOwn({ ...SandboxAction, ACTION_SLEEP: '', ACTION_CLEAR: '' }, actionName);
    if (!isKnown) throw unknown('CONFIGURE_ACTION', actionName, 'not an action of the sandbox gateway');
    const methods = parseMethodNames(METHODS);
    const scripts = this.#scriptsOf(tenantId);
    if (actionName === 'ACTION_CLEAR') {
      if (METHODS === undefined) scripts.clear();
      for (const method of methods) scripts.delete(method);
      return;
    }
    checkSleep(configuration.SLEEP_TIME_SEC);
    const timesLeft = timesOf(configuration.TIMES);
    const script = scriptOfConfiguration(configuration);
    for (const method of methods) scripts.set(method, { script, actionName, timesLeft });
  }

  take(method: string, tenantId: Uuid): SandboxScript | null {
    for (const scripts of [this.#byTenant.get(tenantId), this.#ofAll]) {
      const key = scripts?.has(method) ? method : EVERY_METHOD;
      const found = scripts?.get(key);
      if (!found) continue;
      found.timesLeft -= 1;
      if (found.timesLeft <= 0) scripts?.delete(key);
      return found.script;
    }
    return null;
  }

  status(tenantId: Uuid | null): SandboxStatus {
    const states: Record<string, string> = {};
    const sleeps: Record<string, number> = {};
    const own = tenantId === null ? undefined : this.#byTenant.get(tenantId);
    for (const [method, { actionName, script }] of [...this.#ofAll, ...(own ?? [])]) {
      if (actionName !== 'ACTION_SLEEP') states[method] = actionName;
      if (script.sleepMs > 0) sleeps[method] = script.sleepMs / 1_000;
    }
    return { states, sleeps };
  }

  #scriptsOf(tenantId: Uuid | null) {
    if (tenantId === null) return this.#ofAll;
    const scripts = this.#byTenant.get(tenantId) ?? new Map();
    this.#byTenant.set(tenantId, scripts);
    return scripts;
  }

  #overrideStatus({ transactionId, status, amount }: SandboxConfiguration, tenantId: Uuid | null) {
    if (status === undefined || !Object.hasOwn(PluginStatus, status))
      throw unknown('status', status, 'not a plugin status');
    if (transactionId === undefined || !isUuid(transactionId))
      throw unknown('transactionId', transactionId, 'not a transaction id');
    const changed = amountOf(amount);
    const override = changed === undefined ? { status } : { status, amount: changed };
    const known = this.#ledger.find(transactionId);
    const isTheirs = tenantId === null || (known?.tenantId ?? tenantId) === tenantId;
    if (known && isTheirs && this.#ledger.override(transactionId, override)) return;
    throw invalidField(`The sandbox gateway has no transaction ${transactionId}`, { transactionId });
  }
}

function parseMethodNames(methods: string | undefined) {
  const names = methods?.split(',').map((method) => method.trim()) ?? [EVERY_METHOD];
  for (const name of names)
    if (name !== EVERY_METHOD && !methodNames.has(name))
      throw unknown('METHODS', name, `not one of ${[...methodNames].join(', ')}`);
  return names;
}

function timesOf(times: number | string | undefined) {
  if (times === undefined) return Number.POSITIVE_INFINITY;
  const count = Number(times);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_TIMES) return count;
  throw unknown('TIMES', times, `not a whole number from 1 to ${MAX_TIMES}`);
}

function checkSleep(seconds: number | string | undefined) {
  if (seconds === undefined) return;
  const value = seconds === '' ? Number.NaN : Number(seconds);
  if (value >= 0 && value <= MAX_SLEEP_SECONDS) return;
  throw unknown('SLEEP_TIME_SEC', seconds, `not a number of seconds from 0 to ${MAX_SLEEP_SECONDS}`);
}

function unknown(field: string, value: unknown, what: string) {
  const shown = value === undefined ? 'is missing' : `"${shortenText(String(value))}" is ${what}`;
  return invalidField(`${field} ${shown}`, { field });
}
