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

/** The copy of axios that the package has, with what is used of it: that of `import` is another, of other types. */
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

/** The package `killbill` as its README sets it up: a login, a tenant, and `Location` followed after a 201. */
export interface KillbillClient extends Apis {
  readonly called: ReadonlySet<string>;
  /** Statuses with which operations have succeeded, by name: whether the package's own document promises each. */
  readonly successes: Successes;
  /** Calls an operation by its name, where many resources have the same one. */
  operation(api: keyof Apis, name: string): (...args: readonly unknown[]) => Promise<Answered>;
}

/** Of each operation its statuses, true where they are promised. */
export type Successes = Map<string, Map<number, boolean>>;

export interface ClientSettings {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly tenant: readonly [string, string];
  /** Where successes are noted; default a place of its own. */
  readonly successes?: Successes;
}

export const clientOperations: readonly string[] = Object.values(apiClasses).flatMap(({ prototype }) =>
  Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor'),
);

/** Every answer is checked against the models that the package was made from, before the caller sees it. */
export function killbillClient(settings: ClientSettings): KillbillClient {
  const { url, username, password, tenant, successes = new Map() } = settings;
  const http = axios.create();
  // Before `Location` is followed.
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
