import type { Logger } from '../../ports/index.ts';
import type { ActiveValue, ReadSession } from '../../ports/storage/index.ts';
import { ActiveValueCache } from '../../tenants/index.ts';
import { defaultOverdueConfig, type OverdueConfig } from '../config/overdue-config.ts';
import { readOverdueDocument, readStoredOverdueDocument } from '../config/read-config.ts';
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
  readonly #cache = new ActiveValueCache<OverdueConfig>();

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
    return this.#cache.find(active) ?? (await this.#read(session, active)).config;
  };

  /** The configuration in force with its text, which is read from the storage. */
  async documentOf(session: ReadSession): Promise<OverdueDocument> {
    const { overdueConfig: active } = await session.revisions();
    return active === null ? this.#default : this.#read(session, active);
  }

  async #read(session: ReadSession, active: ActiveValue): Promise<OverdueDocument> {
    const document = this.#parsed(session, await session.keyValues.valueOf(active.recordId));
    this.#cache.keep(session, active, document.config);
    return document;
  }

  /** What has come to the storage otherwise than by an upload may be bad (R13). */
  #parsed(session: ReadSession, text: string): OverdueDocument {
    try {
      return { text, config: readStoredOverdueDocument(text) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const facts = { tenantId: session.tenant.id };
      this.#logger.warn(facts, `tenant key OVERDUE_CONFIG: ${reason}; the default configuration holds`);
      return this.#default;
    }
  }
}
