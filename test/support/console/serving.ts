import { createKoaApp, type KoaOptions, listen } from '../../../adapters/koa/index.ts';
import type { consolePages } from '../../../adapters/koa/pages/console.ts';
import type { Billing } from '../../../adapters/node/billwright.ts';
import { type FakeClock, fakeClock } from '../../../adapters/testing/index.ts';
import type { TenantBilling, TenantRef } from '../../../lib/index.ts';
import type { Storage } from '../../../lib/ports/storage/index.ts';
import type { DatabaseTemplate, OpenDatabase, TestDatabase } from '../databases.ts';
import { movable } from '../http/serving.ts';
import { storageOf } from '../storage.ts';
import { pushableSystemClock, recordingLogger } from '../system-time.ts';
import { type TcpProxy, tcpProxy } from '../tcp-proxy.ts';
import { builtPages } from './built-console.ts';
import { consoleShop, openShop, SHOP_KEY, TODAY } from './shop.ts';

/** A server with the console and the shop, which a browser reaches through a proxy. */
export interface ConsoleServer {
  /** URL of the console, such as `http://127.0.0.1:1234/console`. */
  readonly url: string;
  readonly billing: Billing<never>;
  readonly clock: FakeClock;
  /** The clock of sessions. */
  readonly systemClock: ReturnType<typeof pushableSystemClock>;
  readonly tenant: TenantRef;
  readonly acme: TenantBilling;
  readonly storage: Storage<never>;
  /** Can cut the browser off from the server. */
  readonly proxy: TcpProxy;
  close(): Promise<void>;
}

export interface ConsoleServerOptions {
  readonly http?: Partial<Pick<KoaOptions, 'basePath'>>;
  /** A template with a tenant `meadow`. Default: the shop. */
  readonly template?: DatabaseTemplate;
  /** If true, the page can move the clock. Defaults to false. */
  readonly isTestMode?: boolean;
}

/** Serves the console to the tests of the surrounding `describe`. */
export function consoleBefore(open: OpenDatabase, options: ConsoleServerOptions = {}): ConsoleServer {
  const server = {} as ConsoleServer;
  before(async () => {
    const template = options.template ?? consoleShop;
    Object.assign(server, await serveConsole(await open(template), options));
  });
  after(() => server.close?.());
  return server;
}

async function serveConsole(
  database: TestDatabase,
  { http = {}, isTestMode = false }: ConsoleServerOptions,
): Promise<ConsoleServer> {
  const clock = fakeClock(`${TODAY}T10:00:00Z`);
  const storage = storageOf(database);
  const systemClock = pushableSystemClock();
  const billing = await openShop(storage, { clock, systemClock });
  const pages = await builtPages();
  const { id } = await billing.tenants.getByApiKey(SHOP_KEY);
  const options: KoaOptions & { readonly consolePages: () => Promise<ReturnType<typeof consolePages>> } = {
    billing,
    logger: recordingLogger(),
    // The files of this build replace those of the installed package.
    console: false,
    consolePages: async () => pages,
    ...(isTestMode && { test: { clock: movable(clock) } }),
    ...http,
  };
  const listening = await listen(createKoaApp(options), { port: 0 });
  const proxy = await tcpProxy(listening.port);
  return {
    url: `http://127.0.0.1:${proxy.port}${http.basePath ?? ''}/console`,
    billing,
    clock,
    systemClock,
    tenant: await billing.tenants.refOf(id),
    acme: billing.as({ tenant: id, user: 'test' }),
    storage,
    proxy,
    async close() {
      await proxy.close();
      await listening.close();
      await billing.close();
    },
  };
}
