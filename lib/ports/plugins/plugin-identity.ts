/** Who a plugin is among those of a node (platform §11). */
export interface PluginIdentity {
  /** Unique among the plugins of its kind. */
  readonly name: string;
  /** A short name by which commands to nodes may call it; default none. */
  readonly pluginKey?: string;
  /** Dotted numbers such as `1.4.0`, shown to operators; default none. */
  readonly version?: string;
}
