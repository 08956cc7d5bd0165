import { Billing, type BillingOptions } from '../../adapters/node/billwright.ts';
import { sha256, systemClock, unencrypted, uuidGenerator, workScopes } from '../../adapters/node/index.ts';
import type { FakeClock } from '../../adapters/testing/index.ts';
import { sandboxGateway } from '../../adapters/testing/index.ts';
import { EntitlementOperation } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { plainHasher } from './plain-hasher.ts';
import { recordingLogger } from './system-time.ts';

type Act = (...given: never[]) => unknown;
type Method = (...given: never[]) => unknown;

/** The name of all plugins of a `HostileHost`. */
export const HOSTILE = 'hostile';

/** A host whose code works correctly until a test scripts one member. */
export class HostileHost {
  readonly logger = recordingLogger();
  /** Number of calls of the scripted member. */
  calls = 0;
  /** Receives the arguments of each call. */
  observe: (member: string, given: readonly unknown[]) => void = () => undefined;
  #member: string | null = null;
  #act: Act = () => undefined;

  /** Runs the work while this member throws or returns as `act` specifies. */
  async while(member: string, act: Act, work: () => Promise<unknown>): Promise<void> {
    this.#member = member;
    this.#act = act;
    this.calls = 0;
    try {
      await work();
    } finally {
      this.#member = null;
    }
  }

  open(storage: Storage<never>, clock: FakeClock): Promise<Billing<never>> {
    const time = systemClock();
    const sandbox = sandboxGateway();
    const none = async () => null;
    const operations = Object.fromEntries(Object.keys(EntitlementOperation).map((name) => [name, none]));
    const options: object = {
      storage,
      scopes: workScopes(),
      clock: this.#port('clock', clock, ['now']),
      systemClock: this.#port('systemClock', time, ['nowMs', 'nextTurn', 'after']),
      ids: this.#port('ids', uuidGenerator(), ['next']),
      hasher: this.#port('hasher', plainHasher(), ['hash', 'verify', 'isWeaker']),
      cipher: this.#port('cipher', unencrypted(), ['random', 'encrypt', 'decrypt']),
      sha256: this.#made('sha256', sha256),
      logger: this.#port('logger', this.logger, ['debug', 'info', 'warn', 'error']),
      tracer: this.#port('tracer', quietTracer(), ['start', 'detached']),
      gateways: [
        this.#with(
          'gateway',
          {
            ...this.#port('gateway', sandbox, Object.keys(sandbox).filter(isMethodOf(sandbox))),
            name: HOSTILE,
          },
          {
            searchPayments: async () => ({ rows: [], total: 0 }),
            searchPaymentMethods: async () => ({ rows: [], total: 0 }),
            buildFormDescriptor: async () => ({ kbAccountId: '' }),
            processNotification: async () => ({}),
            verifyNotification: async () => true,
          },
        ),
      ],
      paymentControls: [
        this.#with(
          'control',
          { name: HOSTILE },
          { priorCall: none, onSuccessCall: none, onFailureCall: none },
        ),
      ],
      invoicePlugins: [
        this.#with(
          'invoicePlugin',
          { name: HOSTILE },
          {
            priorCall: none,
            getAdditionalInvoiceItems: none,
            getInvoiceGrouping: none,
            onSuccessCall: none,
            onFailureCall: none,
          },
        ),
      ],
      entitlementPlugins: [
        this.#with(
          'entitlementPlugin',
          { name: HOSTILE, before: this.#with('entitlementPlugin.before', {}, operations) },
          { succeeded: none, failed: none },
        ),
      ],
      catalogPlugins: [
        this.#with('catalogPlugin', { name: HOSTILE }, { latestVersion: none, catalog: none }),
      ],
      usageSources: [
        this.#with(
          'usageSource',
          { name: HOSTILE },
          { getUsageForAccount: none, getUsageForSubscription: none, getAggregatedUsage: none },
        ),
      ],
      eventSinks: [this.#with('sink', { name: HOSTILE }, { onEvent: () => undefined })],
      invoiceFormatter: this.#with(
        'formatterFactory',
        { name: HOSTILE },
        { formatter: () => this.#with('formatter', {}, { amount: () => '1', date: () => '2' }) },
      ),
      documentRenderer: this.#with(
        'renderer',
        {},
        { pdf: async () => ({ bytes: new Uint8Array(1), missingCharacters: '' }) },
      ),
      pushSender: this.#with(
        'pushSender',
        {},
        { resolve: async () => ['127.0.0.1'], send: async () => ({ status: 200 }) },
      ),
      logFiles: this.#with('logFiles', {}, { read: async () => [] }),
      nodeCommands: this.#with('nodeCommands', {}, { RELOAD: () => undefined }),
      isFormerNode: this.#made('isFormerNode', () => false),
      testMode: true,
    };
    return Billing.open(options as BillingOptions<never>);
  }

  /** Returns a host function under the control of the test, such as an event subscriber. */
  made<M extends Method>(member: string, healthy: M): M {
    return this.#made(member, healthy);
  }

  #made<M extends Method>(member: string, healthy: M): M {
    return ((...given: never[]) => {
      this.observe(member, given);
      if (this.#member !== member) return healthy(...given);
      this.calls += 1;
      return this.#act(...given);
    }) as M;
  }

  #with(kind: string, fixed: object, methods: Readonly<Record<string, Method>>): never {
    const made = Object.entries(methods).map(([name, method]) => [
      name,
      this.#made(`${kind}.${name}`, method),
    ]);
    return { ...fixed, ...Object.fromEntries(made) } as never;
  }

  #port<P extends object>(kind: string, port: P, names: readonly string[]): P {
    const bound = names.map((name) => [name, (Reflect.get(port, name) as Method).bind(port)]);
    return { ...port, ...(this.#with(kind, {}, Object.fromEntries(bound)) as object) };
  }
}

function isMethodOf(object: object): (name: string) => boolean {
  return (name) => typeof Reflect.get(object, name) === 'function';
}

function quietTracer() {
  const nothing = (): void => undefined;
  const run = <T>(work: () => T): T => work();
  const traceParent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  return { start: () => ({ traceParent, tell: nothing, fail: nothing, end: nothing, run }), detached: run };
}
