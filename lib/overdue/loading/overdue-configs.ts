import type { Logger } from '../../ports/index.ts';
import type { ActiveValue, ReadSession } from '../../ports/storage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CACHED_CONFIGURATIONS } from '../../values/limits.ts';
import { readOverdueDocument } from '../config/document-format.ts';
import { defaultOverdueConfig, type OverdueConfig } from '../config/overdue-config.ts';
import { writeOverdueXml } from '../config/write-config.ts';

/** Gives the overdue configuration that is in force for the tenant of a session. */
export type OverdueConfigOf = (session: ReadSession) => Promise<OverdueConfig>;

/** A configuration with the text that it was read from. */
export interface OverdueDocument {
  readonly text: string;
  readonly config: OverdueConfig;
}

/**
 * The overdue configurations of the tenants (§1.2), each parsed once. The tenant's row names the row that holds its
 * configuration, and rows never change: the next evaluation on every node follows an upload, and what is cached costs no
 * statement beyond the revisions that a session reads anyway.
 */
export class OverdueConfigs {
  readonly #logger: Logger;
  readonly #default: OverdueDocument;
  readonly #byId = new Map<Uuid, OverdueConfig>();

  /**
   * @param defaultText the host's configuration of tenants without one.
   * @throws BillingError OVERDUE_INVALID_FOR_TENANT (5010), TOO_LARGE (60012) for a bad one.
   */
  constructor(logger: Logger, defaultText?: string) {
    this.#logger = logger;
    this.#default =
      defaultText === undefined
        ? { text: writeOverdueXml(defaultOverdueConfig), config: defaultOverdueConfig }
        : { text: defaultText, config: readOverdueDocument(defaultText) };
  }

  readonly configOf: OverdueConfigOf = async (session) => {
    const { overdueConfig: active } = await session.revisions();
    if (active === null) return this.#default.config;
    const cached = active.id === null ? undefined : this.#byId.get(active.id);
    return cached ?? (await this.#read(session, active)).config;
  };

  /** The configuration in force with its text, which is read from the storage. */
  async documentOf(session: ReadSession): Promise<OverdueDocument> {
    const { overdueConfig: active } = await session.revisions();
    return active === null ? this.#default : this.#read(session, active);
  }

  async #read(session: ReadSession, { id, recordId }: ActiveValue): Promise<OverdueDocument> {
    const document = this.#parsed(session, await session.keyValues.valueOf(recordId));
    // The host may roll back what its transaction holds, so it is not kept.
    if (session.tenant.within || id === null) return document;
    this.#byId.set(id, document.config);
    const oldest = this.#byId.keys().next();
    if (this.#byId.size > MAX_CACHED_CONFIGURATIONS && !oldest.done) this.#byId.delete(oldest.value);
    return document;
  }

  /** What has come to the storage otherwise than by an upload may be bad (R13). */
  #parsed(session: ReadSession, text: string): OverdueDocument {
    try {
      return { text, config: readOverdueDocument(text) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const facts = { tenantId: session.tenant.id };
      this.#logger.warn(facts, `tenant key OVERDUE_CONFIG: ${reason}; the default configuration holds`);
      return this.#default;
    }
  }
}
