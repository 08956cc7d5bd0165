import { createRequire } from 'node:module';
import {
  AccountApi,
  AdminApi,
  apiKey,
  BundleApi,
  CatalogApi,
  Configuration,
  CreditApi,
  CustomFieldApi,
  ExportApi,
  followLocationHeaderInterceptor,
  InvoiceApi,
  InvoiceItemApi,
  InvoicePaymentApi,
  NodesInfoApi,
  OverdueApi,
  PaymentApi,
  PaymentGatewayApi,
  PaymentMethodApi,
  PaymentTransactionApi,
  PluginInfoApi,
  SecurityApi,
  SubscriptionApi,
  TagApi,
  TagDefinitionApi,
  TenantApi,
  UsageApi,
} from 'killbill';
import { type Answered, checkAnswer, promiseOf } from './killbill-models.ts';

type Axios = NonNullable<ConstructorParameters<typeof AccountApi>[2]>;

/** The package's own copy of axios, with the members used here. The copy that `import` finds has different types. */
interface PackagedAxios {
  create(): Axios;
  isAxiosError(error: unknown): error is { readonly response?: Answered };
}

const axios: PackagedAxios = createRequire(import.meta.url)('axios');

const apiClasses = {
  account: AccountApi,
  admin: AdminApi,
  bundle: BundleApi,
  catalog: CatalogApi,
  credit: CreditApi,
  customField: CustomFieldApi,
  export: ExportApi,
  invoice: InvoiceApi,
  invoiceItem: InvoiceItemApi,
  invoicePayment: InvoicePaymentApi,
  nodesInfo: NodesInfoApi,
  overdue: OverdueApi,
  payment: PaymentApi,
  paymentGateway: PaymentGatewayApi,
  paymentMethod: PaymentMethodApi,
  paymentTransaction: PaymentTransactionApi,
  pluginInfo: PluginInfoApi,
  security: SecurityApi,
  subscription: SubscriptionApi,
  tag: TagApi,
  tagDefinition: TagDefinitionApi,
  tenant: TenantApi,
  usage: UsageApi,
};

type Apis = { readonly [K in keyof typeof apiClasses]: InstanceType<(typeof apiClasses)[K]> };

/** The package `killbill` configured like in its README: a login, a tenant, and `Location` followed after a 201. */
export interface KillbillClient extends Apis {
  readonly called: ReadonlySet<string>;
  /** Statuses of successful operations, by name, and whether the package's own document promises each of them. */
  readonly successes: Successes;
  /** Calls an operation by its name, for operations that several resources share. */
  operation(api: keyof Apis, name: string): (...args: readonly unknown[]) => Promise<Answered>;
}

/** Statuses of each operation; true if the document promises them. */
export type Successes = Map<string, Map<number, boolean>>;

export interface ClientSettings {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly tenant: readonly [string, string];
  /** Where successes are recorded; default: a new map. */
  readonly successes?: Successes;
}

export const clientOperations: readonly string[] = Object.values(apiClasses).flatMap(({ prototype }) =>
  Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor'),
);

/** Returns a client that validates every response against the package's own models before the caller sees it. */
export function killbillClient(settings: ClientSettings): KillbillClient {
  const { url, username, password, tenant, successes = new Map() } = settings;
  const http = axios.create();
  // Runs before `Location` is followed.
  http.interceptors.response.use((response) => {
    const { operationId, isPromised } = promiseOf(response);
    const known = successes.get(operationId) ?? new Map<number, boolean>();
    successes.set(operationId, known.set(response.status, isPromised));
    return response;
  });
  http.interceptors.response.use(followLocationHeaderInterceptor);
  http.interceptors.response.use((response) => {
    checkAnswer(response);
    return response;
  });
  const configuration = new Configuration({ username, password, apiKey: apiKey(...tenant), basePath: url });
  const called = new Set<string>();
  const made = Object.entries(apiClasses).map(([name, Api]) => [
    name,
    recording(new Api(configuration, undefined, http), called),
  ]);
  const apis = Object.fromEntries(made) as Apis;
  return {
    ...apis,
    called,
    successes,
    operation(api, name) {
      const found: unknown = Reflect.get(apis[api], name);
      if (typeof found !== 'function') throw new Error(`The package has no ${name}`);
      return (...args) => found(...args) as Promise<Answered>;
    },
  };
}

function recording<T extends object>(api: T, called: Set<string>): T {
  return new Proxy(api, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return (...args: readonly unknown[]) => {
        called.add(name);
        return Reflect.apply(member, target, args);
      };
    },
  });
}

export async function failureOf(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    if (!axios.isAxiosError(error) || error.response === undefined) throw error;
    return { status: error.response.status, body: error.response.data };
  }
  throw new Error('The call was expected to fail');
}
