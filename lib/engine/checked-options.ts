import { EntitlementOperation, type PluginIdentity } from '../ports/index.ts';
import { EXTERNAL_PAYMENT_PLUGIN } from '../records/index.ts';
import {
  guardedClock,
  guardedFunction,
  guardedList,
  guardedLogger,
  guardedObject,
  guardedTracer,
} from '../runtime/index.ts';
import { assertInvariant } from '../values/errors/index.ts';
import { closestTo } from '../values/text/index.ts';
import type { BillingOptions } from './billing-options.ts';

/** Describes how to check and guard one option. */
interface OptionRule {
  readonly isRequired?: true;
  /** The methods of the port, or of each plugin in the list. The value is null if the option is a function. */
  readonly methods?: readonly string[] | null;
  /** The singular name of a plugin in the list, for error messages. */
  readonly plugin?: string;
  /** Name of the port in error messages. Defaults to the name of the option. */
  readonly called?: string;
  readonly guard?: (given: never) => unknown;
  /** The type of a plain value. */
  readonly type?: 'string' | 'boolean' | 'number' | 'object';
}

const rules = {
  storage: {},
  clock: { isRequired: true, methods: ['now'] },
  systemClock: { isRequired: true, methods: ['nowMs', 'nextTurn', 'after'] },
  ids: { isRequired: true, methods: ['next'], guard: guardedObject },
  hasher: { isRequired: true, methods: ['hash', 'verify', 'isWeaker'], guard: guardedObject },
  cipher: { isRequired: true, methods: ['random', 'encrypt', 'decrypt'], guard: guardedObject },
  sha256: { isRequired: true, methods: null, guard: guardedFunction },
  logger: { isRequired: true, methods: ['debug', 'info', 'warn', 'error'] },
  tracer: { methods: ['start', 'detached'] },
  scopes: { methods: ['run', 'current'] },
  pushSender: { methods: ['resolve', 'send'], guard: guardedObject },
  processGauges: { methods: ['memoryBytes', 'eventLoopLagMs'], guard: guardedObject },
  logFiles: { methods: ['read'], guard: guardedObject },
  isFormerNode: { methods: null, guard: guardedFunction },
  gateways: { plugin: 'payment gateway', methods: ['purchase', 'getPaymentInfo'], guard: guardedList },
  paymentControls: { plugin: 'payment control plugin', guard: guardedList },
  invoicePlugins: { plugin: 'invoice plugin', guard: guardedList },
  entitlementPlugins: { plugin: 'entitlement plugin', guard: guardedList },
  catalogPlugins: { plugin: 'catalog plugin', methods: ['latestVersion', 'catalog'], guard: guardedList },
  usageSources: {
    plugin: 'usage source',
    methods: ['getUsageForAccount', 'getUsageForSubscription'],
    guard: guardedList,
  },
  eventSinks: { plugin: 'event sink', methods: ['onEvent'], guard: guardedList },
  documentRenderer: { called: 'The document renderer', methods: ['pdf'], guard: guardedObject },
  eInvoices: { called: 'The e-invoice writer', methods: ['xml'], guard: guardedObject },
  eInvoiceSender: { called: 'The e-invoice sender', methods: ['send'], guard: guardedObject },
  invoiceFormatter: { called: 'The invoice formatter', methods: ['formatter'], guard: guardedObject },
  configuration: { type: 'object' },
  defaultCatalog: {
    guard: <T>(given: T): T => (typeof given === 'function' ? (guardedFunction(given as never) as T) : given),
  },
  defaultOverdueConfig: {},
  testMode: { type: 'boolean' },
  maxDocumentBytes: { type: 'number' },
  nodeCommands: { type: 'object', guard: guardedObject },
  version: { type: 'string' },
  hostName: { type: 'string' },
  nodeName: { type: 'string' },
} as const satisfies Record<keyof BillingOptions<never>, OptionRule>;

const NEEDS_STORAGE = "Billing.open needs a storage, such as { storage: sqlite('billing.db') }";

/**
 * Checks the options of `Billing.open`, because hosts may call it without type checking.
 * @throws InvariantError that names an unknown or missing option, or a port or plugin that lacks a method or a unique
 * name.
 */
export function checkOptions<Host>(options: BillingOptions<Host>): void {
  assertInvariant(typeof options === 'object' && options !== null, NEEDS_STORAGE);
  for (const name of Object.keys(options)) assertInvariant(Object.hasOwn(rules, name), unknownOption(name));
  const prepare: unknown = Reflect.get(Object(options.storage), 'prepare');
  assertInvariant(typeof prepare === 'function', NEEDS_STORAGE);
  for (const [name, rule] of Object.entries<OptionRule>(rules)) {
    const given: unknown = Reflect.get(options, name) ?? undefined;
    if (rule.plugin === undefined) checkPort(name, given, rule);
    else checkPlugins(name, (given ?? []) as readonly PluginIdentity[], rule);
  }
  const isShadowed = options.gateways?.some(({ name }) => name === EXTERNAL_PAYMENT_PLUGIN) ?? false;
  assertInvariant(
    !isShadowed,
    `A payment gateway cannot be named ${EXTERNAL_PAYMENT_PLUGIN}; this name is reserved for the engine`,
  );
  for (const { name, before = {} } of options.entitlementPlugins ?? [])
    for (const operation of Object.keys(before))
      assertInvariant(
        Object.hasOwn(EntitlementOperation, operation),
        `The entitlement plugin "${name}" has a "before" method for ${operation}, which is not an operation`,
      );
}

function checkPort(name: string, given: unknown, { isRequired, methods, called, type }: OptionRule): void {
  if (given === undefined) {
    assertInvariant(
      !isRequired,
      `Billing.open needs ${name}; the entry point "billwright" provides one for Node`,
    );
    return;
  }
  const who = called ?? `${name} of Billing.open`;
  if (type !== undefined) assertInvariant(typeof given === type, `${who} is not of type ${type}`);
  if (methods === null) assertInvariant(typeof given === 'function', `${who} is not a function`);
  else for (const method of methods ?? []) checkMethod(Object(given), method, who);
}

function unknownOption(name: string): string {
  const meant = closestTo(name, Object.keys(rules));
  return `Billing.open has no option ${name}${meant === null ? '' : `; did you mean ${meant}?`}`;
}

function checkPlugins(option: string, plugins: readonly PluginIdentity[], rule: OptionRule): void {
  const { plugin: one, methods } = rule;
  assertInvariant(Array.isArray(plugins), `${option} is not a list of plugins`);
  for (const [at, plugin] of plugins.entries()) {
    const name: unknown = plugin?.name;
    assertInvariant(typeof name === 'string' && name !== '', `The ${one} ${option}[${at}] has no name`);
    const isAlone = plugins.findIndex((other) => other?.name === name) === at;
    assertInvariant(isAlone, `Two ${one}s have the same name: ${name}`);
    for (const method of methods ?? []) checkMethod(plugin, method, `The ${one} "${name}"`);
  }
}

function checkMethod(plugin: object, method: string, who: string): void {
  const found: unknown = Reflect.get(plugin, method);
  assertInvariant(typeof found === 'function', `${who} has no method ${method}`);
}

/**
 * Returns the options with guarded plugins and ports. A guarded object throws only plain errors into the engine. The
 * storage is part of the engine and stays unguarded.
 */
export function guardedOptions<Host>(options: BillingOptions<Host>): BillingOptions<Host> {
  const logger = guardedLogger(options.logger);
  const { tracer } = options;
  const guards = Object.entries<OptionRule>(rules).flatMap(([name, { guard }]) => {
    const given: unknown = Reflect.get(options, name);
    return guard === undefined || given == null ? [] : [[name, guard(given as never)]];
  });
  return {
    ...options,
    ...Object.fromEntries(guards),
    logger,
    ...guardedClocks(options, logger),
    ...(tracer === undefined ? {} : { tracer: guardedTracer(tracer, logger) }),
  };
}

/** Removes null members, so that null has the same effect as an absent option. */
export function withoutNull<O extends object>(options: O): O {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null)) as O;
}

/**
 * Guards the clocks. If the same object serves as both clocks, as in Node, the result contains the same guarded object
 * for both.
 */
function guardedClocks<Host>(
  { clock, systemClock }: BillingOptions<Host>,
  logger: BillingOptions<Host>['logger'],
): Pick<BillingOptions<Host>, 'clock' | 'systemClock'> {
  const guardedSystemClock = guardedClock(systemClock, logger);
  const isOne = Object.is(clock, systemClock);
  return {
    systemClock: guardedSystemClock,
    clock: isOne
      ? (guardedSystemClock as typeof guardedSystemClock & typeof clock)
      : guardedClock(clock, logger),
  };
}
