import type { InvoicePlugin, Ports } from '../../ports/index.ts';
import type { InvoicingConfig } from '../periods/invoicing-config.ts';
import { InvoicePluginCalls } from './invoice-plugin-calls.ts';

/** The invoice plugins that the engine was opened with, and which of them a tenant has. */
export class RegisteredInvoicePlugins {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'logger' | 'ids'>;
  readonly #plugins: readonly InvoicePlugin[];

  constructor(
    ports: Pick<Ports, 'storage' | 'systemClock' | 'logger' | 'ids'>,
    plugins: readonly InvoicePlugin[],
  ) {
    this.#ports = ports;
    this.#plugins = plugins;
  }

  /** True: no tenant has any, so that nothing has to be read to know it. */
  get isEmpty(): boolean {
    return this.#plugins.length === 0;
  }

  /** Those of a tenant (§13 rule 1): by its configuration, else all by name; names that are not registered are skipped. */
  of({ plugins }: Pick<InvoicingConfig, 'plugins'>): InvoicePluginCalls {
    const byName = new Map(this.#plugins.map((plugin) => [plugin.name, plugin]));
    const names = plugins.length > 0 ? [...new Set(plugins)] : [...byName.keys()].sort();
    return new InvoicePluginCalls(
      this.#ports,
      names.flatMap((name) => byName.get(name) ?? []),
    );
  }
}
