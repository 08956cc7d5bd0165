import { PluginStatus } from '../../lib/ports/index.ts';
import { invalidField } from '../../lib/values/errors/index.ts';
import { isUuid, type Uuid } from '../../lib/values/ids/index.ts';
import { shortened } from '../../lib/values/text/index.ts';
import type { SandboxLedger } from './sandbox-ledger.ts';
import {
  amountOf,
  SandboxAction,
  type SandboxConfiguration,
  type SandboxScript,
  scriptOfConfiguration,
} from './sandbox-script.ts';

/** The methods that a configuration is about: those that run a transaction. */
const methodNames: ReadonlySet<string> = new Set([
  'authorizePayment',
  'capturePayment',
  'purchasePayment',
  'refundPayment',
  'creditPayment',
  'voidPayment',
]);
const EVERY_METHOD = '*';
const MAX_TIMES = 1_000_000;
const MAX_SLEEP_SECONDS = 3_600;

interface StickyScript {
  readonly script: SandboxScript;
  readonly actionName: string;
  timesLeft: number;
}

type Scripts = Map<string, StickyScript>;

/** The sticky actions and delays in seconds by method name, `*` = every method. */
export interface SandboxStatus {
  readonly states: Readonly<Record<string, string>>;
  readonly sleeps: Readonly<Record<string, number>>;
}

/** How the calls of each tenant go until it is told otherwise; what is set for no tenant holds for all of them. */
export class StickyScripts {
  readonly #ledger: SandboxLedger;
  readonly #ofAll: Scripts = new Map();
  readonly #byTenant = new Map<Uuid, Scripts>();

  constructor(ledger: SandboxLedger) {
    this.#ledger = ledger;
  }

  /** @throws BillingError MISSING_OR_INVALID_FIELD (60003) for what cannot be; nothing changes then. */
  configure(configuration: SandboxConfiguration, tenantId: Uuid | null): void {
    const { CONFIGURE_ACTION: actionName, METHODS } = configuration;
    if (actionName === 'OVERRIDE_STATUS') {
      this.#overrideStatus(configuration, tenantId);
      return;
    }
    const isKnown =
      actionName === 'ACTION_SLEEP' ||
      actionName === 'ACTION_CLEAR' ||
      Object.hasOwn(SandboxAction, actionName);
    if (!isKnown) throw unknown('CONFIGURE_ACTION', actionName, 'no action of the sandbox gateway');
    const methods = methodsOf(METHODS);
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

  /** The script for the method, or for all methods; one with a count is used up. */
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

  #scriptsOf(tenantId: Uuid | null): Scripts {
    if (tenantId === null) return this.#ofAll;
    const scripts = this.#byTenant.get(tenantId) ?? new Map();
    this.#byTenant.set(tenantId, scripts);
    return scripts;
  }

  #overrideStatus({ transactionId, status, amount }: SandboxConfiguration, tenantId: Uuid | null): void {
    if (status === undefined || !Object.hasOwn(PluginStatus, status))
      throw unknown('status', status, 'no status of a plugin');
    if (transactionId === undefined || !isUuid(transactionId))
      throw unknown('transactionId', transactionId, 'no id of a transaction');
    const changed = amountOf(amount);
    const override = changed === undefined ? { status } : { status, amount: changed };
    const known = this.#ledger.find(transactionId);
    const isTheirs = tenantId === null || (known?.tenantId ?? tenantId) === tenantId;
    if (known && isTheirs && this.#ledger.override(transactionId, override)) return;
    throw invalidField(`The sandbox gateway has no transaction ${transactionId}`, { transactionId });
  }
}

function methodsOf(methods: string | undefined): readonly string[] {
  const names = methods?.split(',').map((method) => method.trim()) ?? [EVERY_METHOD];
  for (const name of names)
    if (name !== EVERY_METHOD && !methodNames.has(name))
      throw unknown('METHODS', name, `none of ${[...methodNames].join(', ')}`);
  return names;
}

function timesOf(times: number | string | undefined): number {
  if (times === undefined) return Number.POSITIVE_INFINITY;
  const count = Number(times);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_TIMES) return count;
  throw unknown('TIMES', times, `no whole number from 1 to ${MAX_TIMES}`);
}

function checkSleep(seconds: number | string | undefined): void {
  if (seconds === undefined) return;
  const value = seconds === '' ? Number.NaN : Number(seconds);
  if (value >= 0 && value <= MAX_SLEEP_SECONDS) return;
  throw unknown('SLEEP_TIME_SEC', seconds, `no number of seconds up to ${MAX_SLEEP_SECONDS}`);
}

function unknown(field: string, value: unknown, what: string) {
  const shown = value === undefined ? 'is missing' : `"${shortened(String(value))}" is ${what}`;
  return invalidField(`${field} ${shown}`, { field });
}
