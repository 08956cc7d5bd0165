import '../supported-node.ts';
import { hostname } from 'node:os';
import { Billing as Engine } from '../../lib/billing.ts';
import type {
  CellsBilling,
  CellsOptions as EngineCellsOptions,
  BillingOptions as EngineOptions,
} from '../../lib/index.ts';
import { logFiles } from './log-files.ts';
import { isFormerNode, newNodeName } from './node-name.ts';
import { productVersion } from './product-version.ts';
import { httpPushSender } from './push-sender.ts';
import { scryptHasher } from './scrypt-hasher.ts';
import { unencrypted } from './secret-cipher.ts';
import {
  consoleLogger,
  processGauges,
  sha256,
  systemClock,
  uuidGenerator,
  workScopes,
} from './this-process.ts';

export * from '../../lib/index.ts';

/** Options of the engine. Only the storage is required. */
export type BillingOptions<Host> = Pick<EngineOptions<Host>, 'storage'> &
  Partial<Omit<EngineOptions<Host>, 'sha256'>>;
/** Options of an engine over several databases. Only the directory and the cells are required. */
export type CellsOptions<Host> = Pick<EngineCellsOptions<Host>, 'directory' | 'cells'> &
  Partial<Omit<EngineCellsOptions<Host>, 'sha256'>>;
export type Billing<Host = never> = Engine<Host>;

export const Billing = {
  /**
   * Opens the engine in a Node process. Defaults: real time, UUIDv7, scrypt, unencrypted signing keys (see
   * `secretCipher`), a logger of warnings on standard error, pushes over HTTP, and a node name of host name, boot id and process.
   *
   * @example
   * import { Billing } from 'billwright';
   * import { sqlite } from 'billwright/sqlite';
   * const billing = await Billing.open({ storage: sqlite('billing.db') });
   */
  async open<Host>(options: BillingOptions<Host>): Promise<Billing<Host>> {
    return Engine.open<Host>({ ...nodePorts(), ...omitUndefined(options) });
  },

  /**
   * Opens an engine over several PostgreSQL databases in a Node process. The defaults are those of `open`. Each tenant
   * is in one of the cells. The directory contains the tenants and the users; it can use the database of the first
   * cell.
   *
   * @example const billing = await Billing.cells({ directory: postgresql(urlWest), cells: { west: postgresql(urlWest),
   *   east: postgresql(urlEast) }, });
   */
  async cells<Host>(options: CellsOptions<Host>): Promise<CellsBilling<Host>> {
    return Engine.cells<Host>({ ...nodePorts(), ...omitUndefined(options) });
  },
};

function nodePorts() {
  const clock = systemClock();
  return {
    clock,
    systemClock: clock,
    ids: uuidGenerator(),
    hasher: scryptHasher(),
    cipher: unencrypted(),
    sha256,
    logger: consoleLogger(),
    scopes: workScopes(),
    nodeName: newNodeName(),
    isFormerNode,
    version: productVersion(),
    processGauges: processGauges(),
    logFiles: logFiles(),
    hostName: hostname(),
    pushSender: httpPushSender(),
  };
}

/** Removes undefined members, so that `{ logger: quiet ? silent : undefined }` keeps the default. */
function omitUndefined<T extends object>(options: T): T {
  const members = typeof options === 'object' ? { ...options } : {};
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
