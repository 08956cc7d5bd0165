/** Resolution of host names for calls to receivers outside (platform §10.1). */
export interface NameResolver {
  /** The IP addresses of a host name, in order of preference; throws if there are none. */
  resolve(host: string): Promise<readonly string[]>;
}
