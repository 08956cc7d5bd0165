export interface PluginProperty {
  readonly key: string;
  readonly value: string | null;
  readonly isUpdatable?: boolean;
}
