import { cellStorage, type Directory, registerCell } from '../../cells/index.ts';
import type { Logger, SystemClock } from '../../ports/index.ts';
import type { Storage } from '../../ports/storage/index.ts';
import { atMost, TIME_OVER } from '../../runtime/index.ts';
import { BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import { CELL_ANSWER_MS } from '../../values/limits.ts';
import { type Billing, type OpenBilling, openBilling } from '../billing.ts';
import type { BillingOptions } from '../billing-options.ts';

/** Milliseconds between attempts to open a cell whose database does not respond. */
const OPEN_AGAIN_MS = 5_000;

/** Server properties (platform §4.3) that stop an engine from processing the queue. */
const queueOff = {
  'org.service.persistent.bus.main.off': 'true',
  'org.service.notificationq.main.notification.off': 'true',
};

export interface CellParts<Host> {
  readonly name: string;
  readonly storage: Storage<Host>;
  readonly directory: Directory;
  readonly options: Omit<BillingOptions<Host>, 'storage'>;
  /** If false, this node serves calls for the cell but does not process its queue, pushes or event sinks. */
  readonly isWorkedOn: boolean;
}

/** A cell and its engine. The engine is missing until the cell's database responds for the first time. */
export class CellEngine<Host> {
  readonly name: string;
  readonly storage: Storage<Host>;
  readonly #parts: CellParts<Host>;
  readonly #systemClock: SystemClock;
  readonly #logger: Logger;
  readonly #onOpen: (billing: Billing<Host>) => void;
  #engine: OpenBilling<Host> | null = null;
  #opening: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;

  /** @param onOpen Called after the engine opens. */
  constructor(parts: CellParts<Host>, onOpen: (billing: Billing<Host>) => void) {
    this.name = parts.name;
    this.storage = parts.storage;
    this.#parts = parts;
    this.#systemClock = parts.options.systemClock;
    this.#logger = parts.options.logger;
    this.#onOpen = onOpen;
  }

  get isOpen(): boolean {
    return this.#engine !== null;
  }

  /** The engine. @throws BillingError BUSY (60018) if the cell's database has not responded yet. */
  get engine(): OpenBilling<Host> {
    if (this.#engine !== null) return this.#engine;
    throw cellAway(
      this.name,
      'its database cannot be reached or does not respond; send the request again in a moment',
    );
  }

  /** Opens the engine. If the database does not respond, tries again later. @throws Error for any other failure. */
  async open(): Promise<void> {
    this.#opening = this.#open();
    try {
      await this.#opening;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      this.#logger.warn({ err: error, cell: this.name }, 'a cell does not answer and will be opened later');
      this.#openLater();
    }
  }

  async #open() {
    const { name, storage, directory, options, isWorkedOn } = this.#parts;
    await storage.prepare();
    await registerCell(name, storage, directory);
    const { configuration } = options;
    this.#engine = await openBilling(
      {
        ...options,
        storage: cellStorage(name, storage, directory),
        ...(isWorkedOn ? {} : { configuration: { ...configuration, ...queueOff } }),
      },
      { sends: isWorkedOn },
    );
    this.#onOpen(this.#engine.billing);
  }

  #openLater() {
    if (this.#isClosed) return;
    this.#cancelTimer = this.#systemClock.after(OPEN_AGAIN_MS, () => {
      this.#opening = this.#open();
      this.#opening.catch((error: unknown) => {
        this.#logger.warn(
          { err: error, cell: this.name },
          'a cell could not be opened; opening will be repeated',
        );
        this.#openLater();
      });
    });
  }

  /** Calls the engine. If the cell's database is unreachable, the error contains the name of the cell. */
  async call<T>(work: (billing: Billing<Host>) => Promise<T>): Promise<T> {
    try {
      return await work(this.engine.billing);
    } catch (error) {
      throw this.named(error);
    }
  }

  /** Returns the error. If a database is unreachable, adds the name of its cell to the error. */
  named(error: unknown): unknown {
    if (!isUnreachable(error) || error.facts.cell !== undefined) return error;
    const { code, facts, cause, message } = error;
    const cell = this.name;
    return new BillingError({
      code,
      message: `Cell "${cell}": ${message}`,
      facts: { ...facts, cell },
      cause,
    });
  }

  /** Calls the engine like `call`, but waits at most 5 s. */
  async answer<T>(work: (billing: Billing<Host>) => Promise<T>): Promise<T> {
    const answer = await atMost(this.#systemClock, CELL_ANSWER_MS, this.call(work));
    if (answer !== TIME_OVER) return answer;
    throw cellAway(this.name, `it did not answer within ${CELL_ANSWER_MS} ms`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    await this.#opening?.catch(() => undefined);
    await (this.#engine === null ? this.storage.close() : this.#engine.billing.close());
  }
}

function isUnreachable(error: unknown): error is BillingError {
  return error instanceof BillingError && error.facts.isUnreachable === true;
}

/** Returns the error for calls that need a cell whose database does not respond. */
export function cellAway(cell: string, reason: string): BillingError {
  return billingError(ErrorCode.BUSY, `Cell "${cell}" is not available: ${reason}`, {
    cell,
    isUnreachable: true,
  });
}
