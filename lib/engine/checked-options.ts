import { EntitlementOperation, type PluginIdentity } from '../ports/index.ts';
import { EXTERNAL_PAYMENT_PLUGIN } from '../records/index.ts';
import {
  guarded,
  guardedClock,
  guardedFunction,
  guardedList,
  guardedLogger,
  guardedTracer,
} from '../runtime/index.ts';
import { assertInvariant } from '../values/errors/index.ts';
import { closestTo } from '../values/text/index.ts';
import type { BillingOptions } from './billing-options.ts';

type Kind =
  | 'gateways'
  | 'paymentControls'
  | 'invoicePlugins'
  | 'entitlementPlugins'
  | 'catalogPlugins'
  | 'usageSources'
  | 'eventSinks';

/** What a plugin of each kind is called, and the methods without which it is none. */
const kinds: Readonly<Record<Kind, { readonly one: string; readonly needs: readonly string[] }>> = {
  gateways: { one: 'payment gateway', needs: ['purchase', 'getPaymentInfo'] },
  paymentControls: { one: 'payment control plugin', needs: [] },
  invoicePlugins: { one: 'invoice plugin', needs: [] },
  entitlementPlugins: { one: 'entitlement plugin', needs: [] },
  catalogPlugins: { one: 'catalog plugin', needs: ['latestVersion', 'catalog'] },
  usageSources: { one: 'usage source', needs: ['getUsageForAccount', 'getUsageForSubscription'] },
  eventSinks: { one: 'event sink', needs: ['onEvent'] },
};

/** What an engine is opened with. */
const names = Object.keys({
  storage: true,
  clock: true,
  systemClock: true,
  ids: true,
  hasher: true,
  cipher: true,
  sha256: true,
  logger: true,
  tracer: true,
  scopes: true,
  gateways: true,
  paymentControls: true,
  catalogPlugins: true,
  entitlementPlugins: true,
  invoicePlugins: true,
  eventSinks: true,
  usageSources: true,
  invoiceFormatter: true,
  documentRenderer: true,
  pushSender: true,
  configuration: true,
  defaultCatalog: true,
  defaultOverdueConfig: true,
  testMode: true,
  maxDocumentBytes: true,
  nodeCommands: true,
  version: true,
  processGauges: true,
  logFiles: true,
  hostName: true,
  nodeName: true,
  isFormerNode: true,
} satisfies Record<keyof BillingOptions<never>, true>);

/**
 * A host without a compiler hears when the engine is opened what is wrong with its options, not when money is to move.
 *
 * @throws InvariantError that names the option that is unknown or missing, or the port or plugin that lacks a method or a name
 * of its own.
 */
export function checkOptions<Host>(options: BillingOptions<Host>): void {
  for (const name of Object.keys(options)) assertInvariant(names.includes(name), unknownOption(name));
  const prepare: unknown = Reflect.get(Object(options.storage), 'prepare');
  assertInvariant(
    typeof prepare === 'function',
    "Billing.open needs a storage, such as { storage: sqlite('billing.db') }",
  );
  checkPorts(options);
  checkPlugins(options);
}

/** The ports without which no engine works, and those that may be left out, with the methods of each. */
const ports = {
  clock: { isNeeded: true, methods: ['now'] },
  systemClock: { isNeeded: true, methods: ['nowMs', 'nextTurn', 'after'] },
  ids: { isNeeded: true, methods: ['next'] },
  hasher: { isNeeded: true, methods: ['hash', 'verify', 'isWeaker'] },
  cipher: { isNeeded: true, methods: ['random', 'encrypt', 'decrypt'] },
  sha256: { isNeeded: true, methods: null },
  logger: { isNeeded: true, methods: ['debug', 'info', 'warn', 'error'] },
  tracer: { isNeeded: false, methods: ['start', 'detached'] },
  scopes: { isNeeded: false, methods: ['run', 'current'] },
  pushSender: { isNeeded: false, methods: ['resolve', 'send'] },
  processGauges: { isNeeded: false, methods: ['memoryBytes', 'eventLoopLagMs'] },
  logFiles: { isNeeded: false, methods: ['read'] },
  isFormerNode: { isNeeded: false, methods: null },
} as const satisfies Partial<Record<keyof BillingOptions<never>, Port>>;

interface Port {
  readonly isNeeded: boolean;
  /** Null: it is a function itself. */
  readonly methods: readonly string[] | null;
}

function checkPorts<Host>(options: BillingOptions<Host>): void {
  for (const [name, { isNeeded, methods }] of Object.entries<Port>(ports)) {
    const given: unknown = Reflect.get(options, name);
    if (given === undefined || given === null) {
      assertInvariant(!isNeeded, `Billing.open needs ${name}; the entry point billwright has one for Node`);
      continue;
    }
    if (methods === null)
      assertInvariant(typeof given === 'function', `${name} of Billing.open is not a function`);
    else for (const method of methods) checkMethod(Object(given), method, `${name} of Billing.open`);
  }
}

function unknownOption(name: string): string {
  const meant = closestTo(name, names);
  return `Billing.open has no option ${name}${meant === null ? '' : `; did you mean ${meant}?`}`;
}

function checkPlugins<Host>(options: BillingOptions<Host>): void {
  for (const kind of Object.keys(kinds) as Kind[]) {
    const plugins: readonly PluginIdentity[] = options[kind] ?? [];
    const { one, needs } = kinds[kind];
    assertInvariant(Array.isArray(plugins), `${kind} is not a list of plugins`);
    for (const [at, plugin] of plugins.entries()) {
      const name: unknown = plugin?.name;
      assertInvariant(typeof name === 'string' && name !== '', `The ${one} ${kind}[${at}] has no name`);
      const isAlone = plugins.findIndex((other) => other?.name === name) === at;
      assertInvariant(isAlone, `Two ${one}s have one name: ${name}`);
      for (const method of needs) checkMethod(plugin, method, `The ${one} "${name}"`);
    }
  }
  const isShadowed = options.gateways?.some(({ name }) => name === EXTERNAL_PAYMENT_PLUGIN) ?? false;
  assertInvariant(
    !isShadowed,
    `A payment gateway may not be called ${EXTERNAL_PAYMENT_PLUGIN}: it is the engine’s own`,
  );
  for (const { name, before = {} } of options.entitlementPlugins ?? [])
    for (const operation of Object.keys(before))
      assertInvariant(
        Object.hasOwn(EntitlementOperation, operation),
        `The entitlement plugin "${name}" wants to be asked before ${operation}, which is no operation`,
      );
  const { documentRenderer, invoiceFormatter } = options;
  if (documentRenderer) checkMethod(documentRenderer, 'pdf', 'The document renderer');
  if (invoiceFormatter) checkMethod(invoiceFormatter, 'formatter', 'The invoice formatter');
}

function checkMethod(plugin: object, method: string, who: string): void {
  const found: unknown = Reflect.get(plugin, method);
  assertInvariant(typeof found === 'function', `${who} has no method ${method}`);
}

/**
 * Returns the options with the host's code behind its guard: no plugin or port throws into the engine anything but a plain
 * error. The storage is part of the engine and is not guarded.
 */
export function guardedOptions<Host>(options: BillingOptions<Host>): BillingOptions<Host> {
  const logger = guardedLogger(options.logger);
  return {
    ...options,
    logger,
    ...guardedClocks(options, logger),
    ids: guarded(options.ids),
    hasher: guarded(options.hasher),
    cipher: guarded(options.cipher),
    sha256: guardedFunction(options.sha256),
    ...definedOf(options, {
      tracer: (tracer) => guardedTracer(tracer, logger),
      gateways: guardedList,
      paymentControls: guardedList,
      catalogPlugins: guardedList,
      entitlementPlugins: guardedList,
      invoicePlugins: guardedList,
      eventSinks: guardedList,
      usageSources: guardedList,
      invoiceFormatter: guarded,
      documentRenderer: guarded,
      pushSender: (sender) => (sender === null ? null : guarded(sender)),
      nodeCommands: guarded,
      processGauges: guarded,
      logFiles: guarded,
      isFormerNode: guardedFunction,
      defaultCatalog: (given) => (typeof given === 'function' ? guardedFunction(given) : given),
    }),
  };
}

/** One object stays one, as in Node: business time is then real time. */
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

type Guards<O> = { readonly [K in keyof O]?: (given: NonNullable<O[K]> | Extract<O[K], null>) => O[K] };

/** Guards the options that the host has given. */
function definedOf<O extends object>(options: O, guards: Guards<O>): Partial<O> {
  const given = (Object.keys(guards) as (keyof O)[]).flatMap((name) => {
    const value = options[name];
    const guard = guards[name];
    return value === undefined || guard === undefined ? [] : [[name, guard(value as never)] as const];
  });
  return Object.fromEntries(given) as Partial<O>;
}
